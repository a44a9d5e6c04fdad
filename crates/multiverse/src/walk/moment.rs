//! Universes by name: the choices that lead to them.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::{Walk, WalkError};
use crate::language::Language;

/// A choice of a [`Moment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pick {
    /// The number of steps before it in which there was nothing to choose.
    pub after: u64,
    /// The position of the choice among the options.
    pub option: u32,
}

/// The name of a universe: the choices on the way to it, and the number of steps after the last.
///
/// It means the same in every process that has the same program. As text, which fits a URL, it is
/// the picks as `after.option` and the final steps, with dashes between: `0.1-3.0-2`; the start is
/// `0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moment {
    /// What was chosen, wherever there was a choice.
    pub picks: Vec<Pick>,
    /// The number of steps after the last pick.
    pub after: u64,
}

/// Why a text is no moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("part {part} of the moment is not {expected}; a moment looks like 0.1-3.0-2")]
pub struct MomentError {
    /// Which of the parts between dashes, from 1.
    pub part: usize,
    /// What the part should be.
    pub expected: &'static str,
    /// What is wrong with its number.
    #[source]
    pub source: Option<ParseIntError>,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Pick { after, option } in &self.picks {
            write!(f, "{after}.{option}-")?;
        }
        self.after.fmt(f)
    }
}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let (picks, last) = match text.rsplit_once('-') {
            Some((picks, last)) => (Some(picks), last),
            None => (None, text),
        };
        let parts = picks
            .into_iter()
            .flat_map(|picks| picks.split('-'))
            .zip(1..);
        let picks = parts
            .map(|(text, part)| pick(text, part))
            .collect::<Result<Vec<_>, _>>()?;
        let expected = "a number of steps";
        let part = picks.len() + 1;
        let after = last.parse().map_err(|e| MomentError {
            part,
            expected,
            source: Some(e),
        })?;
        Ok(Self { picks, after })
    }
}

fn pick(text: &str, part: usize) -> Result<Pick, MomentError> {
    let error = |source| MomentError {
        part,
        expected: "two numbers with a dot between",
        source,
    };
    let (after, option) = text.split_once('.').ok_or_else(|| error(None))?;
    Ok(Pick {
        after: after.parse().map_err(|e| error(Some(e)))?,
        option: option.parse().map_err(|e| error(Some(e)))?,
    })
}

impl<L: Language> Walk<L> {
    /// The name of the universe in which the walk stands.
    #[must_use]
    pub fn moment(&self) -> Moment {
        let mut moment = Moment::default();
        for (_, taken) in self.tree.path(self.place).into_iter().flatten() {
            if taken.options > 1 {
                moment.picks.push(Pick {
                    after: moment.after,
                    option: taken.option,
                });
                moment.after = 0;
            } else {
                moment.after += 1;
            }
        }
        moment
    }

    /// Goes to the universe that `moment` names, visited before or not. Breakpoints do not fire.
    ///
    /// # Errors
    /// [`WalkError::Moment`] if the program has no such moment, [`WalkError::TooFar`] if it lies
    /// more than `limit` steps from the start. The walk then stays where it was; the universes
    /// up to there count as visited.
    pub fn go(&mut self, moment: &Moment, limit: u64) -> Result<(), WalkError> {
        let home = self.place;
        let breakpoints = std::mem::take(&mut self.breakpoints);
        let went = self.follow(moment, limit);
        self.breakpoints = breakpoints;
        if went.is_err() {
            self.jump(home)?;
        }
        went
    }

    fn follow(&mut self, moment: &Moment, limit: u64) -> Result<(), WalkError> {
        self.jump(crate::tree::Place::ROOT)?;
        let mut left = limit;
        for Pick { after, option } in &moment.picks {
            self.glide(*after, &mut left, limit)?;
            let chosen = self.options.len() > 1;
            left = left.checked_sub(1).ok_or(WalkError::TooFar(limit))?;
            let step = u64::from(self.place.index);
            if !chosen || self.forward(*option as usize).is_err() {
                return Err(WalkError::Moment { step });
            }
        }
        self.glide(moment.after, &mut left, limit)
    }

    /// Takes `steps` steps where there is nothing to choose.
    fn glide(&mut self, steps: u64, left: &mut u64, limit: u64) -> Result<(), WalkError> {
        for _ in 0..steps {
            *left = left.checked_sub(1).ok_or(WalkError::TooFar(limit))?;
            if self.options.len() != 1 {
                return Err(WalkError::Moment {
                    step: self.place.index.into(),
                });
            }
            self.forward(0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_moments_are_inverse() {
        for text in [
            "0",
            "7",
            "0.1-0",
            "0.1-3.0-2",
            "18446744073709551615.4294967295-1",
        ] {
            assert_eq!(text.parse::<Moment>().unwrap().to_string(), text);
        }
        let part = |text: &str| text.parse::<Moment>().unwrap_err().part;
        let wrong = [
            "",
            "-",
            "1-1",
            "0.1",
            "0.1-x",
            "0.x-1",
            "0.1--1",
            "99999999999999999999",
        ];
        assert_eq!(wrong.map(part), [1, 1, 1, 1, 2, 1, 2, 1]);
        let error = "0.1-x.2-3".parse::<Moment>().unwrap_err();
        let words = "part 2 of the moment is not two numbers with a dot between; a moment looks like 0.1-3.0-2";
        assert_eq!(error.to_string(), words);
    }
}
