//! Recordings that are merged: against the multiset of what was recorded, in any order and grouping.

#![allow(clippy::unwrap_used)] // A test may give up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use borges_store::*;
use proptest::prelude::*;

/// What a run of the test's program decided: values of inputs, or an event in between.
type Choices = Vec<u8>;

/// So many calls, and the program ends.
const CALLS: usize = 8;
/// The choice that is an event.
const EVENT: u8 = 3;

/// A recording: what was decided, and after how many entries it was cut off, if it was.
#[derive(Clone, Debug)]
struct Run {
    choices: Choices,
    cut: Option<usize>,
}

/// An entry as it takes a way.
type Step = (u64, u8, Option<i32>);
/// A way through the program, and how it ends there.
type Way = (Vec<Step>, KeptEnd);
/// How often, and how far the one that goes farthest.
type Seen = BTreeMap<Way2, (u64, u64)>;
/// [`Way`], in an order.
type Way2 = (Vec<Step>, String);

fn key((steps, end): &Way) -> Way2 {
    (steps.clone(), format!("{end:?}"))
}

/// What a run records: what a call is, and when, follows from what came before.
fn record(run: &Run) -> (Vec<KeptEntry>, u64, KeptEnd) {
    let mut entries = Vec::new();
    let (mut steps, mut sum, mut calls) = (0_u64, 0_u64, 0);
    let mut choices = run.choices.iter().copied();
    let mut end = KeptEnd::Open;
    loop {
        if run.cut == Some(entries.len()) {
            break;
        }
        let choice = choices.next().unwrap_or(0);
        let entry = |steps, kind, subject, value| KeptEntry {
            steps,
            kind,
            subject,
            arguments: vec![],
            value,
            data: vec![],
            mocked: false,
        };
        if choice == EVENT {
            steps += 2;
            sum += 11;
            entries.push(entry(steps, EntryKind::Event, 1, None));
        } else if calls == CALLS {
            steps += 4;
            end = match sum % 3 {
                0 => KeptEnd::Trapped("division by zero".into()),
                rest => KeptEnd::Finished(rest.to_string()),
            };
            break;
        } else {
            calls += 1;
            steps += 5 + sum % 2;
            if (sum + calls as u64).is_multiple_of(4) {
                let mut output = entry(steps, EntryKind::Output, 1, None);
                // What was there before is no choice.
                output.data = vec![run.choices.len() as u8];
                entries.push(output);
            } else {
                sum += u64::from(choice);
                let value = Some(KeptValue::I32(choice.into()));
                entries.push(entry(steps, EntryKind::Input, 0, value));
            }
        }
    }
    let reached = match end {
        KeptEnd::Open => steps + run.choices.len() as u64 % 2,
        _ => steps,
    };
    (entries, reached, end)
}

fn step(entry: &KeptEntry) -> Step {
    let kind = match entry.kind {
        EntryKind::Input => 0,
        EntryKind::Output => 1,
        EntryKind::Event => 2,
    };
    let value = entry.value.map(|value| match value {
        KeptValue::I32(value) => value,
        other => panic!("{other:?}"),
    });
    (entry.steps, kind, value)
}

fn program() -> NewProgram<'static> {
    NewProgram {
        name: "test.wasm",
        bytes: b"module",
        board: "",
        primitives: &[],
        at_ms: 0,
    }
}

/// What is said of the end of a run: it depends on all that it did, and on how far it goes.
fn said(steps: &[Step], reached: u64) -> String {
    let words = steps.iter().map(|step| format!("{step:?}"));
    let sum: u64 = words.collect::<String>().bytes().map(u64::from).sum();
    format!("{reached} {sum:x}")
}

fn said_of_end(upload: Upload, branch: u32) -> String {
    format!("state {}.{branch}", upload.0)
}

