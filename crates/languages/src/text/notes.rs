//! What a parser notes while it reads.

use borges_multiverse::language::Span;

use super::meaning::{Kind, Meaning, MeaningId};
use crate::source::ParseError;

/// What was bound and what was resolved, in the order in which it was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) meanings: Vec<Meaning>,
    /// Where names are used, and what they mean there.
    pub(crate) uses: Vec<(Span, MeaningId)>,
    /// Names that are looked up when the program runs.
    pub(crate) selectors: Vec<Span>,
    /// What is made where, named or not.
    pub(crate) literals: Vec<(Kind, Span)>,
    /// Parts of the text that see nothing around them but what they take in.
    pub(crate) walls: Vec<Span>,
    /// What they take in, and where that can be seen.
    pub(crate) taken: Vec<(Span, MeaningId)>,
}

impl Notes {
    /// Something new. Where it can be seen is said later: until then, nowhere.
    pub(crate) fn bind(&mut self, kind: Kind, name: Span, whole: Span) -> MeaningId {
        let seen = Span {
            start: whole.end,
            end: whole.end,
        };
        self.meanings.push(Meaning {
            kind,
            name,
            whole,
            seen,
            is_member: false,
        });
        // Within u32, as is the length of the text.
        MeaningId(self.meanings.len() as u32 - 1)
    }

    pub(crate) fn meaning(&mut self, id: MeaningId) -> &mut Meaning {
        &mut self.meanings[id.0 as usize]
    }
}

/// What a parser needs to go on after mistakes: it is given each, and may then act as if there were none.
#[derive(Clone, Debug)]
pub(crate) struct Forgiving<K> {
    pub(crate) faults: Vec<ParseError<K>>,
    /// How deep each word of the text lies in what is opened and closed, counted from the first.
    pub(crate) depths: Vec<u32>,
    pub(crate) notes: Notes,
}

impl<K> Forgiving<K> {
    /// For a text of these words; `opens` and `closes` say which of them begin and end a part.
    pub(crate) fn new<T>(
        tokens: &[(T, Span)],
        opens: impl Fn(&T) -> bool,
        closes: impl Fn(&T) -> bool,
    ) -> Self {
        let mut depth = 0_u32;
        let depths = tokens.iter().map(|(token, _)| {
            let here = depth;
            if opens(token) {
                depth += 1;
            } else if closes(token) {
                depth = depth.saturating_sub(1);
            }
            here
        });
        Self {
            depths: depths.collect(),
            faults: Vec::new(),
            notes: Notes::default(),
        }
    }

    /// Takes a mistake, if a parser is forgiving; else it ends there.
    pub(crate) fn take(this: &mut Option<Self>, fault: ParseError<K>) -> Result<(), ParseError<K>> {
        match this {
            Some(forgiving) => {
                forgiving.faults.push(fault);
                Ok(())
            }
            None => Err(fault),
        }
    }
}
