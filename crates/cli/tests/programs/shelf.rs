//! A vector that grows, whose elements change.

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn chip_analog_read(pin: i32) -> i32;
    fn print_int(value: i32);
}

#[unsafe(no_mangle)]
pub extern "C" fn main() {
    let mut v: Vec<i32> = Vec::new();
    v.push(1);
    v.push(2);
    for _ in 0..3 {
        let level = unsafe { chip_analog_read(1) };
        v[0] += level;
        v[1] = v[0] * 2;
        unsafe { print_int(v[1]) };
    }
}