/// Writes runs into one file, the others as branches that leave the first at the first difference.
fn write(path: &Path, runs: &[(Vec<KeptEntry>, u64, KeptEnd)]) {
    let store = Store::create(path).unwrap();
    let upload = store.add_program(&program()).unwrap();
    for (number, (entries, reached, end)) in runs.iter().enumerate() {
        let branch = number as u32;
        let mut rest = &entries[..];
        if number > 0 {
            let pairs = runs[0].0.iter().zip(entries);
            let same = pairs.take_while(|(a, b)| step(a) == step(b)).count();
            let (parent, position) = (0, same as u32);
            let from = Fork { parent, position };
            store.fork(upload, branch, from, &entries[same]).unwrap();
            rest = &entries[same + 1..];
        }
        store.append(upload, branch, rest).unwrap();
        store.set_end(upload, branch, *reached, end).unwrap();
        let steps: Vec<Step> = entries.iter().map(step).collect();
        let key = said_of_end(upload, branch);
        store.set_setting(&key, &said(&steps, *reached)).unwrap();
    }
    store.flush().unwrap();
}

/// Merges files; how many were, and why the others were not.
fn merge(files: &[PathBuf], output: &Path) -> (Vec<Merged>, Vec<String>) {
    let mut merge = Merge::create(output, &program(), said_of_end).unwrap();
    let (mut merged, mut refused) = (Vec::new(), Vec::new());
    let open = |path: &Path| MergeInput::open(path, said_of_end);
    let mut each = |_: usize, result: Result<Merged, Unmerged<StoreError>>| match result {
        Ok(one) => merged.push(one),
        Err(why) => refused.push(format!("{why:?}")),
    };
    merge.add_all(files, &open, &mut each, &mut || true);
    merge.finish().unwrap();
    (merged, refused)
}

/// The entries on the way to a place.
fn path_to(store: &Store, branch: u32, position: u32) -> Vec<Step> {
    let branches = store.branches(Upload(0)).unwrap();
    let mut at = branches.iter().find(|one| one.branch == branch).unwrap();
    let (mut steps, mut end) = (Vec::new(), position);
    loop {
        let fork = at.fork.map_or(0, |fork| fork.position);
        let own = store.entries(Upload(0), at.branch, fork..end).unwrap();
        steps.splice(0..0, own.iter().map(step));
        let Some(from) = at.fork else {
            return steps;
        };
        end = end.min(from.position);
        at = branches
            .iter()
            .find(|one| one.branch == from.parent)
            .unwrap();
    }
}

/// What a merged file counts.
fn seen(store: &Store) -> Seen {
    let runs = store.runs(Upload(0)).unwrap();
    let rows = runs.into_iter().map(|runs| {
        let way = (path_to(store, runs.branch, runs.position), runs.end);
        (key(&way), (runs.count, runs.reached))
    });
    rows.collect()
}

/// What there is to count.
fn counted(runs: &[Run]) -> Seen {
    let mut seen = Seen::new();
    for run in runs {
        let (entries, reached, end) = record(run);
        let way = (entries.iter().map(step).collect(), end);
        let (count, farthest) = seen.entry(key(&way)).or_default();
        (*count, *farthest) = (*count + 1, reached.max(*farthest));
    }
    seen
}

/// How many runs took each way of those that leave a place where there are several.
fn forks(runs: &[Run]) -> BTreeMap<Vec<Step>, i64> {
    let mut ways: BTreeMap<Vec<Step>, i64> = BTreeMap::new();
    for run in runs {
        let steps: Vec<Step> = record(run).0.iter().map(step).collect();
        for length in 1..=steps.len() {
            *ways.entry(steps[..length].to_vec()).or_default() += 1;
        }
    }
    let all: Vec<Vec<Step>> = ways.keys().cloned().collect();
    let mut before: BTreeMap<&[Step], u32> = BTreeMap::new();
    for way in &all {
        *before.entry(&way[..way.len() - 1]).or_default() += 1;
    }
    ways.retain(|way, _| before[&way[..way.len() - 1]] > 1);
    ways
}

/// The same by the view.
fn ways(store: &mut Store) -> BTreeMap<Vec<Step>, i64> {
    let sql = "SELECT universe, branch, runs FROM ways";
    let rows = store.query(sql, QueryBounds::default()).unwrap().rows;
    let way = |row: Vec<QueryCell>| {
        let [
            QueryCell::Text(universe),
            QueryCell::Integer(branch),
            QueryCell::Integer(runs),
        ] = &row[..]
        else {
            panic!("{row:?}");
        };
        let position: u32 = universe.split_once('.').unwrap().1.parse().unwrap();
        (path_to(store, *branch as u32, position + 1), *runs)
    };
    rows.into_iter().map(way).collect()
}

