//! Causal rollback in walks, the same for actors and threads: an event is undone with exactly what
//! depends on it, and what is undone can happen again.

use borges_languages::ambienttalk::{AmbientTalk, Delivery, Grain, Options};
use borges_languages::muoz::MuOz;
use borges_multiverse::language::{Footprint, Language};
use borges_multiverse::tree::Place;
use borges_multiverse::walk::{Schedule, Walk};

fn example(path: &str) -> String {
    let path = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// A walk to an end, by chance.
fn walked<L: Language>(language: L, seed: u64) -> Walk<L> {
    let mut walk = Walk::new(language);
    walk.run(&mut Schedule::random(seed), 10_000, |_| true)
        .unwrap();
    walk
}

/// A step: where it is kept, what was chosen, who took it, and what it touched.
type Step<L> = (
    Place,
    <L as Language>::Choice,
    <L as Language>::Agent,
    Footprint<<L as Language>::Resource>,
);

/// The steps of the path.
fn steps<L: Language>(walk: &Walk<L>) -> Vec<Step<L>> {
    let (mut steps, mut state) = (Vec::new(), walk.language().initial());
    for (place, taken) in walk.tree().path(walk.place()).unwrap() {
        let choice = taken.choice.clone();
        let agent = walk.language().agent(&state, &choice);
        let footprint = walk.language().footprint(&state, &choice);
        state = walk.language().apply(&state, &choice).unwrap().state;
        steps.push((place, choice, agent, footprint));
    }
    steps
}

/// Undoes each event of a run and does it again.
fn undo_each<L: Language + Clone>(language: &L, seed: u64)
where
    L::State: std::fmt::Debug,
{
    let all = steps(&walked(language.clone(), seed));
    for target in 0..all.len() {
        let mut walk = walked(language.clone(), seed);
        let end = walk.state().clone();
        // Whoever depends on the target, or on one who does; nobody else.
        let mut doomed = vec![target];
        for later in target + 1..all.len() {
            let (_, _, agent, footprint) = &all[later];
            let depends = |earlier: &usize| {
                let (_, _, other, touched) = &all[*earlier];
                agent == other || footprint.conflicts(touched)
            };
            if doomed.iter().any(depends) {
                doomed.push(later);
            }
        }
        let place = |index: &usize| all[*index].0;
        let undone = walk.undo(place(&target)).unwrap();
        let order: Vec<_> = doomed.iter().rev().map(place).collect();
        assert_eq!(undone.events, order);
        let rest = (0..all.len()).filter(|index| !doomed.contains(index));
        let rest: Vec<_> = rest.map(|index| all[index].1.clone()).collect();
        let left: Vec<_> = steps(&walk)
            .into_iter()
            .map(|(_, choice, ..)| choice)
            .collect();
        assert_eq!(left, rest);
        let again: Vec<_> = doomed.iter().map(|index| all[*index].1.clone()).collect();
        walk.take(&again).unwrap();
        assert_eq!(walk.state(), &end);
    }
}

#[test]
fn threads_are_undone_with_their_consequences() {
    for path in [
        "purchase/purchase.oz",
        "philosophers/philosophers.oz",
        "deadlock/deadlock.oz",
    ] {
        let program = MuOz::parse(&example(path)).unwrap();
        for seed in 0..5 {
            undo_each(&&program, seed);
        }
    }
}

#[test]
fn actors_are_undone_with_their_consequences() {
    let program = AmbientTalk::parse(&example("math-actor/math.at"), Options::default()).unwrap();
    for grain in [Grain::Rule, Grain::Visible] {
        for delivery in [Delivery::Immediate, Delivery::Fifo, Delivery::Unordered] {
            // Numbered messages make exact footprints.
            let program = program.with(Options {
                grain,
                delivery,
                numbered: true,
            });
            for seed in 0..5 {
                undo_each(&&program, seed);
            }
        }
    }
}

#[test]
fn undoing_one_clients_message_leaves_the_other_client_alone() {
    let options = Options {
        grain: Grain::Visible,
        numbered: true,
        ..Options::default()
    };
    let program = AmbientTalk::parse(&example("math-actor/math.at"), options).unwrap();
    for seed in 0..20 {
        let mut walk = walked(&program, seed);
        let told = |walk: &Walk<&AmbientTalk>| -> Vec<String> {
            walk.history(u32::MAX)
                .into_iter()
                .map(|past| past.label.text)
                .collect()
        };
        let history = walk.history(u32::MAX);
        let sends = |text: &str| text.contains("double") && text.contains("33");
        let Some(send) = history.iter().find(|past| sends(&past.label.text)) else {
            panic!("client 2 sends: {:?}", told(&walk));
        };
        let agent = send.agent;
        walk.undo(send.place).unwrap();
        let left = walk.history(u32::MAX);
        // Client 2 has not sent; what the others did without that message stays.
        assert!(!left.iter().any(|past| sends(&past.label.text)));
        let first = history
            .iter()
            .position(|past| past.place == send.place)
            .unwrap();
        let before = history[..first].iter().map(|past| &past.label.text);
        assert!(before.eq(left[..first].iter().map(|past| &past.label.text)));
        assert!(left.iter().filter(|past| past.agent == agent).count() < history.len());
    }
}
