//! Priorities: which agents make room for others.
//!
//! A program whose agents have priorities is the same program with fewer steps, so a priority is a *filter* of what is
//! enabled: a language (or an adaptor) leaves the foremost of the steps that there are, in [`Language::enabled`], and graphs,
//! classes of runs, walks and schedules, which ask that and nothing else, know of no other. With equal priorities nothing is
//! left out; with any, nothing is invented, and who could act does so unless another one is before it.
//!
//! # What a filtered step touches
//! Whether an agent may act depends now on those that go before it. So its steps *read*, of each of these, whatever decides
//! whether that one can act, and whoever changes this *writes* it, as for any resource. Without that, reductions
//! ([`Classes`]) would take two steps for independent of which the one keeps the other from happening.
//!
//! [`Language::enabled`]: crate::language::Language::enabled
//! [`Classes`]: crate::causality::Classes

/// Leaves of `steps`, in their order, those of the highest priority among them; who has none acts whenever it can, and
/// holds nobody up.
pub fn foremost<T, P: Ord>(steps: &mut Vec<T>, priority: impl FnMut(&T) -> Option<P>) {
    let priorities: Vec<_> = steps.iter().map(priority).collect();
    let highest = priorities.iter().flatten().max();
    let mut each = priorities.iter().map(Option::as_ref);
    steps.retain(|_| each.next().flatten().is_none_or(|own| Some(own) == highest));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(steps: &[(char, Option<u8>)]) -> String {
        let mut steps = steps.to_vec();
        foremost(&mut steps, |(_, priority)| *priority);
        steps.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn the_highest_and_those_without_a_priority_are_left() {
        assert_eq!(left(&[]), "");
        assert_eq!(left(&[('a', None), ('b', None)]), "ab");
        assert_eq!(left(&[('a', Some(1)), ('b', Some(1))]), "ab");
        let mixed = [('a', Some(0)), ('b', None), ('c', Some(2)), ('d', Some(1))];
        assert_eq!(left(&mixed), "bc");
        assert_eq!(left(&[mixed[0], mixed[1], mixed[3], mixed[3]]), "bdd");
        assert_eq!(left(&mixed[..2]), "ab", "the lowest, where no other can");
    }
}
