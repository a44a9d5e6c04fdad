//! What one question may take. At each bound the answer is exact; one past it there is none, which is said, or another
//! way leads to the same answer.

use borges_vm::num::NumericOp as N;

use super::memo::KEPT;
use super::*;

/// A question about inputs of 64 bits, and who answers it: no solver.
struct Asked {
    dag: Dag,
    decider: Decider,
    domains: Vec<(u32, Set)>,
}

impl Asked {
    /// The inputs have these domains.
    fn of(domains: Vec<Set>) -> Self {
        Asked {
            dag: Dag::default(),
            decider: Decider::new(None),
            domains: (0..).zip(domains).collect(),
        }
    }

    fn input(&mut self, place: u32) -> Expr {
        self.dag.input(place, ValType::I64)
    }

    /// Of an input below 2^63: it never holds, but that shows only where it is computed. Evaluating it takes so many steps.
    fn never(&mut self, place: u32, steps: u64) -> Constraint {
        let mut expr = self.input(place);
        let one = self.dag.constant(ValType::I64, 1);
        for _ in 3..steps {
            expr = self.dag.binary(N::I64Rotl, expr, one);
        }
        let bits = self.dag.unary(N::I64Popcnt, expr);
        Constraint::new(bits, Set::single(64))
    }

    /// The values of the only input, with nothing known of others.
    fn refine(&mut self, constraint: Constraint) -> Option<Set> {
        let domain = &self.domains[0].1;
        let budget = Budget::unlimited();
        self.decider
            .refine(&budget, &self.dag, 0, domain, &[constraint], &[])
    }

    fn solve(&mut self, constraints: &[Constraint]) -> Solution {
        let budget = Budget::unlimited();
        self.decider
            .solve(&budget, &self.dag, &self.domains, constraints, &[])
    }

    /// Whether bounds of values were looked at, or only values.
    fn has_cut(&self) -> bool {
        !self.decider.ranges.is_empty()
    }
}

/// So many intervals of this length, which do not touch.
fn apart(count: u64, length: u64) -> Vec<(u64, u64)> {
    let starts = (0..count).map(|number| number * (length + 1));
    starts.map(|low| (low, low + length - 1)).collect()
}

fn open() -> Solution {
    Solution::Unknown(NO_SOLVER.into())
}

/// The odd ones of so many numbers are half of them, each an interval of its own.
#[test]
fn intervals_of_a_set() {
    let most = 2 * MOST_INTERVALS as u64;
    for (last, found) in [(most, Some(MOST_INTERVALS)), (most + 1, None)] {
        let mut asked = Asked::of(vec![Set::range(0, last)]);
        let (input, one) = (asked.input(0), asked.dag.constant(ValType::I64, 1));
        let odd = asked.dag.binary(N::I64And, input, one);
        let set = asked.refine(Constraint::new(odd, Set::single(1)));
        assert_eq!(set.map(|set| set.intervals().len()), found, "0..={last}");
    }
}

/// A set that is small enough to try each value may have as many intervals as it has values.
#[test]
fn values_that_are_all_tried() {
    let most = ENUMERATED as u64;
    for (count, is_found) in [(most, true), (most + 1, false)] {
        let domain = Set::of(apart(count, 1));
        let mut asked = Asked::of(vec![domain.clone()]);
        let (input, one) = (asked.input(0), asked.dag.constant(ValType::I64, 1));
        let odd = asked.dag.binary(N::I64And, input, one);
        let set = asked.refine(Constraint::new(odd, Set::single(0)));
        assert_eq!(set, is_found.then_some(domain), "{count}");
    }
}

/// Values are evaluated where they are few, and cut where they are more: with the same answer.
#[test]
fn values_that_are_evaluated_rather_than_cut() {
    for (count, is_cut) in [(LEAF, false), (LEAF + 1, true)] {
        let mut asked = Asked::of(vec![Set::range(0, count - 1)]);
        let input = asked.input(0);
        let bits = asked.dag.unary(N::I64Popcnt, input);
        let powers = asked.refine(Constraint::new(bits, Set::single(1)));
        let expected = (0..count).filter(|n| n.is_power_of_two());
        let expected = Set::of(expected.map(|n| (n, n)).collect());
        assert_eq!(powers, Some(expected), "{count}");
        assert_eq!(asked.has_cut(), is_cut, "{count}");
    }
    // 32 * 64 combinations of two inputs, and 3 * 683.
    for (first, second, is_cut) in [(32, 64, false), (3, 683, true)] {
        assert_eq!(first * second > LEAF, is_cut);
        let mut asked = Asked::of(vec![Set::range(0, first - 1), Set::range(0, second - 1)]);
        let never = [asked.never(0, 2), asked.never(1, 2)];
        assert_eq!(asked.solve(&never), Solution::No);
        assert_eq!(asked.has_cut(), is_cut, "{first} * {second}");
    }
}

