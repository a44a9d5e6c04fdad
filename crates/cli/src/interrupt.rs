//! Ctrl-C: the first pauses what is running, the second ends the command.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use borges_session::Flow;

use crate::exit::Exit;

static PRESSED: AtomicU32 = AtomicU32::new(0);
/// Somebody who looked at [`pressed`] knows of it.
static HEARD: AtomicBool = AtomicBool::new(false);
/// Something was paused since [`take`] was last called.
static PAUSED: AtomicBool = AtomicBool::new(false);
/// Something runs that looks at [`pressed`].
static PAUSABLE: AtomicBool = AtomicBool::new(false);
/// A person types commands.
static PROMPTING: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C. Without it (a platform that refuses) Ctrl-C ends the command at once.
pub(crate) fn install() {
    let _ = ctrlc::set_handler(|| {
        let before = PRESSED.fetch_add(1, Ordering::SeqCst);
        let waits = PAUSABLE.load(Ordering::SeqCst) || PROMPTING.load(Ordering::SeqCst);
        if before > 0 || !waits {
            std::process::exit(Exit::Interrupted.code().into());
        }
        PAUSED.store(true, Ordering::SeqCst);
    });
}

/// A prompt is shown. Ctrl-C is a key of it now; what was pressed before the prompt came has been heard. What is pressed
/// from the moment on at which a line is entered is meant for that line: neither is it lost if its command begins a
/// moment later, nor does it end the debugger if the command has just ended.
pub(crate) fn prompting() {
    PROMPTING.store(true, Ordering::SeqCst);
    PAUSED.store(false, Ordering::SeqCst);
    HEARD.store(false, Ordering::SeqCst);
    PRESSED.store(0, Ordering::SeqCst);
}

/// While it lives, Ctrl-C asks for a pause.
pub(crate) struct Pausable(());

impl Pausable {
    /// Something begins that looks at [`pressed`].
    pub(crate) fn begin() -> Self {
        PAUSABLE.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Pausable {
    fn drop(&mut self) {
        PAUSABLE.store(false, Ordering::SeqCst);
        // What came after the last look is meant for what the command does next.
        if HEARD.swap(false, Ordering::SeqCst) || PROMPTING.load(Ordering::SeqCst) {
            PRESSED.store(0, Ordering::SeqCst);
        }
    }
}

/// Whether Ctrl-C paused something since the last call.
pub(crate) fn take() -> bool {
    PAUSED.swap(false, Ordering::SeqCst)
}

/// What an observer answers: to pause, once Ctrl-C was pressed.
pub(crate) fn flow() -> Flow {
    match pressed() {
        true => Flow::Pause,
        false => Flow::Continue,
    }
}

/// Whether Ctrl-C was pressed since [`Pausable::begin`], or since the line was entered.
pub(crate) fn pressed() -> bool {
    let is_pressed = PRESSED.load(Ordering::SeqCst) > 0;
    if is_pressed {
        HEARD.store(true, Ordering::SeqCst);
    }
    is_pressed
}
