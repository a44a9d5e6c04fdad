//! What each question about the past and the present answers. The answers read the stage and what they are given; the
//! view may go elsewhere for one, and comes back.

pub(crate) mod agents;
pub(crate) mod code;
pub(crate) mod compare;
pub(crate) mod course;
pub(crate) mod files;
pub(crate) mod find;
pub(crate) mod hits;
mod layout;
pub(crate) mod leaves;
pub(crate) mod outline;
pub(crate) mod paths;
pub(crate) mod state;
