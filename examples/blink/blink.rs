//! An LED that blinks; a button pauses it and lets it go on.
#![no_std]
#![no_main]

#[link(wasm_import_module = "env")]
extern "C" {
    fn chip_pin_mode(pin: i32, mode: i32);
    fn chip_digital_write(pin: i32, level: i32);
    fn chip_digital_read(pin: i32) -> i32;
    fn chip_delay(ms: i32);
}

const LED: i32 = 2;
const BUTTON: i32 = 14;
const INPUT: i32 = 0;
const OUTPUT: i32 = 2;
const TICKS_ON: u8 = 3;
const TICKS_OFF: u8 = 5;

/// What the LED is doing, and for how many more ticks.
#[derive(Clone, Copy)]
enum State {
    On { left: u8 },
    Off { left: u8 },
    Paused { was_on: bool, left: u8 },
}

struct Blinker {
    state: State,
    pressed: bool,
    blinks: u32,
}

impl Blinker {
    /// A press pauses, the next press resumes where the LED was.
    #[inline(never)]
    fn press(&mut self) {
        self.state = match self.state {
            State::On { left } => State::Paused { was_on: true, left },
            State::Off { left } => State::Paused { was_on: false, left },
            State::Paused { was_on: true, left } => State::On { left },
            State::Paused { was_on: false, left } => State::Off { left },
        };
    }

    /// One tick of the clock: counts down, and changes over at zero.
    #[inline(never)]
    fn tick(&mut self) {
        self.state = match self.state {
            State::On { left: 1 } => State::Off { left: TICKS_OFF },
            State::On { left } => State::On { left: left - 1 },
            State::Off { left: 0 } => {
                self.blinks += 1;
                State::On { left: TICKS_ON }
            }
            State::Off { left } => State::Off { left: left - 1 },
            State::Paused { was_on, left } => State::Paused { was_on, left: left - 1 },
        };
    }

    fn lit(&self) -> bool {
        matches!(self.state, State::On { .. } | State::Paused { was_on: true, .. })
    }
}

#[no_mangle]
pub extern "C" fn main() {
    let mut blinker = Blinker {
        state: State::Off { left: 0 },
        pressed: false,
        blinks: 0,
    };
    unsafe {
        chip_pin_mode(LED, OUTPUT);
        chip_pin_mode(BUTTON, INPUT);
    }
    loop {
        let down = unsafe { chip_digital_read(BUTTON) } == 1;
        if down && !blinker.pressed {
            blinker.press();
        }
        blinker.pressed = down;
        blinker.tick();
        unsafe {
            chip_digital_write(LED, blinker.lit() as i32);
            chip_delay(100);
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}
