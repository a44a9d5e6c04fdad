//! Paths as they travel: one has most in common with the path that was found before it, and that is not sent again.

use serde::{Deserialize, Serialize};

use crate::constraint::Constraint;
use crate::dag::{Dag, Expr};
use crate::path::{Decision, Delivered, End, Path, Read, Way};

/// So much, all in all, is taken over from paths before: a short message must not come to more than memory has room for.
const MOST_KEPT: usize = 1 << 24;

/// A list that begins as another one.
#[derive(Serialize, Deserialize)]
pub(super) struct Tail<T> {
    kept: u32,
    rest: T,
}

/// A way; it begins as the first way of the path before.
#[derive(Serialize, Deserialize)]
pub(super) struct SentWay<R, C, M> {
    reads: Tail<R>,
    constraints: Tail<C>,
    model: Tail<M>,
}

/// A path with what its branches come to.
#[derive(Serialize, Deserialize)]
pub(super) struct SentPath<V, O, W> {
    trail: u128,
    end: End,
    steps: u64,
    events: V,
    outcomes: Tail<O>,
    ways: Vec<W>,
}

/// To be read.
pub(super) type ArrivedPath =
    SentPath<Vec<Delivered>, Vec<Decision>, SentWay<Vec<Read>, Vec<Constraint>, Vec<u64>>>;

/// To be written.
type LeavingPath<'p> =
    SentPath<&'p [Delivered], &'p [Decision], SentWay<&'p [Read], &'p [Constraint], &'p [u64]>>;

impl<'l, T: PartialEq> Tail<&'l [T]> {
    /// What is not as it was before.
    fn of(list: &'l [T], before: &[T]) -> Self {
        let pairs = list.iter().zip(before);
        let kept = pairs.take_while(|(one, other)| one == other).count();
        Tail {
            kept: kept as u32,
            rest: &list[kept..],
        }
    }
}

impl<T: Clone> Tail<Vec<T>> {
    /// All of it; nothing if there is not so much before.
    fn whole(self, before: &[T]) -> Option<Vec<T>> {
        let kept = before.get(..self.kept as usize)?;
        if kept.is_empty() {
            return Some(self.rest);
        }
        let mut whole = Vec::with_capacity(kept.len() + self.rest.len());
        whole.extend_from_slice(kept);
        whole.extend(self.rest);
        Some(whole)
    }
}

/// What a path has in common with the one before it.
#[derive(Clone, Copy, Default)]
struct Before<'b> {
    outcomes: &'b [Decision],
    reads: &'b [Read],
    constraints: &'b [Constraint],
    model: &'b [u64],
}

impl<'b> Before<'b> {
    /// What the path has that comes next; those of which only the end is known are passed over.
    fn then(self, path: &'b Path) -> Self {
        match path.ways.first() {
            None => self,
            Some(way) => Before {
                outcomes: &path.outcomes,
                reads: &way.reads,
                constraints: &way.constraints,
                model: &way.model,
            },
        }
    }
}

/// Paths as they are sent, in their order.
pub(super) fn leaving(paths: &[(u128, Path)]) -> Vec<LeavingPath<'_>> {
    let mut before = Before::default();
    let mut all = Vec::with_capacity(paths.len());
    for (trail, path) in paths {
        let ways = path.ways.iter().map(|way| SentWay {
            reads: Tail::of(&way.reads, before.reads),
            constraints: Tail::of(&way.constraints, before.constraints),
            model: Tail::of(&way.model, before.model),
        });
        all.push(SentPath {
            trail: *trail,
            end: path.end.clone(),
            steps: path.steps,
            events: &path.events[..],
            outcomes: Tail::of(&path.outcomes, before.outcomes),
            ways: ways.collect(),
        });
        before = before.then(path);
    }
    all
}

/// Paths of ours from what was sent: their constraints are about `made` instead of the numbers that were sent. Nothing if
/// one makes no sense.
pub(super) fn arrive(
    sent: Vec<ArrivedPath>,
    dag: &Dag,
    made: &[Expr],
) -> Option<Vec<(u128, Path)>> {
    let mut paths: Vec<(u128, Path)> = Vec::with_capacity(sent.len());
    let mut kept = 0;
    // The last one of which there is more than the end.
    let mut last = None;
    for path in sent {
        let before = last.map(|last: usize| &paths[last].1);
        let before = before.map_or_else(Before::default, |path| Before::default().then(path));
        let ways = path.ways.into_iter().map(|way| {
            let SentWay {
                reads,
                constraints,
                model,
            } = &way;
            for list in [reads.kept, constraints.kept, model.kept] {
                kept += list as usize;
            }
            (kept <= MOST_KEPT).then_some(())?;
            arrive_way(way, before, dag, made)
        });
        let ways = ways.collect::<Option<Vec<Way>>>()?;
        if ways.is_empty() && matches!(path.end, End::Cut(_)) {
            return None;
        }
        kept += path.outcomes.kept as usize;
        (kept <= MOST_KEPT).then_some(())?;
        let found = Path {
            outcomes: path.outcomes.whole(before.outcomes)?,
            end: path.end,
            ways,
            steps: path.steps,
            events: path.events,
        };
        if !found.ways.is_empty() {
            last = Some(paths.len());
        }
        paths.push((path.trail, found));
    }
    Some(paths)
}

