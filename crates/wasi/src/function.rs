//! The functions of preview 1: names, signatures, and with which errors an embedding may make them fail.

use crate::errno::Errno;
use serde::{Deserialize, Serialize};

/// The type of a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmType {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
}

/// Which preview a program imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Preview {
    /// `wasi_unstable`, preview 0: file statistics, subscriptions and `whence` are laid out otherwise.
    Unstable,
    /// `wasi_snapshot_preview1`.
    One,
}

impl Preview {
    /// The name of the module that programs import.
    #[must_use]
    pub fn module(self) -> &'static str {
        match self {
            Preview::Unstable => "wasi_unstable",
            Preview::One => "wasi_snapshot_preview1",
        }
    }
}

use Errno::{
    Acces, Dquot, Exist, Fbig, Intr, Io, Isdir, Loop, Mfile, Mlink, Nametoolong, Nfile, Noent,
    Nomem, Nospc, Notdir, Notempty, Perm, Pipe, Rofs,
};

macro_rules! functions {
    ($($case:ident $name:literal ($($param:ident)*) $faults:expr;)*) => {
        /// A function of preview 1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Function {
            $(#[doc = concat!("`", $name, "`")] $case,)*
        }

        impl Function {
            /// All 46 of them.
            pub const ALL: &[Function] = &[$(Function::$case),*];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Function::$case => $name),* }
            }

            /// The types of its parameters.
            #[must_use]
            pub fn params(self) -> &'static [WasmType] {
                match self { $(Function::$case => &[$(WasmType::$param),*]),* }
            }

            /// The errors that a world outside may answer at any time, whatever the arguments are: with these, and no
            /// others, an embedding may make a call fail ([`Chosen::Fault`](crate::Chosen::Fault)).
            #[must_use]
            pub fn faults(self) -> &'static [Errno] {
                match self { $(Function::$case => &$faults),* }
            }
        }
    };
}

functions! {
    ArgsGet "args_get" (I32 I32) [];
    ArgsSizesGet "args_sizes_get" (I32 I32) [];
    EnvironGet "environ_get" (I32 I32) [];
    EnvironSizesGet "environ_sizes_get" (I32 I32) [];
    ClockResGet "clock_res_get" (I32 I32) [];
    ClockTimeGet "clock_time_get" (I32 I64 I32) [];
    FdAdvise "fd_advise" (I32 I64 I64 I32) [];
    FdAllocate "fd_allocate" (I32 I64 I64) [Nospc, Io, Fbig, Dquot];
    FdClose "fd_close" (I32) [Io, Intr];
    FdDatasync "fd_datasync" (I32) [Io, Nospc];
    FdFdstatGet "fd_fdstat_get" (I32 I32) [];
    FdFdstatSetFlags "fd_fdstat_set_flags" (I32 I32) [];
    FdFdstatSetRights "fd_fdstat_set_rights" (I32 I64 I64) [];
    FdFilestatGet "fd_filestat_get" (I32 I32) [Io];
    FdFilestatSetSize "fd_filestat_set_size" (I32 I64) [Nospc, Io, Fbig, Rofs];
    FdFilestatSetTimes "fd_filestat_set_times" (I32 I64 I64 I32) [Acces, Perm, Rofs, Io];
    FdPread "fd_pread" (I32 I32 I32 I64 I32) [Io, Intr];
    FdPrestatGet "fd_prestat_get" (I32 I32) [];
    FdPrestatDirName "fd_prestat_dir_name" (I32 I32 I32) [];
    FdPwrite "fd_pwrite" (I32 I32 I32 I64 I32) [Nospc, Io, Fbig, Dquot, Intr];
    FdRead "fd_read" (I32 I32 I32 I32) [Io, Intr];
    FdReaddir "fd_readdir" (I32 I32 I32 I64 I32) [Io];
    FdRenumber "fd_renumber" (I32 I32) [];
    FdSeek "fd_seek" (I32 I64 I32 I32) [];
    FdSync "fd_sync" (I32) [Io, Nospc];
    FdTell "fd_tell" (I32 I32) [];
    FdWrite "fd_write" (I32 I32 I32 I32) [Nospc, Io, Pipe, Fbig, Dquot, Intr];
    PathCreateDirectory "path_create_directory" (I32 I32 I32) [Nospc, Acces, Exist, Noent, Rofs, Io];
    PathFilestatGet "path_filestat_get" (I32 I32 I32 I32 I32) [Noent, Acces, Io, Loop];
    PathFilestatSetTimes "path_filestat_set_times" (I32 I32 I32 I32 I64 I64 I32) [Noent, Acces, Perm, Rofs, Io];
    PathLink "path_link" (I32 I32 I32 I32 I32 I32 I32) [Nospc, Acces, Mlink, Perm, Rofs, Io];
    PathOpen "path_open" (I32 I32 I32 I32 I32 I64 I64 I32 I32)
        [Noent, Acces, Exist, Nospc, Mfile, Nfile, Isdir, Notdir, Rofs, Io, Nomem, Intr];
    PathReadlink "path_readlink" (I32 I32 I32 I32 I32 I32) [Noent, Acces, Io];
    PathRemoveDirectory "path_remove_directory" (I32 I32 I32) [Noent, Acces, Notempty, Rofs, Io];
    PathRename "path_rename" (I32 I32 I32 I32 I32 I32) [Noent, Acces, Nospc, Rofs, Io];
    PathSymlink "path_symlink" (I32 I32 I32 I32 I32) [Nospc, Acces, Exist, Nametoolong, Rofs, Io];
    PathUnlinkFile "path_unlink_file" (I32 I32 I32) [Noent, Acces, Perm, Rofs, Io];
    PollOneoff "poll_oneoff" (I32 I32 I32 I32) [Intr];
    ProcExit "proc_exit" (I32) [];
    ProcRaise "proc_raise" (I32) [];
    SchedYield "sched_yield" () [];
    RandomGet "random_get" (I32 I32) [Io];
    SockAccept "sock_accept" (I32 I32 I32) [];
    SockRecv "sock_recv" (I32 I32 I32 I32 I32 I32) [];
    SockSend "sock_send" (I32 I32 I32 I32 I32) [];
    SockShutdown "sock_shutdown" (I32 I32) [];
}

