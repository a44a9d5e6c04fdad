//! The stage alone: a program and what is recorded of it, without a file or a device.

use std::path::Path;

use super::{Stage, universe_id};
use crate::command::unobserved;
use crate::error::CommandError;
use crate::history::entry::Moment;
use crate::history::tests::{DIAL, go_on};
use crate::options::Options;
use crate::program::Opened;

fn dial() -> Stage {
    let opened = Opened::read((Path::new(DIAL), &[]), None, None, None);
    Stage::new(opened.expect("the example opens"), 0, &Options::new(DIAL))
}

/// Two branches, and moments of both with the states there.
fn recorded(stage: &mut Stage) -> Vec<(Moment, borges_vm::StateHash)> {
    let mut seen = Vec::new();
    for first in [0, 4] {
        for _ in 0..10 {
            go_on(&mut stage.history, 31, first);
            seen.push((stage.history.here(), stage.history.twin().hash()));
        }
        let (middle, _) = seen[4];
        let sought = stage.history.seek(middle, &mut unobserved);
        sought.expect("it is known");
    }
    seen
}

#[test]
fn all_names_of_a_moment_name_it() {
    let mut stage = dial();
    for (at, _) in recorded(&mut stage) {
        let number = universe_id(&stage.history, at).to_string();
        let names = [number, stage.moment_text(at)];
        for name in names {
            let named = stage.moment_named(&name, &mut unobserved);
            assert_eq!(named.expect("it has this name"), at, "{name}");
        }
    }
}

#[test]
fn a_moment_as_text_leads_to_the_same_state_where_nothing_was_recorded() {
    let mut stage = dial();
    for (at, hash) in recorded(&mut stage) {
        let text = stage.moment_text(at);
        let mut other = dial();
        let there = other.moment_named(&text, &mut unobserved);
        let there = there.expect("it is of this program");
        other
            .history
            .seek(there, &mut unobserved)
            .expect("it is recorded now");
        assert_eq!(other.history.twin().hash(), hash);
        assert_eq!(other.moment_text(there), text);
    }
}

#[test]
fn who_looks_elsewhere_comes_back_whatever_comes_of_it() {
    let mut stage = dial();
    let seen = recorded(&mut stage);
    let (here, hash) = seen[4];
    for (at, _) in seen {
        let looked = stage.elsewhere(|stage| {
            stage.history.seek(at, &mut unobserved)?;
            Err::<(), _>(CommandError::Invalid("nothing".to_owned()))
        });
        assert!(matches!(looked, Err(CommandError::Invalid(_))));
        assert_eq!(
            (stage.history.here(), stage.history.twin().hash()),
            (here, hash)
        );
    }
}
