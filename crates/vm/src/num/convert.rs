//! Conversions between the number types.

use super::{NumTrap, f32_canonical, f64_canonical};

/// `$low < x < $high` are the inputs whose integer part fits; both bounds are exact in the float's
/// type (where `MIN - 1` is not, `$low` is the next smaller float that is).
macro_rules! truncations {
    ($($name:ident $sat:ident: $float:ty => $via:ty => $int:ty, $low:literal < x < $high:literal;)*) => { $(
        /// The integer part, for the integer type and signedness in the name.
        ///
        /// # Errors
        /// [`NumTrap::InvalidConversion`] for a NaN; [`NumTrap::Overflow`] if it does not fit.
        #[inline(always)]
        pub fn $name(a: $float) -> Result<$int, NumTrap> {
            if $low < a && a < $high {
                return Ok(a as $via as $int);
            }
            Err(if a.is_nan() { NumTrap::InvalidConversion } else { NumTrap::Overflow })
        }

        /// The integer part, clamped to the range of the type in the name; 0 for a NaN.
        #[inline(always)]
        pub fn $sat(a: $float) -> $int {
            a as $via as $int
        }
    )* };
}

truncations! {
    i32_trunc_f32_s i32_trunc_sat_f32_s: f32 => i32 => i32, -2_147_483_904.0 < x < 2_147_483_648.0;
    i32_trunc_f32_u i32_trunc_sat_f32_u: f32 => u32 => i32, -1.0 < x < 4_294_967_296.0;
    i32_trunc_f64_s i32_trunc_sat_f64_s: f64 => i32 => i32, -2_147_483_649.0 < x < 2_147_483_648.0;
    i32_trunc_f64_u i32_trunc_sat_f64_u: f64 => u32 => i32, -1.0 < x < 4_294_967_296.0;
    i64_trunc_f32_s i64_trunc_sat_f32_s: f32 => i64 => i64, -9_223_373_136_366_403_584.0 < x < 9_223_372_036_854_775_808.0;
    i64_trunc_f32_u i64_trunc_sat_f32_u: f32 => u64 => i64, -1.0 < x < 18_446_744_073_709_551_616.0;
    i64_trunc_f64_s i64_trunc_sat_f64_s: f64 => i64 => i64, -9_223_372_036_854_777_856.0 < x < 9_223_372_036_854_775_808.0;
    i64_trunc_f64_u i64_trunc_sat_f64_u: f64 => u64 => i64, -1.0 < x < 18_446_744_073_709_551_616.0;
}

/// `as` rounds integers to the nearest float, halves to even, in one rounding.
macro_rules! casts {
    ($($name:ident: $from:ty => $via:ty => $to:ty, $what:literal;)*) => { $(
        #[doc = $what]
        #[inline(always)]
        pub fn $name(a: $from) -> $to {
            a as $via as $to
        }
    )* };
}

casts! {
    i32_wrap_i64: i64 => i32 => i32, "The low 32 bits.";
    i64_extend_i32_s: i32 => i32 => i64, "Sign-extended.";
    i64_extend_i32_u: i32 => u32 => i64, "Zero-extended.";
    f32_convert_i32_s: i32 => i32 => f32, "The nearest float to a signed integer.";
    f32_convert_i32_u: i32 => u32 => f32, "The nearest float to an unsigned integer.";
    f32_convert_i64_s: i64 => i64 => f32, "The nearest float to a signed integer.";
    f32_convert_i64_u: i64 => u64 => f32, "The nearest float to an unsigned integer.";
    f64_convert_i32_s: i32 => i32 => f64, "The float equal to a signed integer.";
    f64_convert_i32_u: i32 => u32 => f64, "The float equal to an unsigned integer.";
    f64_convert_i64_s: i64 => i64 => f64, "The nearest float to a signed integer.";
    f64_convert_i64_u: i64 => u64 => f64, "The nearest float to an unsigned integer.";
}

/// The nearest `f32`.
#[inline(always)]
pub fn f32_demote_f64(a: f64) -> f32 {
    f32_canonical(a as f32)
}

/// The equal `f64`.
#[inline(always)]
pub fn f64_promote_f32(a: f32) -> f64 {
    f64_canonical(f64::from(a))
}

