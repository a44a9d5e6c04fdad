//! Any language as one type, with its names.

use std::rc::Rc;

use borges_multiverse::adapt::erased::{Hidden, HiddenState, HiddenStep, Name, PartName};

use crate::datum::Datum;
use crate::predicate::{Kind, Named, Standing, forwarded};

/// A language of which only the behaviour is known.
pub type Erased = Rc<
    dyn Named<
            State = HiddenState,
            Choice = HiddenStep,
            Agent = Name,
            Resource = PartName,
            Value = Name,
        >,
>;

/// Hides which language it is.
pub(super) fn erased<L>(language: L) -> Erased
where
    L: Named<State: 'static, Choice: 'static, Agent: 'static, Resource: 'static, Value: 'static>
        + 'static,
{
    Rc::new(Hidden(language))
}

impl<L> Named for Hidden<L>
where
    L: Named<State: 'static, Choice: 'static, Agent: 'static, Resource: 'static, Value: 'static>,
{
    forwarded!(self => &self.0, state => state.own(), &[]);
}