#[test]
fn cells_for_one_set() {
    let steps = 512;
    let most = CELLS_FOR_SOME / steps;
    for (count, found) in [(most, Some(Set::empty())), (most + 1, None)] {
        let mut asked = Asked::of(vec![Set::range(0, count - 1)]);
        let never = asked.never(0, steps);
        assert_eq!(asked.refine(never), found, "{count}");
    }
}

/// As many values as `cells` allows with so many steps each, among more combinations than can be tried.
fn among(combinations: u128, steps: u64, cells: u64) -> Solution {
    let mut asked = Asked::of(vec![Set::range(0, combinations as u64 - 1)]);
    let never = asked.never(0, steps);
    // What lies above is seen not to be in here.
    let low = Set::range(0, cells / steps - 1);
    let low = Constraint::new(asked.input(0), low);
    asked.solve(&[never, low])
}

#[test]
fn cells_for_one_question() {
    let (steps, many) = (512, 2 * FEW);
    assert_eq!(among(many, steps, CELLS_FOR_SOME), Solution::No);
    // One leaf more.
    let past = CELLS_FOR_SOME + LEAF * steps;
    assert_eq!(among(many, steps, past), open());
}

/// What is too much among many combinations is not among few.
#[test]
fn combinations_that_are_all_tried() {
    let (steps, cells) = (512, CELLS_FOR_SOME + LEAF * 512);
    assert_eq!(among(FEW, steps, cells), Solution::No);
    assert_eq!(among(FEW + 1, steps, cells), open());
}

/// One more than [`LEAF`] is a box; all of it is seen not to be allowed.
#[test]
fn boxes_for_one_set() {
    let at = apart(BOXES, LEAF + 1);
    let mut with_leaf = at.clone();
    let after = BOXES * (LEAF + 2);
    with_leaf.push((after, after + LEAF - 1));
    let past = apart(BOXES + 1, LEAF + 1);
    for (domain, found) in [
        (at, Some(Set::empty())),
        (with_leaf, Some(Set::empty())),
        (past, None),
    ] {
        let mut asked = Asked::of(vec![Set::of(domain)]);
        let input = asked.input(0);
        let found_set = asked.refine(Constraint::new(input, Set::single(u64::MAX)));
        assert_eq!(found_set, found);
    }
}

/// The space is cut in halves down to 2^18 pieces, the lower half first. Number `n` of them is the box number `2n - ones(n)
/// + 19`: before it are `n` pieces and all larger boxes that begin at one of them or at it.
#[test]
fn boxes_for_one_question() {
    const WIDTH: u64 = 2 * LEAF;
    let number = |piece: u64| 2 * piece - u64::from(piece.count_ones()) + 19;
    let at = 49_994;
    for (piece, is_found) in [(at, true), (at + 1, false)] {
        assert_eq!(number(piece), if is_found { BOXES } else { BOXES + 1 });
        let mut asked = Asked::of(vec![Set::range(0, (WIDTH << 18) - 1)]);
        // One condition allows the even pieces, the other the odd ones, and both this one.
        let of_parity = |parity: u64| {
            let pieces = (0..=at + 2).filter(|n| n % 2 == parity || *n == piece);
            let intervals = pieces.map(|n| (n * WIDTH, (n + 1) * WIDTH - 1));
            Set::of(intervals.collect())
        };
        let constraints = [0, 1].map(|parity| Constraint::new(asked.input(0), of_parity(parity)));
        let found = Solution::Yes(vec![(0, piece * WIDTH)]);
        let expected = if is_found { found } else { open() };
        assert_eq!(asked.solve(&constraints), expected, "piece {piece}");
    }
}

/// The last guess that is tried is found at once, what is not guessed by cutting. With several inputs no guess is tried
/// twice.
#[test]
fn guesses() {
    let inputs = 0..8;
    let any = || Asked::of(vec![Set::all(ValType::I64); inputs.len()]);
    let are = |asked: &mut Asked, allowed: &dyn Fn(u32) -> Set| {
        let one = |place| Constraint::new(asked.input(place), allowed(place));
        let constraints: Vec<Constraint> = inputs.clone().map(one).collect();
        asked.solve(&constraints)
    };
    let mut asked = any();
    assert_eq!(are(&mut asked, &|_| Set::empty()), Solution::No);
    let lanes = &asked.decider.lanes;
    let guess = |lane: usize| {
        inputs
            .clone()
            .map(move |at| lanes.column(at as usize)[lane])
    };
    let last: Vec<u64> = guess(GUESSES - 1).collect();
    let mut other = last.clone();
    other[0] ^= 1;
    for lane in 0..GUESSES - 1 {
        let earlier: Vec<u64> = guess(lane).collect();
        assert!(earlier != last && earlier != other);
    }
    for (cells, is_cut) in [(last, false), (other, true)] {
        let mut asked = any();
        let answer = are(&mut asked, &|place| Set::single(cells[place as usize]));
        let found = inputs.clone().zip(cells.iter().copied()).collect();
        assert_eq!(answer, Solution::Yes(found));
        assert_eq!(asked.has_cut(), is_cut, "{cells:x?}");
    }
}

