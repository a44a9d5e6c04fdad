//! Float instructions: comparison, arithmetic, rounding, signs.

use core::hint::cold_path;

macro_rules! floats {
    ($float:ty, $bits:ty, $canonical:ident = $nan:literal, $canon:ident, $sqrt_of:path, $ceil_of:path, $floor_of:path,
        $trunc_of:path, $nearest_of:path;
        $eq:ident $ne:ident $lt:ident $gt:ident $le:ident $ge:ident
        $abs:ident $neg:ident $ceil:ident $floor:ident $trunc:ident $nearest:ident $sqrt:ident
        $add:ident $sub:ident $mul:ident $div:ident $min:ident $max:ident $copysign:ident
    ) => {
        /// Bits of the canonical NaN, the only one that arithmetic ever gives.
        pub const $canonical: $bits = $nan;

        /// Replaces any NaN by the canonical one.
        #[inline(always)]
        pub fn $canon(result: $float) -> $float {
            // A branch that is never taken costs less than the select LLVM would make of it.
            if result.is_nan() {
                cold_path();
                return <$float>::from_bits($canonical);
            }
            result
        }

        /// 1 if the operands are equal; a NaN equals nothing.
        #[inline(always)]
        pub fn $eq(a: $float, b: $float) -> i32 {
            i32::from(a == b)
        }
        /// 1 if the operands differ or one is a NaN.
        #[inline(always)]
        pub fn $ne(a: $float, b: $float) -> i32 {
            i32::from(a != b)
        }
        /// 1 if `a < b`.
        #[inline(always)]
        pub fn $lt(a: $float, b: $float) -> i32 {
            i32::from(a < b)
        }
        /// 1 if `a > b`.
        #[inline(always)]
        pub fn $gt(a: $float, b: $float) -> i32 {
            i32::from(a > b)
        }
        /// 1 if `a <= b`.
        #[inline(always)]
        pub fn $le(a: $float, b: $float) -> i32 {
            i32::from(a <= b)
        }
        /// 1 if `a >= b`.
        #[inline(always)]
        pub fn $ge(a: $float, b: $float) -> i32 {
            i32::from(a >= b)
        }
        /// Clears the sign bit, of a NaN too.
        #[inline(always)]
        pub fn $abs(a: $float) -> $float {
            <$float>::from_bits(a.to_bits() & !(1 << (<$bits>::BITS - 1)))
        }
        /// Flips the sign bit, of a NaN too.
        #[inline(always)]
        pub fn $neg(a: $float) -> $float {
            <$float>::from_bits(a.to_bits() ^ (1 << (<$bits>::BITS - 1)))
        }
        /// The magnitude of `a` with the sign bit of `b`.
        #[inline(always)]
        pub fn $copysign(a: $float, b: $float) -> $float {
            let sign: $bits = 1 << (<$bits>::BITS - 1);
            <$float>::from_bits((a.to_bits() & !sign) | (b.to_bits() & sign))
        }
        /// Rounded up.
        #[inline(always)]
        pub fn $ceil(a: $float) -> $float {
            $canon($ceil_of(a))
        }
        /// Rounded down.
        #[inline(always)]
        pub fn $floor(a: $float) -> $float {
            $canon($floor_of(a))
        }
        /// Rounded towards zero.
        #[inline(always)]
        pub fn $trunc(a: $float) -> $float {
            $canon($trunc_of(a))
        }
        /// Rounded to the nearest integer, halves to the even one.
        #[inline(always)]
        pub fn $nearest(a: $float) -> $float {
            $canon($nearest_of(a))
        }
        /// Square root.
        #[inline(always)]
        pub fn $sqrt(a: $float) -> $float {
            $canon($sqrt_of(a))
        }
        /// Sum.
        #[inline(always)]
        pub fn $add(a: $float, b: $float) -> $float {
            $canon(a + b)
        }
        /// Difference.
        #[inline(always)]
        pub fn $sub(a: $float, b: $float) -> $float {
            $canon(a - b)
        }
        /// Product.
        #[inline(always)]
        pub fn $mul(a: $float, b: $float) -> $float {
            $canon(a * b)
        }
        /// Quotient.
        #[inline(always)]
        pub fn $div(a: $float, b: $float) -> $float {
            $canon(a / b)
        }
        /// The smaller operand; a NaN if either is one; -0 is smaller than 0.
        #[inline(always)]
        pub fn $min(a: $float, b: $float) -> $float {
            if a < b {
                a
            } else if b < a {
                b
            } else if a == b {
                // Equal, so either the same bits or zeros whose signs may differ.
                <$float>::from_bits(a.to_bits() | b.to_bits())
            } else {
                <$float>::from_bits($canonical)
            }
        }
        /// The larger operand; a NaN if either is one; 0 is larger than -0.
        #[inline(always)]
        pub fn $max(a: $float, b: $float) -> $float {
            if a > b {
                a
            } else if b > a {
                b
            } else if a == b {
                <$float>::from_bits(a.to_bits() & b.to_bits())
            } else {
                <$float>::from_bits($canonical)
            }
        }
    };
}