fn arrive_way(
    mut way: SentWay<Vec<Read>, Vec<Constraint>, Vec<u64>>,
    before: Before<'_>,
    dag: &Dag,
    made: &[Expr],
) -> Option<Way> {
    for constraint in &mut way.constraints.rest {
        constraint.expr = *made.get(constraint.expr.index())?;
    }
    // What was looked at before is not looked at again.
    let known = way.reads.kept.min(way.model.kept) as usize;
    let reads = way.reads.whole(before.reads)?;
    let model = way.model.whole(before.model)?;
    let mut answers = reads.iter().zip(&model).skip(known);
    let is_one =
        reads.len() == model.len() && answers.all(|(read, cell)| read.domain.contains(*cell));
    is_one.then_some(())?;
    let constraints = way.constraints.whole(before.constraints)?;
    let is_about_them = |constraint: &Constraint| {
        let last = dag.inputs(constraint.expr).last();
        last.is_none_or(|last| (*last as usize) < reads.len())
    };
    constraints.iter().all(is_about_them).then_some(())?;
    Some(Way {
        reads,
        constraints,
        model,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(model: Vec<u64>) -> Path {
        Path {
            outcomes: Vec::new(),
            end: End::Returned,
            ways: vec![Way {
                reads: Vec::new(),
                constraints: Vec::new(),
                model,
            }],
            steps: 0,
            events: Vec::new(),
        }
    }

    /// Of paths without inputs: what is said of them makes no sense where they answer any.
    fn arrived(sent: &[LeavingPath<'_>]) -> Option<Vec<(u128, Path)>> {
        let bytes = postcard::to_allocvec(sent).expect("room");
        arrive(
            postcard::from_bytes(&bytes).expect("paths"),
            &Dag::default(),
            &[],
        )
    }

    #[test]
    fn what_a_path_has_in_common_with_the_last_one_is_not_sent_again() {
        let mut thinned = path(Vec::new());
        thinned.ways.clear();
        let paths = [path(vec![1, 2, 3]), thinned, path(vec![1, 2, 4, 5])];
        let paths = paths.map(|path| (7, path));
        let sent = leaving(&paths);
        assert!(sent[1].ways.is_empty());
        assert_eq!(sent[2].ways[0].model.kept, 2);
        assert_eq!(sent[2].ways[0].model.rest, [4, 5]);
    }

    #[test]
    fn nothing_is_taken_over_that_was_not_there() {
        let paths = [(7, path(Vec::new())), (8, path(Vec::new()))];
        let mut sent = leaving(&paths);
        assert_eq!(arrived(&sent).as_deref(), Some(&paths[..]));
        sent[1].ways[0].model.kept = 1;
        assert_eq!(arrived(&sent), None);
    }

    #[test]
    fn not_more_is_taken_over_than_there_is_room_for() {
        let decisions = vec![
            Decision {
                at: borges_vm::CodeOffset(1),
                taken: 1,
            };
            1 << 12
        ];
        let mut one = path(Vec::new());
        one.outcomes = decisions;
        for (count, is_fine) in [(MOST_KEPT >> 12, true), ((MOST_KEPT >> 12) + 1, false)] {
            // The first one takes nothing over; the others are not as long here as they come to be there.
            let paths = [(7, one.clone())];
            let mut sent = leaving(&paths);
            sent.extend((0..count).map(|_| SentPath {
                trail: 8,
                end: End::Returned,
                steps: 0,
                events: &[][..],
                outcomes: Tail {
                    kept: 1 << 12,
                    rest: &[][..],
                },
                ways: vec![SentWay {
                    reads: Tail::of(&[], &[]),
                    constraints: Tail::of(&[], &[]),
                    model: Tail::of(&[], &[]),
                }],
            }));
            assert_eq!(arrived(&sent).is_some(), is_fine, "{count}");
        }
    }
}