/// Each entry is there once: as many as there are beginnings.
fn beginnings(runs: &[Run]) -> usize {
    let mut all = BTreeSet::new();
    for run in runs {
        let steps: Vec<Step> = record(run).0.iter().map(step).collect();
        all.extend((1..=steps.len()).map(|length| steps[..length].to_vec()));
    }
    all.len()
}

fn check(file: &Path, runs: &[Run]) {
    let mut store = Store::open(file, Access::Write).unwrap();
    assert_eq!(store.damage(), []);
    assert_eq!(seen(&store), counted(runs));
    assert_eq!(ways(&mut store), forks(runs));
    let branches = store.branches(Upload(0)).unwrap();
    let entries: u32 = branches.iter().map(|branch| branch.length).sum();
    assert_eq!(entries as usize, beginnings(runs));
    // What is said of an end is said of the one that the branch has now.
    for branch in branches {
        let key = said_of_end(Upload(0), branch.branch);
        let fork = branch.fork.map_or(0, |fork| fork.position);
        let steps = path_to(&store, branch.branch, fork + branch.length);
        if let Some(kept) = store.setting(&key).unwrap() {
            assert_eq!(kept, said(&steps, branch.reached));
        }
    }
}

fn a_run() -> impl Strategy<Value = Run> {
    let choice = prop_oneof![4 => Just(0_u8), 2 => 1..3_u8, 1 => Just(EVENT)];
    let choices = prop::collection::vec(choice, 0..10);
    let cut = prop::option::of(0..11_usize);
    (choices, cut).prop_map(|(choices, cut)| Run { choices, cut })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// In one go, the other way round, and some of them first: the same ways, as often.
    #[test]
    fn merging_counts_what_was_recorded(runs in prop::collection::vec(a_run(), 1..14), split in 0..14_usize) {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let mut files = Vec::new();
        for (number, run) in runs.iter().enumerate() {
            files.push(file(&format!("{number}.borges")));
            write(&files[number], &[record(run)]);
        }
        let whole = file("whole");
        let (merged, refused) = merge(&files, &whole);
        prop_assert_eq!(refused, Vec::<String>::new());
        prop_assert!(merged.iter().all(|one| one.runs == 1));
        check(&whole, &runs);
        let said = Store::open(&whole, Access::Read).unwrap().setting(&said_of_end(Upload(0), 0));
        prop_assert!(said.unwrap().is_some());

        let turned: Vec<PathBuf> = files.iter().rev().cloned().collect();
        merge(&turned, &file("turned"));
        check(&file("turned"), &runs);

        let (some, others) = files.split_at(split.min(files.len()));
        merge(some, &file("some"));
        merge(others, &file("others"));
        let (merged, refused) = merge(&[file("others"), file("some")], &file("both"));
        prop_assert_eq!(refused, Vec::<String>::new());
        prop_assert_eq!(merged.iter().map(|one| one.runs).sum::<u64>(), runs.len() as u64);
        check(&file("both"), &runs);

        // Every file's name leads to where it ended.
        let mut store = Store::open(&file("both"), Access::Write).unwrap();
        let sql = "SELECT name, universe, ending FROM sources ORDER BY name";
        let rows = store.query(sql, QueryBounds::default()).unwrap().rows;
        prop_assert_eq!(rows.len(), runs.len());
        for row in rows {
            let [QueryCell::Text(name), QueryCell::Text(universe), QueryCell::Text(ending)] = &row[..] else {
                panic!("{row:?}");
            };
            let number = files.iter().position(|file| file.display().to_string() == *name).unwrap();
            let (branch, position) = universe.split_once('.').unwrap();
            let steps = path_to(&store, branch.parse().unwrap(), position.parse().unwrap());
            let (entries, _, end) = record(&runs[number]);
            prop_assert_eq!(steps, entries.iter().map(step).collect::<Vec<_>>());
            let word = match end {
                KeptEnd::Open => "open",
                KeptEnd::Finished(_) => "finished",
                KeptEnd::Trapped(_) => "trapped",
            };
            prop_assert_eq!(ending, word);
        }
    }
}

fn run(choices: &[u8], cut: Option<usize>) -> Run {
    let choices = choices.to_vec();
    Run { choices, cut }
}

