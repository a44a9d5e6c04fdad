//! The kernels: what runs, and how much of it.

impl Kernel {
    /// True if it has vectors, which not every engine has.
    pub fn has_vectors(&self) -> bool {
        self.name.starts_with("simd_")
    }
}

/// A program that every engine runs; sources in `kernels/`.
pub struct Kernel {
    pub name: &'static str,
    pub wasm: &'static [u8],
    /// The argument of one timed run, for some 20 ms.
    pub n: u32,
}

macro_rules! kernels {
    ($($name:ident $n:literal;)*) => {
        pub const ALL: &[Kernel] = &[$(Kernel {
            name: stringify!($name),
            wasm: include_bytes!(concat!("../kernels/", stringify!($name), ".wasm")),
            n: $n,
        }),*];
    };
}

kernels! {
    fib 40;
    prime 60;
    crc32 400;
    matmul_f64 20;
    matmul_f32 16;
    quicksort 20;
    sha256 200;
    bytes 400;
    bulk 400;
    mandelbrot 16;
    nbody 200;
    indirect 400;
    machine 120;
    siphash 120;
    list 100;
    simd_matmul 60;
    simd_bytes 60;
    simd_mix 12;
}
