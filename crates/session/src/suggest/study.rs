//! How a program's states are looked at: several who look, on threads of their own, make the same of it.

use borges_concolic::{Budget, Comparing, Device, Watched};

use super::Subject;
use super::conditions::Conditions;
use super::options::StatesOptions;

/// A program, and what is looked at in each of its states.
#[derive(Clone)]
pub(super) struct Study<'s> {
    pub(super) subject: &'s Subject,
    pub(super) options: &'s StatesOptions,
    /// Conditions, as they were written.
    pub(super) texts: Vec<String>,
    /// The limits of the board are conditions too.
    pub(super) has_limits: bool,
    /// States are told apart as where something is watched, also if nothing is.
    pub(super) is_watched: bool,
}

impl<'s> Study<'s> {
    /// What looks at the same, and tells states apart by it also if it is nothing, if they are `is_watched`.
    pub(super) fn of(
        conditions: &Conditions<'s>,
        options: &'s StatesOptions,
        is_watched: bool,
    ) -> Self {
        Self {
            subject: conditions.subject(),
            options,
            texts: conditions.texts(),
            has_limits: !conditions.limits().is_empty(),
            is_watched,
        }
    }

    /// Its conditions.
    ///
    /// # Errors
    /// What is wrong with one; nothing of those that were made before.
    pub(super) fn made(&self) -> Result<Conditions<'s>, String> {
        let conditions = Conditions::new(self.subject, &self.texts)?;
        match self.has_limits {
            true => conditions.with_limits(),
            false => Ok(conditions),
        }
    }

    /// Conditions that were made before, once more.
    ///
    /// # Panics
    /// They were not.
    pub(super) fn conditions(&self) -> Conditions<'s> {
        self.made().expect("they were made before")
    }

    /// How states are compared where these conditions are watched.
    pub(super) fn watching<'c>(&self, conditions: &'c Conditions<'_>) -> Comparing<'c> {
        let is_watched = self.is_watched || conditions.count() > 0;
        Comparing {
            watched: is_watched.then_some(conditions as &dyn Watched),
            ..Comparing::default()
        }
    }

    /// The program.
    ///
    /// # Panics
    /// There is none.
    pub(super) fn device<'d>(&self, about: Comparing<'d>, budget: &'d Budget<'d>) -> Device<'d> {
        let (start, bounds) = (self.subject.start.clone(), self.options.bounds());
        let device = Device::new(start, bounds, self.options.solver(), about, budget);
        device.expect("it was opened, so there is a program at its start")
    }
}
