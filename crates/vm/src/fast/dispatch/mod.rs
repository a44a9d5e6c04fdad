//! From one operation to the next: by tail calls where the compiler surely makes them, otherwise by
//! a loop around a `match`. Both are generated from the table of operations.
#![allow(unsafe_code)]

use super::cx::{Cx, Stopped};
use super::op::control::*;
use super::op::memory::*;
use super::op::numeric::*;
use super::op::vector::*;
use super::op::*;

#[cfg(all(borges_tail_calls, not(debug_assertions), not(miri)))]
mod calls;
#[cfg(not(all(borges_tail_calls, not(debug_assertions), not(miri))))]
mod looping;

#[cfg(all(borges_tail_calls, not(debug_assertions), not(miri)))]
pub(crate) use calls::{Passed, execute, handler_word};
#[cfg(not(all(borges_tail_calls, not(debug_assertions), not(miri))))]
pub(crate) use looping::{Passed, execute, handler_word};
