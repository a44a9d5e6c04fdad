//! Names by causal birth: they say how a thing came to be, so that they do not depend on the
//! order in which independent things came to be.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A thread: the first, or the n-th child of another.
///
/// The first thread is `t0`, its children are `t1`, `t2`, …, the children of `t2` are `t2.1`,
/// `t2.2`, …. Threads are ordered as in that tree: parents before children, older siblings first.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ThreadName(Repr);

/// Invariant: `Long` holds only what does not fit `Short`, so that equality is that of the parts.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Up to eight numbers from 1 to 255, a byte each, the first in the highest byte, then zeros:
    /// the order of the words is the order of the names.
    Short(u64),
    Long(Arc<[u32]>),
}

/// Numbers that fit a [`Repr::Short`].
const SHORT: u32 = 8;

impl ThreadName {
    /// The first thread.
    pub const MAIN: Self = Self(Repr::Short(0));

    /// The `nth` child, counted from 1.
    #[must_use]
    pub fn child(&self, nth: u32) -> Self {
        if let (Repr::Short(path), 1..=255) = (&self.0, nth) {
            let len = SHORT - path.trailing_zeros().min(u64::BITS) / 8;
            if len < SHORT {
                let byte = u64::from(nth) << (8 * (SHORT - 1 - len));
                return Self(Repr::Short(path | byte));
            }
        }
        Self::of(&[&self.path()[..], &[nth]].concat())
    }

    /// The creator; none for the first thread.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let path = self.path();
        path.split_last().map(|(_, parent)| Self::of(parent))
    }

    fn of(path: &[u32]) -> Self {
        if path.len() > SHORT as usize || path.iter().any(|nth| !(1..=255).contains(nth)) {
            return Self(Repr::Long(path.into()));
        }
        let mut bytes = [0; SHORT as usize];
        for (byte, nth) in bytes.iter_mut().zip(path) {
            *byte = *nth as u8;
        }
        Self(Repr::Short(u64::from_be_bytes(bytes)))
    }

    /// Which child of which child, from the first thread on.
    fn path(&self) -> Vec<u32> {
        match &self.0 {
            Repr::Short(path) => {
                let bytes = path.to_be_bytes().into_iter();
                bytes.take_while(|byte| *byte != 0).map(u32::from).collect()
            }
            Repr::Long(path) => path.to_vec(),
        }
    }
}

impl Ord for ThreadName {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Short(a), Repr::Short(b)) => a.cmp(b),
            _ => self.path().cmp(&other.path()),
        }
    }
}

impl PartialOrd for ThreadName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::MAIN {
            return f.write_str("t0");
        }
        let path: Vec<_> = self.path().iter().map(u32::to_string).collect();
        f.pad(&format!("t{}", path.join(".")))
    }
}

impl fmt::Debug for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text names no thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("threads are called t0, t1, t2, …; a child of t2 is called t2.1")]
pub struct NoThreadName;

impl FromStr for ThreadName {
    type Err = NoThreadName;

    /// Reads what is displayed; `t_1`, as the paper writes, is `t1`.
    fn from_str(text: &str) -> Result<Self, NoThreadName> {
        let numbers = text.strip_prefix('t').ok_or(NoThreadName)?;
        let numbers = numbers.strip_prefix('_').unwrap_or(numbers);
        if numbers == "0" {
            return Ok(Self::MAIN);
        }
        let number = |number: &str| match number.as_bytes() {
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                number.parse().map_err(|_| NoThreadName)
            }
            _ => Err(NoThreadName),
        };
        let path = numbers
            .split('.')
            .map(number)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of(&path))
    }
}

/// A variable: the n-th that a thread bound, counted from 0. A port is the variable for which it
/// was made.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableName {
    /// Who bound it.
    pub thread: ThreadName,
    /// How many that thread had bound before.
    pub nth: u32,
}

impl fmt::Debug for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.thread, self.nth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(text: &str) -> ThreadName {
        text.parse().unwrap()
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let names = "t0 t1 t2.1 t255.1.1 t256 t4294967295.7 t1.1.1.1.1.1.1.1.1";
        for text in names.split(' ') {
            assert_eq!(thread(text).to_string(), text);
        }
        assert_eq!(thread("t_1"), thread("t1"));
        for text in "|t|1|t01|t1.|t.1|t0.1|t-1|t+1|x1|t4294967296".split('|') {
            assert_eq!(text.parse::<ThreadName>(), Err(NoThreadName), "{text}");
        }
    }

    #[test]
    fn children_of_children_are_named_and_ordered_as_a_tree() {
        let mut name = ThreadName::MAIN;
        for nth in [1, 2, 255, 256, 1, 1, 1, 1, 1, 9] {
            let child = name.child(nth);
            assert_eq!(child.parent(), Some(name.clone()));
            assert!(name < child && child < name.child(nth + 1));
            assert_eq!(thread(&child.to_string()), child);
            name = child;
        }
        assert_eq!(ThreadName::MAIN.parent(), None);
        let order = "t0 t1 t1.1 t1.1.1.1.1.1.1.1.1 t1.2 t2 t10 t256";
        assert!(order.split(' ').map(thread).is_sorted());
    }

    #[test]
    fn eight_numbers_are_the_longest_short_name() {
        let mut name = ThreadName::MAIN;
        for len in 1..=9 {
            name = name.child(1);
            assert_eq!(matches!(name.0, Repr::Short(_)), len <= 8);
        }
    }
}