/// Where one ends and another goes on by an event, the counts do not depend on which of them came first.
#[test]
fn an_end_is_no_way() {
    let folder = tempfile::tempdir().unwrap();
    let ends = run(&[0; CALLS], None);
    let goes_on = run(&[&[0; CALLS][..], &[EVENT]].concat(), None);
    for (number, runs) in [[&ends, &goes_on], [&goes_on, &ends]]
        .into_iter()
        .enumerate()
    {
        let runs = runs.map(Run::clone);
        let files = [0, 1].map(|file| folder.path().join(format!("{number}{file}")));
        for (file, run) in files.iter().zip(&runs) {
            write(file, &[record(run)]);
        }
        let merged = folder.path().join(format!("{number}"));
        let (_, refused) = merge(&files, &merged);
        assert_eq!(refused, [""; 0]);
        check(&merged, &runs);
    }
}

/// A session with branches is as many recordings as it has ends, but for those that a mock has decided.
#[test]
fn branches_of_a_session_count_unless_they_are_mocked() {
    let folder = tempfile::tempdir().unwrap();
    let [file, merged] = ["session", "merged"].map(|name| folder.path().join(name));
    let runs = [
        run(&[0, 0, 1], None),
        run(&[0, 0, 2], None),
        run(&[0, 1], None),
    ];
    let mut recorded: Vec<_> = runs.iter().map(record).collect();
    recorded[2].0[1].mocked = true;
    write(&file, &recorded);
    let (done, refused) = merge(&[file], &merged);
    assert_eq!(refused, [""; 0]);
    assert_eq!(done[0].runs, 2);
    let store = Store::open(&merged, Access::Read).unwrap();
    assert_eq!(store.branches(Upload(0)).unwrap().len(), 3);
    assert_eq!(seen(&store), counted(&runs[..2]));
}

/// Blocks of entries are handed on together: at their ends, and one past them, recordings part like anywhere else.
#[test]
fn recordings_part_at_the_ends_of_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let entry = |steps: u64, value| KeptEntry {
        steps,
        kind: EntryKind::Input,
        subject: 0,
        arguments: vec![KeptValue::I32(1)],
        value: Some(KeptValue::I32(value)),
        data: vec![],
        mocked: false,
    };
    let length = 2_100_u64;
    let straight: Vec<KeptEntry> = (1..=length).map(|steps| entry(steps, 0)).collect();
    let mut files = Vec::new();
    for part in [0, 1, 1023, 1024, 1025, 2047, 2048, 2099] {
        let mut entries = straight.clone();
        for (n, entry) in entries.iter_mut().enumerate().skip(part) {
            entry.value = Some(KeptValue::I32(1 + n as i32));
        }
        files.push(folder.path().join(format!("{part}")));
        write(&files[files.len() - 1], &[(entries, length, KeptEnd::Open)]);
    }
    files.push(folder.path().join("straight"));
    write(&files[8], &[(straight, length, KeptEnd::Open)]);
    let merged = folder.path().join("merged");
    let (done, refused) = merge(&files, &merged);
    assert_eq!(refused, [""; 0]);
    let new: u64 = done.iter().map(|one| one.new).sum();
    let store = Store::open(&merged, Access::Read).unwrap();
    assert_eq!(store.damage(), []);
    assert_eq!(store.branches(Upload(0)).unwrap().len(), 9);
    assert_eq!(seen(&store).len(), 9);
    // The first has 2,100, each of the others what lies behind its fork.
    let own = [2100, 2100, 2099, 1077, 1076, 1075, 53, 52, 1]
        .iter()
        .sum::<u64>();
    assert_eq!(new, own);
}

