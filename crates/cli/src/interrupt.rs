//! Ctrl-C: the first pauses what is running, the second ends the command.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use borges_session::Flow;

use crate::exit::Exit;

static PRESSED: AtomicU32 = AtomicU32::new(0);
/// Something was paused since [`take`] was last called.
static PAUSED: AtomicBool = AtomicBool::new(false);
/// Something runs that looks at [`pressed`].
static PAUSABLE: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C. Without it (a platform that refuses) Ctrl-C ends the command at once.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        let before = PRESSED.fetch_add(1, Ordering::SeqCst);
        if before > 0 || !PAUSABLE.load(Ordering::SeqCst) {
            std::process::exit(i32::from(Exit::Interrupted as u8));
        }
        PAUSED.store(true, Ordering::SeqCst);
    });
}

/// While it lives, Ctrl-C asks for a pause.
pub struct Pausable(());

impl Pausable {
    /// Something begins that looks at [`pressed`].
    pub fn begin() -> Self {
        PRESSED.store(0, Ordering::SeqCst);
        PAUSABLE.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Pausable {
    fn drop(&mut self) {
        PAUSABLE.store(false, Ordering::SeqCst);
        PRESSED.store(0, Ordering::SeqCst);
    }
}

/// Whether Ctrl-C paused something since the last call.
pub fn take() -> bool {
    PAUSED.swap(false, Ordering::SeqCst)
}

/// What an observer answers: to pause, once Ctrl-C was pressed.
pub fn flow() -> Flow {
    match pressed() {
        true => Flow::Pause,
        false => Flow::Continue,
    }
}

/// Whether Ctrl-C was pressed since [`Pausable::begin`].
pub fn pressed() -> bool {
    PRESSED.load(Ordering::SeqCst) > 0
}