/// The same bits as an integer.
#[inline(always)]
pub fn i32_reinterpret_f32(a: f32) -> i32 {
    a.to_bits() as i32
}

/// The same bits as an integer.
#[inline(always)]
pub fn i64_reinterpret_f64(a: f64) -> i64 {
    a.to_bits() as i64
}

/// The same bits as a float.
#[inline(always)]
pub fn f32_reinterpret_i32(a: i32) -> f32 {
    f32::from_bits(a as u32)
}

/// The same bits as a float.
#[inline(always)]
pub fn f64_reinterpret_i64(a: i64) -> f64 {
    f64::from_bits(a as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncation_fits_exactly_to_the_bounds() {
        assert_eq!(i32_trunc_f64_s(2_147_483_647.9), Ok(i32::MAX));
        assert_eq!(i32_trunc_f64_s(2_147_483_648.0), Err(NumTrap::Overflow));
        assert_eq!(i32_trunc_f64_s(-2_147_483_648.9), Ok(i32::MIN));
        assert_eq!(i32_trunc_f64_s(-2_147_483_649.0), Err(NumTrap::Overflow));
        assert_eq!(i32_trunc_f32_s(-2_147_483_648.0), Ok(i32::MIN));
        assert_eq!(i32_trunc_f32_s(-2_147_483_904.0), Err(NumTrap::Overflow));
        assert_eq!(i32_trunc_f64_u(-0.9), Ok(0));
        assert_eq!(i32_trunc_f64_u(-1.0), Err(NumTrap::Overflow));
        assert_eq!(i32_trunc_f64_u(4_294_967_295.9), Ok(-1));
        assert_eq!(i64_trunc_f64_s(-9_223_372_036_854_775_808.0), Ok(i64::MIN));
        assert_eq!(
            i64_trunc_f64_s(9_223_372_036_854_775_808.0),
            Err(NumTrap::Overflow)
        );
        assert_eq!(i64_trunc_f32_s(-9_223_372_036_854_775_808.0), Ok(i64::MIN));
        assert_eq!(
            i64_trunc_f32_u(18_446_742_974_197_923_840.0),
            Ok(0xffff_ff00_0000_0000_u64 as i64)
        );
        assert_eq!(i64_trunc_f32_u(f32::NAN), Err(NumTrap::InvalidConversion));
        assert_eq!(i64_trunc_f64_u(f64::INFINITY), Err(NumTrap::Overflow));
    }

    #[test]
    fn saturation_clamps() {
        assert_eq!(i32_trunc_sat_f32_s(f32::NAN), 0);
        assert_eq!(i32_trunc_sat_f32_u(-5.0), 0);
        assert_eq!(i32_trunc_sat_f64_u(1e30), -1);
        assert_eq!(i64_trunc_sat_f64_s(f64::NEG_INFINITY), i64::MIN);
        assert_eq!(i64_trunc_sat_f32_u(1e30), -1);
    }

    #[test]
    fn integers_round_once() {
        // Just above the middle of two floats; through f64 it would become the middle, and then round to even: down.
        assert_eq!(
            f32_convert_i64_s(0x4000_0040_0000_0001),
            4_611_686_568_183_201_792.0
        );
        assert_eq!(f32_convert_i64_u(-1), 18_446_744_073_709_551_616.0);
        assert_eq!(f64_convert_i32_u(-1), 4_294_967_295.0);
        assert_eq!(f32_convert_i32_s(16_777_217), 16_777_216.0);
    }

    #[test]
    fn changes_of_width_canonicalise_and_reinterpretations_do_not() {
        assert_eq!(
            f64_promote_f32(f32::from_bits(0xff80_0001)).to_bits(),
            super::super::F64_NAN
        );
        assert_eq!(
            f32_demote_f64(f64::from_bits(0xfff8_0000_0000_0001)).to_bits(),
            super::super::F32_NAN
        );
        assert_eq!(
            i32_reinterpret_f32(f32_reinterpret_i32(0x7f80_0001)),
            0x7f80_0001
        );
        assert_eq!(i64_reinterpret_f64(f64_reinterpret_i64(-1)), -1);
        assert_eq!(i64_extend_i32_u(-1), 0xffff_ffff);
    }
}
