//! Words, what they mean, and where that can be seen.

use std::collections::HashSet;
use std::sync::Arc;

use borges_multiverse::language::Span;

use super::meaning::{Meaning, MeaningId};
use super::notes::Notes;
use crate::source::{Fault, ParseError};

/// A word of a language with what it says, in one sentence.
pub type Explained = (&'static str, &'static str);

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sense {
    /// A word of the language.
    Keyword,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A sign.
    Sign,
    /// A name that the program's text gives a meaning, or should.
    Name,
    /// A name that is looked up in whatever object is there when the program runs.
    Selector,
}

/// A word, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// Where.
    pub span: Span,
    /// What it is.
    pub sense: Sense,
    /// What it names; none if nothing here has that name, and for selectors.
    pub meaning: Option<MeaningId>,
}

/// A text as an editor sees it.
#[derive(Clone, Debug)]
pub struct Gloss {
    words: Vec<Lexeme>,
    meanings: Vec<Meaning>,
    /// For each of these, the innermost one around it.
    owners: Vec<Option<MeaningId>>,
    walls: Vec<Span>,
    taken: Vec<(Span, MeaningId)>,
    faults: Vec<ParseError<Arc<dyn Fault>>>,
    explained: &'static [Explained],
}

impl Gloss {
    /// Of a text with these words, as they are told apart by a lexer, and what was noted of it.
    pub(crate) fn new(
        words: impl IntoIterator<Item = (Span, Sense)>,
        notes: Notes,
        explained: &'static [Explained],
    ) -> Self {
        let words = words.into_iter().map(|(span, sense)| Lexeme {
            span,
            sense,
            meaning: None,
        });
        let mut gloss = Self {
            words: words.collect(),
            owners: owners(&notes.meanings),
            meanings: notes.meanings,
            walls: notes.walls,
            taken: notes.taken,
            faults: Vec::new(),
            explained,
        };
        let all = (0..).map(MeaningId).zip(gloss.meanings.clone());
        let named = all.filter(|(_, meaning)| meaning.is_named());
        for (id, meaning) in named {
            gloss.note(meaning.name, |word| word.meaning = Some(id));
        }
        for (span, id) in notes.uses {
            gloss.note(span, |word| word.meaning = Some(id));
        }
        for span in notes.selectors {
            gloss.note(span, |word| word.sense = Sense::Selector);
        }
        gloss
    }