impl Function {
    /// The types of its results: an error number, but for `proc_exit`, which does not return.
    #[must_use]
    pub fn results(self) -> &'static [WasmType] {
        match self {
            Function::ProcExit => &[],
            _ => &[WasmType::I32],
        }
    }

    /// Whether a call may read or write what its arguments point to in the program's memory.
    #[must_use]
    pub fn touches_memory(self) -> bool {
        !matches!(
            self,
            Function::FdAdvise
                | Function::FdAllocate
                | Function::FdClose
                | Function::FdDatasync
                | Function::FdFdstatSetFlags
                | Function::FdFdstatSetRights
                | Function::FdFilestatSetSize
                | Function::FdFilestatSetTimes
                | Function::FdRenumber
                | Function::FdSync
                | Function::ProcExit
                | Function::ProcRaise
                | Function::SchedYield
                | Function::SockShutdown
        )
    }

    /// True for a function that moves bytes between memory and a descriptor and may move fewer than it was asked for
    /// ([`Chosen::Short`](crate::Chosen::Short)).
    #[must_use]
    pub fn moves_bytes(self) -> bool {
        matches!(
            self,
            Function::FdRead | Function::FdPread | Function::FdWrite | Function::FdPwrite
        )
    }
}

/// An import of a program, found by its two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WasiImport {
    /// The preview whose layouts and numbers the program has.
    pub preview: Preview,
    /// The function.
    pub function: Function,
}

impl WasiImport {
    /// The function that a program imports as `name` from `module`; `None` for what is not WASI's.
    #[must_use]
    pub fn find(module: &str, name: &str) -> Option<WasiImport> {
        let preview = match module {
            "wasi_snapshot_preview1" => Preview::One,
            "wasi_unstable" => Preview::Unstable,
            _ => return None,
        };
        let function = *Function::ALL
            .iter()
            .find(|function| function.name() == name)?;
        // Preview 0 could not accept connections.
        (preview == Preview::One || function != Function::SockAccept)
            .then_some(WasiImport { preview, function })
    }
}
