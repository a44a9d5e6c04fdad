//! Time since the start.

use core::cell::Cell;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use critical_section::Mutex;

/// Clock of the core in Hz, from the internal oscillator through the PLL.
pub const CORE_HZ: u32 = 168_000_000;
/// Ticks of the core's timer for each interrupt: one millisecond.
const PERIOD: u32 = CORE_HZ / 1000;

static MILLISECONDS: Mutex<Cell<u64>> = Mutex::new(Cell::new(0));

/// Starts the clock.
pub fn start(timer: &mut SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(PERIOD - 1);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();
}

/// The time in microseconds.
pub fn now_us() -> u64 {
    critical_section::with(|cs| {
        let before = SYST::get_current();
        let pending = cortex_m::peripheral::SCB::is_pendst_pending();
        // The counter goes down. If it wrapped and the interrupt has not run, its millisecond is missing; whether it
        // wrapped before or after it was read is told by reading it again.
        let after = SYST::get_current();
        let missing = u64::from(pending);
        let current = if pending { after } else { before };
        let ticks = u64::from(PERIOD - 1 - current.min(PERIOD - 1));
        let ms = MILLISECONDS.borrow(cs).get() + missing;
        ms * 1000 + ticks * 1000 / u64::from(PERIOD)
    })
}

#[cortex_m_rt::exception]
fn SysTick() {
    critical_section::with(|cs| {
        let count = MILLISECONDS.borrow(cs);
        count.set(count.get() + 1);
    });
}
