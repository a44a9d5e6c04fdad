//! The functions, each in three parts that come in this order: what the arguments must be, where answers go and what
//! must be chosen, and the change.

mod descriptor;
mod open;
mod path;
mod poll;
mod process;
mod stat;
mod transfer;

pub(crate) use open::{CREATE, TRUNCATE, follows};
pub(crate) use poll::{Asked, all_asked};

use crate::call::{Call, Done};
use crate::function::Function;

/// Carries a call out.
pub(crate) fn run(call: &mut Call<'_>, function: Function) -> Done {
    match function {
        Function::ArgsGet => process::arguments(call),
        Function::ArgsSizesGet => process::argument_sizes(call),
        Function::EnvironGet => process::environment(call),
        Function::EnvironSizesGet => process::environment_sizes(call),
        Function::ClockResGet => process::clock_resolution(call),
        Function::ClockTimeGet => process::clock_time(call),
        Function::ProcExit => process::exit(call),
        Function::ProcRaise => process::raise(call),
        Function::SchedYield => Ok(()),
        Function::RandomGet => process::random(call),
        Function::SockAccept | Function::SockRecv | Function::SockSend | Function::SockShutdown => {
            process::socket(call)
        }
        Function::FdAdvise => descriptor::advise(call),
        Function::FdAllocate => descriptor::allocate(call),
        Function::FdClose => descriptor::close(call),
        Function::FdDatasync => descriptor::sync(call, crate::rights::FD_DATASYNC),
        Function::FdSync => descriptor::sync(call, crate::rights::FD_SYNC),
        Function::FdFdstatGet => descriptor::status(call),
        Function::FdFdstatSetFlags => descriptor::set_flags(call),
        Function::FdFdstatSetRights => descriptor::set_rights(call),
        Function::FdFilestatSetSize => descriptor::set_size(call),
        Function::FdPrestatGet => descriptor::given(call),
        Function::FdPrestatDirName => descriptor::given_name(call),
        Function::FdReaddir => descriptor::list(call),
        Function::FdRenumber => descriptor::renumber(call),
        Function::FdRead => transfer::read(call),
        Function::FdPread => transfer::read_at(call),
        Function::FdWrite => transfer::write(call),
        Function::FdPwrite => transfer::write_at(call),
        Function::FdSeek => transfer::seek(call),
        Function::FdTell => transfer::tell(call),
        Function::FdFilestatGet => stat::of_descriptor(call),
        Function::FdFilestatSetTimes => stat::set_times_of_descriptor(call),
        Function::PathFilestatGet => stat::of_path(call),
        Function::PathFilestatSetTimes => stat::set_times_of_path(call),
        Function::PathOpen => open::open(call),
        Function::PathCreateDirectory => path::create_directory(call),
        Function::PathLink => path::link(call),
        Function::PathReadlink => path::read_link(call),
        Function::PathRemoveDirectory => path::remove_directory(call),
        Function::PathRename => path::rename(call),
        Function::PathSymlink => path::symlink(call),
        Function::PathUnlinkFile => path::unlink(call),
        Function::PollOneoff => poll::poll(call),
    }
}
