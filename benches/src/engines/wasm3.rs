//! wasm3, through its C interface.

use std::ffi::{CStr, c_char};

use super::{Engine, Instance, Outcome};

#[repr(C)]
struct Raw {
    environment: *mut u8,
    runtime: *mut u8,
    run: *mut u8,
}

unsafe extern "C" {
    fn borges_wasm3_version() -> *const c_char;
    fn borges_wasm3_load(it: *mut Raw, bytes: *const u8, length: u32) -> *const c_char;
    fn borges_wasm3_run(it: *mut Raw, n: u32, sum: *mut u32) -> *const c_char;
}

fn check(error: *const c_char) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: wasm3's errors are static strings.
    Err(unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned())
}

pub struct Wasm3;

impl Engine for Wasm3 {
    fn name(&self) -> &'static str {
        "wasm3"
    }

    fn describe(&self) -> String {
        // SAFETY: a static string.
        let version = unsafe { CStr::from_ptr(borges_wasm3_version()) }.to_string_lossy();
        format!("wasm3 {version}, {} -O3 -march=native", env!("WASM3_COMPILER"))
    }

    fn load(&self, wasm: &'static [u8]) -> Result<Box<dyn Instance>, String> {
        let mut raw = Raw {
            environment: std::ptr::null_mut(),
            runtime: std::ptr::null_mut(),
            run: std::ptr::null_mut(),
        };
        // SAFETY: `raw` has the layout of the C side's struct, and `wasm` lives forever.
        check(unsafe { borges_wasm3_load(&mut raw, wasm.as_ptr(), wasm.len() as u32) })?;
        Ok(Box::new(raw))
    }
}

impl Instance for Raw {
    fn run(&mut self, n: u32) -> Result<Outcome, String> {
        let mut sum = 0;
        // SAFETY: `self` was filled by a successful load.
        check(unsafe { borges_wasm3_run(self, n, &mut sum) })?;
        Ok(Outcome { sum, steps: None })
    }
}
