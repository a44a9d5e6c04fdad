//! Drawings of the multiverse, as text.

use borges_multiverse::tree::{BranchId, End, Entry, Layout, Place, Tree, Words};

#[derive(Clone, Debug, PartialEq)]
struct Input {
    step: u64,
    value: i32,
}

impl Entry for Input {
    type Outcome = String;

    fn step(&self) -> u64 {
        self.step
    }

    fn same_choice(&self, other: &Self) -> bool {
        self == other
    }
}

/// A long straight line with forks at 40, at 42 and on the fork, two ends and a trap.
fn example() -> Tree<Input> {
    let mut tree = Tree::new();
    for n in 1..=60 {
        tree.append(
            BranchId::ROOT,
            Input {
                step: n * 10,
                value: 7,
            },
        )
        .unwrap();
    }
    tree.finish(BranchId::ROOT, 700, End::Finished("42".into()))
        .unwrap();
    let at = |index| Place {
        branch: BranchId::ROOT,
        index,
    };
    let hot = tree
        .fork(
            at(40),
            Input {
                step: 410,
                value: 99,
            },
        )
        .unwrap()
        .place;
    let next = tree
        .append(
            hot.branch,
            Input {
                step: 420,
                value: 1,
            },
        )
        .unwrap()
        .place;
    tree.fork(
        hot,
        Input {
            step: 420,
            value: 2,
        },
    )
    .unwrap();
    tree.finish(next.branch, 433, End::Trapped("unreachable".into()))
        .unwrap();
    tree.fork(
        at(42),
        Input {
            step: 430,
            value: -1,
        },
    )
    .unwrap();
    tree.mark(at(55), 555, "odd".into()).unwrap();
    tree
}

/// The universes that the tests point at.
const MARKERS: [(Place, u64, &str); 2] = [
    (
        Place {
            branch: BranchId(1),
            index: 41,
        },
        415,
        "here",
    ),
    (
        Place {
            branch: BranchId::ROOT,
            index: 60,
        },
        600,
        "device",
    ),
];

fn draw(tree: &Tree<Input>, markers: &[(Place, u64, &str)], layout: Layout) -> String {
    let words = Words {
        label: &|_, input: &Input| format!("dial = {}", input.value),
        end: &|end| match end {
            End::Open => "open".to_owned(),
            End::Finished(value) => format!("finished: {value}"),
            End::Trapped(cause) => format!("trapped: {cause}"),
        },
        markers,
    };
    tree.render_text(&words, &layout)
}

fn layout() -> Layout {
    Layout {
        width: 60,
        run: 2,
        ..Layout::default()
    }
}

#[track_caller]
fn check(drawn: &str, expected: &str) {
    // Expected drawings start with a line break, to stand in a column.
    assert_eq!(drawn, &expected[1..], "\n{drawn}");
}

#[test]
fn runs_are_folded_and_forks_indented() {
    check(
        &draw(&example(), &MARKERS, layout()),
        "
◉ start
┆ 40 entries, 400 steps
├─ ● dial = 99  ◀ here +5
│  ├─ ● dial = 2
│  │  ○ open, step 420
│  ● dial = 1
│  ✗ trapped: unreachable, step 433
● dial = 7
● dial = 7
├─ ● dial = -1
│  ○ open, step 430
● dial = 7
┆ 11 entries, 110 steps
● dial = 7  ⚑ odd +5
┆ 4 entries, 40 steps
● dial = 7  ◀ device
■ finished: 42, step 700
",
    );
}

#[test]
fn deep_forks_fold_into_a_summary_that_says_who_is_inside() {
    check(
        &draw(
            &example(),
            &[(
                Place {
                    branch: BranchId(2),
                    index: 42,
                },
                420,
                "here",
            )],
            Layout {
                depth: 0,
                run: 100,
                start: Place {
                    branch: BranchId::ROOT,
                    index: 39,
                },
                rows: 6,
                ..layout()
            },
        ),
        "
● dial = 7
● dial = 7
├─ ● dial = 99  [2 entries, 1 fork, 1 trapped]  ◀ here insi…
● dial = 7
● dial = 7
├─ ● dial = -1
… cut after 6 rows
",
    );
}

#[test]
fn a_tip_left_by_forks_only_ends_with_the_last_of_them() {
    let mut tree = Tree::new();
    let input = |step, value| Input { step, value };
    let tip = tree.append(BranchId::ROOT, input(10, 7)).unwrap().place;
    // It grows no more: what follows is a fork.
    tree.close(BranchId::ROOT).unwrap();
    tree.fork(tip, input(20, 99)).unwrap();
    check(
        &draw(&tree, &[], layout()),
        "
◉ start
● dial = 7
└─ ● dial = 99
   ○ open, step 20
",
    );
    check(
        &draw(&Tree::new(), &MARKERS, layout()),
        "\n◉ start\n○ open, step 0\n",
    );
    let nowhere = Place {
        branch: BranchId(3),
        index: 43,
    };
    assert_eq!(
        draw(
            &tree,
            &MARKERS,
            Layout {
                start: nowhere,
                ..layout()
            }
        ),
        ""
    );
}

#[test]
fn a_ladder_of_forks_is_drawn_to_its_depth() {
    let mut tree = Tree::new();
    let mut at = Place::ROOT;
    for step in 0..50_000 {
        tree.fork(at, Input { step, value: 0 }).unwrap();
        at = tree.fork(at, Input { step, value: 1 }).unwrap().place;
    }
    let drawn = draw(
        &tree,
        &MARKERS,
        Layout {
            depth: 2,
            ..layout()
        },
    );
    assert_eq!(drawn.lines().count(), 10, "{drawn}");
    assert!(drawn.contains("[99994 entries, 49997 forks]"), "{drawn}");
}