    /// With these mistakes, the first of which is the one that the language gives.
    pub(crate) fn with_faults<K: Fault + 'static>(
        mut self,
        faults: impl IntoIterator<Item = ParseError<K>>,
    ) -> Self {
        let faults = faults.into_iter().map(|fault| {
            let kind: Arc<dyn Fault> = Arc::new(fault.kind);
            let span = fault.span;
            ParseError { kind, span }
        });
        self.faults.extend(faults);
        self
    }

    /// Changes the first name in a place: what was resolved may stand in parentheses.
    fn note(&mut self, place: Span, change: impl FnOnce(&mut Lexeme)) {
        let from = self
            .words
            .partition_point(|word| word.span.start < place.start);
        let mut within = self.words[from..]
            .iter_mut()
            .take_while(|word| word.span.end <= place.end);
        if let Some(word) = within.find(|word| word.sense == Sense::Name) {
            change(word);
        }
    }

    /// Its words, in their order.
    #[must_use]
    pub fn words(&self) -> &[Lexeme] {
        &self.words
    }

    /// What the text introduces.
    #[must_use]
    pub fn meanings(&self) -> &[Meaning] {
        &self.meanings
    }

    /// One of these.
    #[must_use]
    pub fn meaning(&self, id: MeaningId) -> Option<&Meaning> {
        self.meanings.get(id.0 as usize)
    }

    /// What is wrong with the text, as much of it as can be told at once.
    #[must_use]
    pub fn faults(&self) -> &[ParseError<Arc<dyn Fault>>] {
        &self.faults
    }

    /// The language's own words, explained.
    #[must_use]
    pub fn explained(&self) -> &'static [Explained] {
        self.explained
    }

    /// The word at a place of the text, or else the one that ends there.
    #[must_use]
    pub fn word_at(&self, offset: u32) -> Option<&Lexeme> {
        let after = self.words.partition_point(|word| word.span.start <= offset);
        let word = self.words.get(after.checked_sub(1)?)?;
        let ends_here = word.span.end == offset && word.sense != Sense::Sign;
        let before = after.checked_sub(2).and_then(|nth| self.words.get(nth));
        // Of a sign and a name that touch, the name is meant.
        let touches = before.filter(|before| {
            before.span.end == offset && before.sense != Sense::Sign && word.sense == Sense::Sign
        });
        touches.or_else(|| (word.span.end > offset || ends_here).then_some(word))
    }

    /// What a word may mean: what it names, or, if it is looked up when the program runs, each that an object has by this
    /// name. `text` is what was read.
    #[must_use]
    pub fn meanings_of(&self, text: &str, word: &Lexeme) -> Vec<MeaningId> {
        if word.sense != Sense::Selector {
            return word.meaning.into_iter().collect();
        }
        let name = slice(text, word.span);
        let all = (0..).map(MeaningId).zip(&self.meanings);
        let members = all.filter(|(_, meaning)| meaning.is_member);
        let alike = members.filter(|(_, meaning)| slice(text, meaning.name) == name);
        alike.map(|(id, _)| id).collect()
    }

    /// All words that may mean the same as this one, itself among them.
    #[must_use]
    pub fn alike(&self, text: &str, word: &Lexeme) -> Vec<&Lexeme> {
        let meant: HashSet<MeaningId> = self.meanings_of(text, word).into_iter().collect();
        let is_member = |id: &MeaningId| self.meaning(*id).is_some_and(|meaning| meaning.is_member);
        let by_message = meant.iter().any(is_member) || word.sense == Sense::Selector;
        let name = slice(text, word.span);
        let all = self.words.iter();
        let alike = all.filter(|other| match other.meaning {
            Some(meaning) => meant.contains(&meaning),
            None => by_message && other.sense == Sense::Selector && slice(text, other.span) == name,
        });
        alike.collect()
    }

    /// Whether a word introduces what it names.
    #[must_use]
    pub fn introduces(&self, word: &Lexeme) -> bool {
        let meaning = word.meaning.and_then(|id| self.meaning(id));
        meaning.is_some_and(|meaning| meaning.name == word.span)
    }

    /// What can be named at a place of the text, the nearest first, each name once.
    #[must_use]
    pub fn seen_at(&self, text: &str, offset: u32) -> Vec<&Meaning> {
        let is_around = |span: &Span| (span.start..=span.end).contains(&offset);
        let walls = self.walls.iter().filter(|wall| is_around(wall));
        let wall = walls.map(|wall| wall.start).max().unwrap_or(0);
        let taken = self.taken.iter();
        let taken = taken.filter_map(|(seen, id)| Some((*seen, self.meaning(*id)?)));
        let all = self.meanings.iter().map(|meaning| (meaning.seen, meaning));
        let here = all
            .chain(taken)
            .filter(|(seen, meaning)| meaning.is_named() && is_around(seen) && seen.start >= wall);
        let mut here: Vec<(Span, &Meaning)> = here.collect();
        here.sort_by_key(|(seen, _)| std::cmp::Reverse(seen.start));
        let mut names = HashSet::new();
        let nearest = here.into_iter().map(|(_, meaning)| meaning);
        nearest
            .filter(|meaning| names.insert(slice(text, meaning.name)))
            .collect()
    }

    /// What stands right within something, in the order of the text; without one, what stands in nothing else.
    #[must_use]
    pub fn within(&self, outer: Option<MeaningId>) -> Vec<MeaningId> {
        let all = (0..).map(MeaningId).zip(&self.owners);
        let inside = all.filter(|(_, owner)| **owner == outer);
        let mut inside: Vec<MeaningId> = inside.map(|(id, _)| id).collect();
        inside.sort_by_key(|id| self.meaning(*id).map(|meaning| meaning.whole.start));
        inside
    }

    /// The innermost thing that something stands in.
    #[must_use]
    pub fn owner(&self, id: MeaningId) -> Option<MeaningId> {
        *self.owners.get(id.0 as usize)?
    }
}

/// For each of these, the innermost one around it.
fn owners(meanings: &[Meaning]) -> Vec<Option<MeaningId>> {
    let all = (0..).map(MeaningId).zip(meanings);
    let mut order: Vec<(MeaningId, &Meaning)> = all.collect();
    order.sort_by_key(|(_, meaning)| (meaning.whole.start, std::cmp::Reverse(meaning.whole.end)));
    let mut owners = vec![None; meanings.len()];
    let mut around: Vec<(MeaningId, u32)> = Vec::new();
    for (id, meaning) in order {
        while around.pop_if(|(_, end)| *end < meaning.whole.end).is_some() {}
        owners[id.0 as usize] = around.last().map(|(id, _)| *id);
        around.push((id, meaning.whole.end));
    }
    owners
}

/// A part of a text.
fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}
