//! Integers without bounds that cost a machine word while they fit one.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::BigInt;

/// An integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Repr);

/// Invariant: `Big` holds only what does not fit `Small`, so that equality is that of the parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Arc<BigInt>),
}

impl Number {
    /// Nothing.
    pub const ZERO: Self = Self(Repr::Small(0));

    /// The value, if it fits a machine word.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(n) => Some(n),
            Repr::Big(_) => None,
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
            && let Some(sum) = a.checked_add(*b)
        {
            return Self(Repr::Small(sum));
        }
        (self.to_big() + other.to_big()).into()
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n) => BigInt::from(*n),
            Repr::Big(n) => BigInt::clone(n),
        }
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Self(Repr::Small(n))
    }
}

impl From<BigInt> for Number {
    fn from(n: BigInt) -> Self {
        Self(i64::try_from(&n).map_or_else(|_| Repr::Big(Arc::new(n)), Repr::Small))
    }
}

impl FromStr for Number {
    type Err = num_bigint::ParseBigIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse()
            .map(|n| Self(Repr::Small(n)))
            .or_else(|_| Ok(text.parse::<BigInt>()?.into()))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => n.fmt(f),
            Repr::Big(n) => n.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_cross_the_machine_word_both_ways() {
        let max = Number::from(i64::MAX);
        let above = max.plus(&Number::from(1));
        assert_eq!(above.to_string(), "9223372036854775808");
        assert_eq!(above.to_i64(), None);
        assert_eq!(above.plus(&Number::from(-1)), max);
        assert_eq!("9223372036854775808".parse(), Ok(above.clone()));
        assert_eq!("-9223372036854775808".parse(), Ok(Number::from(i64::MIN)));
        assert!(above > max && Number::from(i64::MIN) < above);
        assert!("-9223372036854775809".parse::<Number>().unwrap() < Number::from(i64::MIN));
    }
}