floats! { f32, u32, F32_NAN = 0x7fc0_0000, f32_canonical,
    libm::sqrtf, libm::ceilf, libm::floorf, libm::truncf, libm::rintf;
    f32_eq f32_ne f32_lt f32_gt f32_le f32_ge
    f32_abs f32_neg f32_ceil f32_floor f32_trunc f32_nearest f32_sqrt
    f32_add f32_sub f32_mul f32_div f32_min f32_max f32_copysign
}

floats! { f64, u64, F64_NAN = 0x7ff8_0000_0000_0000, f64_canonical,
    libm::sqrt, libm::ceil, libm::floor, libm::trunc, libm::rint;
    f64_eq f64_ne f64_lt f64_gt f64_le f64_ge
    f64_abs f64_neg f64_ceil f64_floor f64_trunc f64_nearest f64_sqrt
    f64_add f64_sub f64_mul f64_div f64_min f64_max f64_copysign
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A NaN with sign and payload, which arithmetic must not let through.
    const ODD_F32: u32 = 0xffc1_2345;
    const ODD_F64: u64 = 0xfff8_0000_dead_beef;

    #[test]
    fn arithmetic_gives_the_canonical_nan() {
        let nan = f32::from_bits(ODD_F32);
        for result in [
            f32_add(nan, 1.0),
            f32_sub(1.0, nan),
            f32_mul(f32::INFINITY, 0.0),
            f32_div(0.0, 0.0),
            f32_min(nan, 1.0),
            f32_max(1.0, nan),
            f32_sqrt(-1.0),
            f32_ceil(nan),
            f32_floor(nan),
            f32_trunc(nan),
            f32_nearest(nan),
        ] {
            assert_eq!(result.to_bits(), F32_NAN);
        }
        let nan = f64::from_bits(ODD_F64);
        for result in [
            f64_add(nan, 1.0),
            f64_sub(f64::INFINITY, f64::INFINITY),
            f64_mul(nan, nan),
            f64_div(0.0, 0.0),
            f64_min(1.0, nan),
            f64_max(nan, 1.0),
            f64_sqrt(nan),
            f64_ceil(nan),
            f64_floor(nan),
            f64_trunc(nan),
            f64_nearest(nan),
        ] {
            assert_eq!(result.to_bits(), F64_NAN);
        }
    }

    #[test]
    fn sign_instructions_keep_payloads() {
        assert_eq!(f32_neg(f32::from_bits(ODD_F32)).to_bits(), 0x7fc1_2345);
        assert_eq!(f32_abs(f32::from_bits(ODD_F32)).to_bits(), 0x7fc1_2345);
        assert_eq!(f64_copysign(1.0, f64::from_bits(ODD_F64)), -1.0);
        assert_eq!(
            f64_copysign(f64::from_bits(ODD_F64), 1.0).to_bits(),
            ODD_F64 & !(1 << 63)
        );
    }

    #[test]
    fn zeros_are_ordered_by_sign() {
        assert_eq!(f32_min(0.0, -0.0).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(f32_max(-0.0, 0.0).to_bits(), 0.0_f32.to_bits());
        assert_eq!(f64_min(-0.0, 0.0).to_bits(), (-0.0_f64).to_bits());
        assert_eq!(f64_max(0.0, -0.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(f64_max(-3.0, -2.0), -2.0);
        assert_eq!(f64_min(-3.0, -2.0), -3.0);
    }

    #[test]
    fn nearest_rounds_halves_to_even() {
        assert_eq!(
            [0.5, 1.5, 2.5, -2.5, 4.6].map(f64_nearest),
            [0.0, 2.0, 2.0, -2.0, 5.0]
        );
        assert_eq!(
            [0.5, 1.5, 2.5, -2.5, 4.6].map(f32_nearest),
            [0.0, 2.0, 2.0, -2.0, 5.0]
        );
        assert_eq!(f64_nearest(-0.4).to_bits(), (-0.0_f64).to_bits());
    }
}
