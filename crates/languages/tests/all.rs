//! All tests of this crate in one program, but for those that want one of their own: linked once, and long ones run beside
//! others.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, outside `#[test]` functions"
)]

#[path = "common/actors.rs"]
mod actors;
#[path = "common/damage.rs"]
mod damage;
#[path = "common/oz.rs"]
mod oz;
#[path = "common/place.rs"]
mod place;
#[path = "common/texts.rs"]
mod texts;
#[path = "common/wanted.rs"]
mod wanted;

mod abstractions;
mod amb;
mod ambienttalk;
mod ambienttalk_laws;
mod caredeb_laws;
mod contract;
mod debugger;
mod endless;
mod format;
mod gloss;
mod limits;
mod model;
mod muoz;
mod muoz_debugger;
mod muoz_laws;
mod muoz_machine;
mod muoz_notation;
mod names;
mod rollback;
mod tables;
mod toward;
mod voyager;
