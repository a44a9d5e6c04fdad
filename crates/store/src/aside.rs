//! Work of SQLite's that takes long: on a thread of its own, so that whoever waits for it is asked whether it goes on.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

/// How often whoever waits is asked.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What `work` came to, and whether it was told to stop since `goes_on` said no.
pub(crate) fn work_aside<T: Send>(
    db: &mut Connection,
    goes_on: &mut dyn FnMut() -> bool,
    work: impl FnOnce(&Connection) -> T + Send,
) -> (T, bool) {
    let stop = db.get_interrupt_handle();
    let mut stopped = false;
    let result = thread::scope(|scope| {
        let (done, waiting) = mpsc::channel::<()>();
        let working = scope.spawn(move || {
            let result = work(db);
            drop(done);
            result
        });
        while waiting.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
            stopped = stopped || !goes_on();
            if stopped {
                // Again and again: an interrupt that comes before the statement begins is forgotten.
                stop.interrupt();
            }
        }
        working.join()
    });
    match result {
        Ok(result) => (result, stopped),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
