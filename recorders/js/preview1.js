// The functions of WASI preview 1: which bytes a call hands to its host ("in") and which the host writes if it succeeds
// ("out"). All recorders read this one table; what is between the braces is JSON.
//   P:N      N bytes at the address that parameter P (from 0) says
//   P:pQ     as many as parameter Q says, K*pQ: K times as many
//   P:@Q     as many as the 32 bits say that were written where parameter Q points to, K*@Q: K times as many
//   P:iov    the buffers of the list that parameter P points to; parameter P + 1 says how many there are
//   P:iov@Q  the first bytes of these, as many as was written where parameter Q points to
//   P:args   as many as the call before (args_sizes_get, environ_sizes_get) said; K*args: K for each text
export default {
  "wasi_snapshot_preview1": {
    "args_get": { "out": "0:4*args 1:args" },
    "args_sizes_get": { "out": "0:4 1:4" },
    "environ_get": { "out": "0:4*args 1:args" },
    "environ_sizes_get": { "out": "0:4 1:4" },
    "clock_res_get": { "out": "1:8" },
    "clock_time_get": { "out": "2:8" },
    "fd_advise": {},
    "fd_allocate": {},
    "fd_close": {},
    "fd_datasync": {},
    "fd_fdstat_get": { "out": "1:24" },
    "fd_fdstat_set_flags": {},
    "fd_fdstat_set_rights": {},
    "fd_filestat_get": { "out": "1:64" },
    "fd_filestat_set_size": {},
    "fd_filestat_set_times": {},
    "fd_pread": { "out": "1:iov@4 4:4" },
    "fd_prestat_get": { "out": "1:8" },
    "fd_prestat_dir_name": { "out": "1:p2" },
    "fd_pwrite": { "in": "1:iov", "out": "4:4" },
    "fd_read": { "out": "1:iov@3 3:4" },
    "fd_readdir": { "out": "1:@4 4:4" },
    "fd_renumber": {},
    "fd_seek": { "out": "3:8" },
    "fd_sync": {},
    "fd_tell": { "out": "1:8" },
    "fd_write": { "in": "1:iov", "out": "3:4" },
    "path_create_directory": { "in": "1:p2" },
    "path_filestat_get": { "in": "2:p3", "out": "4:64" },
    "path_filestat_set_times": { "in": "2:p3" },
    "path_link": { "in": "2:p3 5:p6" },
    "path_open": { "in": "2:p3", "out": "8:4" },
    "path_readlink": { "in": "1:p2", "out": "3:@5 5:4" },
    "path_remove_directory": { "in": "1:p2" },
    "path_rename": { "in": "1:p2 4:p5" },
    "path_symlink": { "in": "0:p1 3:p4" },
    "path_unlink_file": { "in": "1:p2" },
    "poll_oneoff": { "in": "0:48*p2", "out": "1:32*@3 3:4" },
    "proc_exit": { "exits": true },
    "proc_raise": {},
    "sched_yield": {},
    "random_get": { "out": "0:p1" },
    "sock_accept": { "out": "2:4" },
    "sock_recv": { "out": "1:iov@4 4:4 5:2" },
    "sock_send": { "in": "1:iov", "out": "4:4" },
    "sock_shutdown": {}
  },
  "wasi_unstable": {
    "fd_filestat_get": { "out": "1:56" },
    "path_filestat_get": { "in": "2:p3", "out": "4:56" },
    "poll_oneoff": { "in": "0:56*p2", "out": "1:32*@3 3:4" }
  }
};
