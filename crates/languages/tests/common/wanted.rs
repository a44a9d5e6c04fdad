//! What a language tells of states before it makes them.

use borges_multiverse::fingerprint::Digest;
use borges_multiverse::language::Language;

/// Checks a state from which all steps are wanted, every other one, and none. Gives where its steps lead.
pub(crate) fn check_wanted<L: Language, F: Digest>(
    language: &L,
    state: &L::State,
) -> Vec<L::State> {
    let mut steps = Vec::new();
    language.expand(state, &mut steps);
    let nexts: Vec<_> = steps.into_iter().map(|(_, next)| next.state).collect();
    let expected: Vec<_> = nexts.iter().map(F::digest).collect();
    for every in [1, 2, usize::MAX] {
        let mut wanted = Vec::new();
        let sift = |digests: &[F], places: &mut Vec<usize>| {
            assert_eq!(digests, expected);
            places.extend((0..digests.len()).skip(every - 1).step_by(every));
        };
        language.expand_wanted(state, sift, &mut wanted);
        let made = nexts.iter().skip(every - 1).step_by(every);
        assert!(wanted.iter().eq(made), "steps by {every}");
    }
    nexts
}
