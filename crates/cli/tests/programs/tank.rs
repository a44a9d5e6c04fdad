//! A panic of Rust's library, an inlined call in a line that is executed once, a closure in one line.

#![no_std]

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn chip_analog_read(pin: i32) -> i32;
    fn print_int(value: i32);
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Off = 1,
    Heat = 4,
}

#[inline(always)]
fn halved(level: i32) -> i32 {
    let half = level / 2;
    half
}

fn check(level: i32, name: &str) {
    if level > 9 {
        panic!("level {level} of {name} is too high");
    }
}

fn pick(levels: &[i32], at: usize) -> i32 {
    levels[at]
}

#[unsafe(no_mangle)]
pub extern "C" fn main() {
    let levels = [10, 20, 30, 40, 50];
    let mut mode = Mode::Off;
    let double = |level: i32| level * 2;
    loop {
        let level = unsafe { chip_analog_read(1) };
        let half = halved(level) + halved(level + 1);
        if half > 3 && mode == Mode::Off {
            mode = Mode::Heat;
        }
        unsafe { print_int(double(half)) };
        check(level, "tank");
        unsafe { print_int(pick(&levels, level as usize)) };
    }
}
