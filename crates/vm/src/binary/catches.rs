//! The clauses of a `try_table`.

use core::fmt;

use super::reader::{Malformed, MalformedKind, Reader, error_at};

/// A clause: what is caught, and where the program goes on then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Catch {
    /// The tag of the exceptions that are caught, whose values the label takes; nothing for all exceptions, without
    /// their values.
    pub tag: Option<u32>,
    /// True if the label takes a reference to the exception as well, last.
    pub reference: bool,
    /// The label, counted from outside of the `try_table`.
    pub label: u32,
}

impl Catch {
    fn read(reader: &mut Reader<'_>) -> Result<Catch, Malformed> {
        let at = reader.at();
        let (has_tag, reference) = match reader.byte()? {
            0 => (true, false),
            1 => (true, true),
            2 => (false, false),
            3 => (false, true),
            _ => return Err(error_at(at, MalformedKind::BadCatch)),
        };
        let tag = if has_tag { Some(reader.u32()?) } else { None };
        let label = reader.u32()?;
        Ok(Catch {
            tag,
            reference,
            label,
        })
    }
}

/// As in the text format.
impl fmt::Display for Catch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reference = if self.reference { "_ref" } else { "" };
        match self.tag {
            Some(tag) => write!(f, "(catch{reference} {tag} {})", self.label),
            None => write!(f, "(catch_all{reference} {})", self.label),
        }
    }
}

/// The clauses of a `try_table`, read as they are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Catches<'m> {
    clauses: Reader<'m>,
    count: u32,
}

impl<'m> Catches<'m> {
    pub(super) fn read(reader: &mut Reader<'m>) -> Result<Catches<'m>, Malformed> {
        let count = reader.count()? as u32;
        let clauses = *reader;
        for _ in 0..count {
            Catch::read(reader)?;
        }
        Ok(Catches { clauses, count })
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.count
    }

    /// True if nothing is caught.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, in the order in which they are tried.
    pub fn clauses(&self) -> impl Iterator<Item = Catch> + use<'m> {
        let mut clauses = self.clauses;
        // They were read once when the instruction was decoded, so reading cannot fail.
        (0..self.count).map_while(move |_| Catch::read(&mut clauses).ok())
    }
}

impl PartialEq for Catches<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.clauses().eq(other.clauses())
    }
}
