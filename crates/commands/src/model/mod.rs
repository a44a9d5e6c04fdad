//! Programs of model languages.

pub mod caredeb;
pub mod voyager;
pub mod walk;
