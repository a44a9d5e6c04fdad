//! Collects readings in a vector until one is 0, twice, keeps both in a vector, and says whether the first only grew and is as
//! long as the second.
#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn chip_analog_read(pin: i32) -> i32;
    fn chip_digital_write(pin: i32, level: i32);
}

fn series() -> Vec<u8> {
    let mut all = Vec::new();
    while all.len() < 6 {
        match unsafe { chip_analog_read(34) } {
            0 => break,
            reading => all.push(reading as u8),
        }
    }
    all
}

#[unsafe(no_mangle)]
pub extern "C" fn main() {
    loop {
        let first = series();
        let grows = first.is_sorted();
        let both = vec![first, series()];
        let is_same = both[0].len() == both[1].len();
        unsafe { chip_digital_write(13, i32::from(grows && is_same)) };
    }
}
