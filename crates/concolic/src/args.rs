//! The arguments of a call.

use std::ops::Deref;
use std::slice;
use std::sync::Arc;

use borges_vm::Value;
use serde::{Deserialize, Serialize, Serializer};

/// The arguments of a call. Every path has all its calls, and most of these have one argument or none: a copy takes no
/// memory of its own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "Vec<Value>")]
pub struct Args(Kept);

#[derive(Clone, Debug, Default)]
enum Kept {
    #[default]
    None,
    One(Value),
    Many(Arc<[Value]>),
}

impl Deref for Args {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        match &self.0 {
            Kept::None => &[],
            Kept::One(one) => slice::from_ref(one),
            Kept::Many(all) => all,
        }
    }
}

impl From<&[Value]> for Args {
    fn from(args: &[Value]) -> Self {
        Args(match args {
            [] => Kept::None,
            [one] => Kept::One(*one),
            all => Kept::Many(all.into()),
        })
    }
}

impl From<Vec<Value>> for Args {
    fn from(args: Vec<Value>) -> Self {
        Args::from(&args[..])
    }
}

impl PartialEq for Args {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Args {}

impl Serialize for Args {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self[..].serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_there_are_they_stay_as_they_are() {
        for count in 0..4 {
            let values: Vec<Value> = (0..count).map(Value::I32).collect();
            let args = Args::from(&values[..]);
            assert_eq!(args[..], values[..]);
            let bytes = postcard::to_allocvec(&args).expect("room");
            assert_eq!(bytes, postcard::to_allocvec(&values).expect("room"));
            assert_eq!(postcard::from_bytes(&bytes), Ok(args));
        }
    }
}