/// What no run of the program can do after what the others did is of something else: nothing of it is merged.
#[test]
fn what_contradicts_is_refused_and_leaves_nothing() {
    let base = record(&run(&[0, 1, 2], None));
    type Change = fn(&mut (Vec<KeptEntry>, u64, KeptEnd));
    let changes: [(&str, Change); 6] = [
        ("another call", |(entries, _, _)| entries[2].subject = 7),
        ("at another step", |(entries, _, _)| entries[2].steps += 1),
        ("another outcome", |(_, _, end)| {
            *end = KeptEnd::Finished("7".into())
        }),
        ("farther than its end", |(_, reached, end)| {
            (*reached, *end) = (*reached + 1, KeptEnd::Open);
        }),
        ("an end where others go on", |(entries, reached, _)| {
            entries.truncate(3);
            *reached = entries[2].steps;
        }),
        ("a call after the end", |(entries, reached, _)| {
            let mut more = entries[entries.len() - 1].clone();
            more.steps = *reached + 1;
            *reached += 1;
            entries.push(more);
        }),
    ];
    let folder = tempfile::tempdir().unwrap();
    let [good, other] = ["good", "other"].map(|name| folder.path().join(name));
    write(&good, std::slice::from_ref(&base));
    write(&other, &[record(&run(&[0, 2], None))]);
    for (number, (what, change)) in changes.into_iter().enumerate() {
        let [bad, merged] =
            ["bad", "merged"].map(|name| folder.path().join(format!("{name}{number}")));
        let mut changed = base.clone();
        change(&mut changed);
        write(&bad, &[changed]);
        let files = [good.clone(), bad, other.clone()];
        let (done, refused) = merge(&files, &merged);
        assert_eq!((done.len(), refused.len()), (2, 1), "{what}");
        assert!(refused[0].contains("Contradicts"), "{what}: {refused:?}");
        check(&merged, &[run(&[0, 1, 2], None), run(&[0, 2], None)]);
    }
}

/// A file that is cut off, or in which a byte was changed, is refused as a whole.
#[test]
fn damaged_recordings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [good, bad, merged] = ["good", "bad", "merged"].map(|name| folder.path().join(name));
    let runs = [run(&[0, 1, 2], None)];
    write(&good, &[record(&runs[0])]);
    let bytes = std::fs::read(&good).unwrap();
    let mut spoiled = 0;
    for at in (100..bytes.len()).step_by(997) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        std::fs::write(&bad, &damaged).unwrap();
        let _none = std::fs::remove_file(&merged);
        let (done, refused) = merge(&[bad.clone(), good.clone()], &merged);
        // What lies where nothing is written is no damage.
        let times = done.len();
        assert_eq!(times + refused.len(), 2);
        spoiled += refused.len();
        check(&merged, &vec![runs[0].clone(); times]);
    }
    assert!(spoiled > 3, "{spoiled}");
    std::fs::write(&bad, &bytes[..bytes.len() / 2 + 7]).unwrap();
    std::fs::remove_file(&merged).unwrap();
    let (done, refused) = merge(&[bad, good], &merged);
    assert_eq!((done.len(), refused.len()), (1, 1));
}

/// A recording that is being written is merged as far as it is saved.
#[test]
fn a_recording_that_is_written_is_merged_as_far_as_it_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let [file, merged] = ["file", "merged"].map(|name| folder.path().join(name));
    let (entries, ..) = record(&run(&[0, 1, 2], None));
    let store = Store::create(&file).unwrap();
    let upload = store.add_program(&program()).unwrap();
    store.append(upload, 0, &entries[..2]).unwrap();
    store
        .set_end(upload, 0, entries[1].steps, &KeptEnd::Open)
        .unwrap();
    store.flush().unwrap();
    store.append(upload, 0, &entries[2..]).unwrap();
    let (done, refused) = merge(&[file], &merged);
    assert_eq!((done.len(), refused.len()), (1, 0));
    check(&merged, &[run(&[0, 1], Some(2))]);
}

/// Who says no keeps whole recordings.
#[test]
fn what_is_stopped_keeps_whole_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let runs: Vec<Run> = (0..3).map(|n| run(&[0, n], None)).collect();
    let files: Vec<PathBuf> = (0..3).map(|n| folder.path().join(format!("{n}"))).collect();
    for (file, run) in files.iter().zip(&runs) {
        write(file, &[record(run)]);
    }
    for pieces in 0..10 {
        let output = folder.path().join(format!("merged{pieces}"));
        let mut merge = Merge::create(&output, &program(), said_of_end).unwrap();
        let mut done = 0;
        let open = |path: &Path| MergeInput::open(path, said_of_end);
        let mut left = pieces;
        let mut goes_on = || {
            left -= 1;
            left >= 0
        };
        merge.add_all(
            &files,
            &open,
            &mut |_, result: Result<Merged, Unmerged<StoreError>>| {
                done += usize::from(result.is_ok())
            },
            &mut goes_on,
        );
        merge.finish().unwrap();
        // A branch, its entries, its end.
        assert_eq!(done, (pieces as usize / 3).min(3));
        check(&output, &runs[..done]);
    }
}