/// One answer more than are kept, and all are forgotten; they are the same when they are found again.
#[test]
fn answers_that_are_kept() {
    let mut asked = Asked::of(vec![Set::range(0, 99)]);
    let input = asked.input(0);
    let below = |most| Constraint::new(input, Set::range(0, most));
    for number in 0..KEPT as u64 - 2 {
        let other = Set::single(number);
        let key = (other.clone(), Vec::new(), Vec::new());
        asked.decider.refined.keep(key, None);
        let question = (vec![(1, other)], Vec::new());
        asked.decider.answered.keep(question, Solution::No);
    }
    let reused = |asked: &mut Asked, most: u64| {
        let before = asked.decider.effort.reused;
        assert_eq!(asked.refine(below(most)), Some(Set::range(0, most)));
        assert!(matches!(asked.solve(&[below(most)]), Solution::Yes(_)));
        asked.decider.effort.reused - before
    };
    let found = [10, 20, 10, 20, 30, 10].map(|most| reused(&mut asked, most));
    assert_eq!(found, [0, 0, 2, 2, 0, 0], "the third is one too many");
    assert_eq!(asked.decider.refined.len(), 2);
    assert_eq!(asked.decider.answered.len(), 2);
}

/// Readings, scaled as those of a sensor that was calibrated: where one lies tells much of the darkest, and four are too
/// many to cut at once. Every question about two and three is answered without a solver, as trying all answers it.
#[test]
fn readings_that_are_scaled() {
    const MOST: i32 = 4095;
    // Below, between and above, as bits.
    let class = |reading: i32, darkest: i32, brightest: i32| {
        let scaled = (reading - darkest) * 255 / (brightest - darkest);
        1_u8 << (i32::from(scaled >= 0) + i32::from(scaled > 255))
    };
    let cell = |value: i32| u64::from(value as u32);
    for brightest in [MOST, MOST - 1] {
        let of = |darkest: i32| move |all, reading| all | class(reading, darkest, brightest);
        let possible = (0..brightest).map(|darkest| (0..=MOST).fold(0, of(darkest)));
        let possible: Vec<u8> = possible.collect();
        for classes in (0..9 + 27).map(|nth: u32| {
            let digits = [nth % 3, nth / 3 % 3, nth.saturating_sub(9) / 9];
            digits.map(|digit| 1_u8 << digit)[..if nth < 9 { 2 } else { 3 }].to_vec()
        }) {
            let mut domains = vec![Set::range(0, cell(MOST)); 2 + classes.len()];
            domains[0] = Set::single(cell(brightest));
            let mut asked = Asked::of(domains);
            let dag = &mut asked.dag;
            let [b, d] = [0, 1].map(|place| dag.input(place, ValType::I32));
            let [scale, none] = [255, 0].map(|value| dag.constant(ValType::I32, value));
            let span = dag.binary(N::I32Sub, b, d);
            let mut constraints = vec![Constraint::new(span, Set::range(1, cell(MOST)))];
            for (place, class) in (2..).zip(&classes) {
                let reading = dag.input(place, ValType::I32);
                let above = dag.binary(N::I32Sub, reading, d);
                let scaled = dag.binary(N::I32Mul, above, scale);
                let scaled = dag.binary(N::I32DivS, scaled, span);
                let is_below = dag.binary(N::I32LtS, scaled, none);
                let is_above = dag.binary(N::I32GtS, scaled, scale);
                let is = |bit: u8| Set::single(u64::from(*class == bit));
                constraints.push(Constraint::new(is_below, is(1)));
                constraints.push(Constraint::new(is_above, is(4)));
            }
            let are = |all: &u8| classes.iter().all(|class| all & class > 0);
            let expected = possible.iter().any(are);
            match asked.solve(&constraints) {
                Solution::Yes(found) => {
                    let of = |place: u32| found.iter().find(|(at, _)| *at == place);
                    let of = |place: u32| of(place).expect("it is an input").1 as i32;
                    for (place, known) in (2..).zip(&classes) {
                        assert_eq!(class(of(place), of(1), brightest), *known);
                    }
                    assert!(expected);
                }
                Solution::No => assert!(!expected, "{classes:?} of {brightest}"),
                open => panic!("{open:?} for {classes:?} of {brightest}"),
            }
        }
    }
}
