//! The error numbers of preview 1.

use serde::{Deserialize, Serialize};

macro_rules! errnos {
    ($($name:ident = $code:literal $text:literal, $what:literal;)*) => {
        /// An error number of preview 1, as a call answers it. The names are those of the specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(u16)]
        pub enum Errno {
            $(#[doc = $what] $name = $code,)*
        }

        impl Errno {
            /// All of them, by number.
            pub const ALL: &[Errno] = &[$(Errno::$name),*];

            /// The name that C has for it, such as `ENOENT`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Errno::$name => $text),* }
            }

            /// What it means, in a few words.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Errno::$name => $what),* }
            }
        }
    };
}

errnos! {
    Success = 0 "ESUCCESS", "no error";
    TooBig = 1 "E2BIG", "argument list too long";
    Acces = 2 "EACCES", "permission denied";
    Addrinuse = 3 "EADDRINUSE", "address in use";
    Addrnotavail = 4 "EADDRNOTAVAIL", "address not available";
    Afnosupport = 5 "EAFNOSUPPORT", "address family not supported";
    Again = 6 "EAGAIN", "try again";
    Already = 7 "EALREADY", "already in progress";
    Badf = 8 "EBADF", "bad file descriptor";
    Badmsg = 9 "EBADMSG", "bad message";
    Busy = 10 "EBUSY", "device or resource busy";
    Canceled = 11 "ECANCELED", "canceled";
    Child = 12 "ECHILD", "no child processes";
    Connaborted = 13 "ECONNABORTED", "connection aborted";
    Connrefused = 14 "ECONNREFUSED", "connection refused";
    Connreset = 15 "ECONNRESET", "connection reset";
    Deadlk = 16 "EDEADLK", "deadlock";
    Destaddrreq = 17 "EDESTADDRREQ", "destination address required";
    Dom = 18 "EDOM", "argument out of the function's domain";
    Dquot = 19 "EDQUOT", "quota exceeded";
    Exist = 20 "EEXIST", "file exists";
    Fault = 21 "EFAULT", "bad address";
    Fbig = 22 "EFBIG", "file too large";
    Hostunreach = 23 "EHOSTUNREACH", "host unreachable";
    Idrm = 24 "EIDRM", "identifier removed";
    Ilseq = 25 "EILSEQ", "illegal byte sequence";
    Inprogress = 26 "EINPROGRESS", "in progress";
    Intr = 27 "EINTR", "interrupted";
    Inval = 28 "EINVAL", "invalid argument";
    Io = 29 "EIO", "input/output error";
    Isconn = 30 "EISCONN", "socket is connected";
    Isdir = 31 "EISDIR", "is a directory";
    Loop = 32 "ELOOP", "too many symbolic links";
    Mfile = 33 "EMFILE", "too many open files";
    Mlink = 34 "EMLINK", "too many links";
    Msgsize = 35 "EMSGSIZE", "message too large";
    Multihop = 36 "EMULTIHOP", "multihop attempted";
    Nametoolong = 37 "ENAMETOOLONG", "file name too long";
    Netdown = 38 "ENETDOWN", "network is down";
    Netreset = 39 "ENETRESET", "connection aborted by network";
    Netunreach = 40 "ENETUNREACH", "network unreachable";
    Nfile = 41 "ENFILE", "too many open files in the system";
    Nobufs = 42 "ENOBUFS", "no buffer space";
    Nodev = 43 "ENODEV", "no such device";
    Noent = 44 "ENOENT", "no such file or directory";
    Noexec = 45 "ENOEXEC", "not executable";
    Nolck = 46 "ENOLCK", "no locks available";
    Nolink = 47 "ENOLINK", "link severed";
    Nomem = 48 "ENOMEM", "not enough memory";
    Nomsg = 49 "ENOMSG", "no such message";
    Noprotoopt = 50 "ENOPROTOOPT", "protocol not available";
    Nospc = 51 "ENOSPC", "no space left on device";
    Nosys = 52 "ENOSYS", "function not supported";
    Notconn = 53 "ENOTCONN", "not connected";
    Notdir = 54 "ENOTDIR", "not a directory";
    Notempty = 55 "ENOTEMPTY", "directory not empty";
    Notrecoverable = 56 "ENOTRECOVERABLE", "state not recoverable";
    Notsock = 57 "ENOTSOCK", "not a socket";
    Notsup = 58 "ENOTSUP", "not supported";
    Notty = 59 "ENOTTY", "not a terminal";
    Nxio = 60 "ENXIO", "no such device or address";
    Overflow = 61 "EOVERFLOW", "value too large";
    Ownerdead = 62 "EOWNERDEAD", "previous owner died";
    Perm = 63 "EPERM", "operation not permitted";
    Pipe = 64 "EPIPE", "broken pipe";
    Proto = 65 "EPROTO", "protocol error";
    Protonosupport = 66 "EPROTONOSUPPORT", "protocol not supported";
    Prototype = 67 "EPROTOTYPE", "wrong protocol type";
    Range = 68 "ERANGE", "result too large";
    Rofs = 69 "EROFS", "read-only file system";
    Spipe = 70 "ESPIPE", "not seekable";
    Srch = 71 "ESRCH", "no such process";
    Stale = 72 "ESTALE", "stale file handle";
    Timedout = 73 "ETIMEDOUT", "timed out";
    Txtbsy = 74 "ETXTBSY", "text file busy";
    Xdev = 75 "EXDEV", "cross-device link";
    Notcapable = 76 "ENOTCAPABLE", "right missing";
}

impl Errno {
    /// The number that the program sees.
    #[must_use]
    pub fn code(self) -> u16 {
        self as u16
    }

    /// The error number of a name such as `ENOENT`.
    #[must_use]
    pub fn named(name: &str) -> Option<Errno> {
        Errno::ALL
            .iter()
            .copied()
            .find(|errno| errno.name() == name)
    }
}
