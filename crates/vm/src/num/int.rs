//! Integer instructions: comparison, arithmetic, bits, sign extension.

use super::NumTrap;

macro_rules! integers {
    ($int:ty, $uint:ty, $($name:ident)*) => { integers!(@named $int, $uint, $($name)*); };
    (@named $int:ty, $uint:ty,
        $eqz:ident $eq:ident $ne:ident $lt_s:ident $lt_u:ident $gt_s:ident $gt_u:ident
        $le_s:ident $le_u:ident $ge_s:ident $ge_u:ident
        $clz:ident $ctz:ident $popcnt:ident $add:ident $sub:ident $mul:ident
        $div_s:ident $div_u:ident $rem_s:ident $rem_u:ident
        $and:ident $or:ident $xor:ident $shl:ident $shr_s:ident $shr_u:ident $rotl:ident $rotr:ident
        $extend8_s:ident $extend16_s:ident
    ) => {
        /// 1 if the operand is zero.
        #[inline(always)]
        pub fn $eqz(a: $int) -> i32 { i32::from(a == 0) }
        /// 1 if the operands are equal.
        #[inline(always)]
        pub fn $eq(a: $int, b: $int) -> i32 { i32::from(a == b) }
        /// 1 if the operands differ.
        #[inline(always)]
        pub fn $ne(a: $int, b: $int) -> i32 { i32::from(a != b) }
        /// 1 if `a < b`, signed.
        #[inline(always)]
        pub fn $lt_s(a: $int, b: $int) -> i32 { i32::from(a < b) }
        /// 1 if `a < b`, unsigned.
        #[inline(always)]
        pub fn $lt_u(a: $int, b: $int) -> i32 { i32::from((a as $uint) < b as $uint) }
        /// 1 if `a > b`, signed.
        #[inline(always)]
        pub fn $gt_s(a: $int, b: $int) -> i32 { i32::from(a > b) }
        /// 1 if `a > b`, unsigned.
        #[inline(always)]
        pub fn $gt_u(a: $int, b: $int) -> i32 { i32::from(a as $uint > b as $uint) }
        /// 1 if `a <= b`, signed.
        #[inline(always)]
        pub fn $le_s(a: $int, b: $int) -> i32 { i32::from(a <= b) }
        /// 1 if `a <= b`, unsigned.
        #[inline(always)]
        pub fn $le_u(a: $int, b: $int) -> i32 { i32::from(a as $uint <= b as $uint) }
        /// 1 if `a >= b`, signed.
        #[inline(always)]
        pub fn $ge_s(a: $int, b: $int) -> i32 { i32::from(a >= b) }
        /// 1 if `a >= b`, unsigned.
        #[inline(always)]
        pub fn $ge_u(a: $int, b: $int) -> i32 { i32::from(a as $uint >= b as $uint) }
        /// Leading zero bits; the type's width for zero.
        #[inline(always)]
        pub fn $clz(a: $int) -> $int { a.leading_zeros() as $int }
        /// Trailing zero bits; the type's width for zero.
        #[inline(always)]
        pub fn $ctz(a: $int) -> $int { a.trailing_zeros() as $int }
        /// Bits set.
        #[inline(always)]
        pub fn $popcnt(a: $int) -> $int { a.count_ones() as $int }
        /// Sum, modulo the type's range.
        #[inline(always)]
        pub fn $add(a: $int, b: $int) -> $int { a.wrapping_add(b) }
        /// Difference, modulo the type's range.
        #[inline(always)]
        pub fn $sub(a: $int, b: $int) -> $int { a.wrapping_sub(b) }
        /// Product, modulo the type's range.
        #[inline(always)]
        pub fn $mul(a: $int, b: $int) -> $int { a.wrapping_mul(b) }
        /// Signed quotient, rounded towards zero.
        ///
        /// # Errors
        /// [`NumTrap::DivideByZero`]; [`NumTrap::Overflow`] for `MIN / -1`.
        #[inline(always)]
        pub fn $div_s(a: $int, b: $int) -> Result<$int, NumTrap> {
            if b == 0 {
                return Err(NumTrap::DivideByZero);
            }
            a.checked_div(b).ok_or(NumTrap::Overflow)
        }
        /// Unsigned quotient.
        ///
        /// # Errors
        /// [`NumTrap::DivideByZero`].
        #[inline(always)]
        pub fn $div_u(a: $int, b: $int) -> Result<$int, NumTrap> {
            match (a as $uint).checked_div(b as $uint) {
                Some(quotient) => Ok(quotient as $int),
                None => Err(NumTrap::DivideByZero),
            }
        }
        /// Signed remainder, with the sign of the dividend; `MIN rem -1` is 0.
        ///
        /// # Errors
        /// [`NumTrap::DivideByZero`].
        #[inline(always)]
        pub fn $rem_s(a: $int, b: $int) -> Result<$int, NumTrap> {
            if b == 0 {
                return Err(NumTrap::DivideByZero);
            }
            Ok(a.wrapping_rem(b))
        }
        /// Unsigned remainder.
        ///
        /// # Errors
        /// [`NumTrap::DivideByZero`].
        #[inline(always)]
        pub fn $rem_u(a: $int, b: $int) -> Result<$int, NumTrap> {
            match (a as $uint).checked_rem(b as $uint) {
                Some(remainder) => Ok(remainder as $int),
                None => Err(NumTrap::DivideByZero),
            }
        }
        /// Bitwise and.
        #[inline(always)]
        pub fn $and(a: $int, b: $int) -> $int { a & b }
        /// Bitwise or.
        #[inline(always)]
        pub fn $or(a: $int, b: $int) -> $int { a | b }
        /// Bitwise exclusive or.
        #[inline(always)]
        pub fn $xor(a: $int, b: $int) -> $int { a ^ b }
        /// Shift left by `b` modulo the width.
        #[inline(always)]
        pub fn $shl(a: $int, b: $int) -> $int { a.wrapping_shl(b as u32) }
        /// Shift right by `b` modulo the width, copying the sign.
        #[inline(always)]
        pub fn $shr_s(a: $int, b: $int) -> $int { a.wrapping_shr(b as u32) }
        /// Shift right by `b` modulo the width, filling with zeros.
        #[inline(always)]
        pub fn $shr_u(a: $int, b: $int) -> $int { (a as $uint).wrapping_shr(b as u32) as $int }
        /// Rotation left by `b` modulo the width.
        #[inline(always)]
        pub fn $rotl(a: $int, b: $int) -> $int { a.rotate_left(b as u32 & (<$int>::BITS - 1)) }
        /// Rotation right by `b` modulo the width.
        #[inline(always)]
        pub fn $rotr(a: $int, b: $int) -> $int { a.rotate_right(b as u32 & (<$int>::BITS - 1)) }
        /// The low 8 bits, sign-extended.
        #[inline(always)]
        pub fn $extend8_s(a: $int) -> $int { <$int>::from(a as i8) }
        /// The low 16 bits, sign-extended.
        #[inline(always)]
        pub fn $extend16_s(a: $int) -> $int { <$int>::from(a as i16) }
    };
}

integers! { i32, u32,
    i32_eqz i32_eq i32_ne i32_lt_s i32_lt_u i32_gt_s i32_gt_u i32_le_s i32_le_u i32_ge_s i32_ge_u
    i32_clz i32_ctz i32_popcnt i32_add i32_sub i32_mul i32_div_s i32_div_u i32_rem_s i32_rem_u
    i32_and i32_or i32_xor i32_shl i32_shr_s i32_shr_u i32_rotl i32_rotr
    i32_extend8_s i32_extend16_s
}

integers! { i64, u64,
    i64_eqz i64_eq i64_ne i64_lt_s i64_lt_u i64_gt_s i64_gt_u i64_le_s i64_le_u i64_ge_s i64_ge_u
    i64_clz i64_ctz i64_popcnt i64_add i64_sub i64_mul i64_div_s i64_div_u i64_rem_s i64_rem_u
    i64_and i64_or i64_xor i64_shl i64_shr_s i64_shr_u i64_rotl i64_rotr
    i64_extend8_s i64_extend16_s
}

/// The low 32 bits, sign-extended.
#[inline(always)]
pub fn i64_extend32_s(a: i64) -> i64 {
    i64::from(a as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_traps_where_the_standard_says() {
        assert_eq!(i32_div_s(1, 0), Err(NumTrap::DivideByZero));
        assert_eq!(i32_div_s(i32::MIN, -1), Err(NumTrap::Overflow));
        assert_eq!(i32_rem_s(i32::MIN, -1), Ok(0));
        assert_eq!(i64_rem_s(i64::MIN, -1), Ok(0));
        assert_eq!(i64_div_u(-1, 0), Err(NumTrap::DivideByZero));
        assert_eq!(i64_div_u(-1, 2), Ok(i64::MAX));
        assert_eq!(i32_rem_u(-1, 10), Ok(5));
        assert_eq!(i32_div_s(-7, 2), Ok(-3));
    }

    #[test]
    fn shifts_and_rotations_take_their_count_modulo_the_width() {
        assert_eq!(i32_shl(1, 33), 2);
        assert_eq!(i32_shr_u(-1, 28 + 32), 15);
        assert_eq!(i32_shr_s(-16, 34), -4);
        assert_eq!(i64_shl(1, 65), 2);
        assert_eq!(i64_shr_u(-1, i64::MIN + 60), 15);
        assert_eq!(i32_rotl(0x8000_0001_u32 as i32, 33), 3);
        assert_eq!(i64_rotr(1, 65), i64::MIN);
    }

    #[test]
    fn comparisons_know_their_signs() {
        assert_eq!((i32_lt_s(-1, 1), i32_lt_u(-1, 1)), (1, 0));
        assert_eq!((i64_ge_s(-1, 1), i64_ge_u(-1, 1)), (0, 1));
    }

    #[test]
    fn extensions_keep_the_low_bits() {
        assert_eq!(i32_extend8_s(0x1280), -128);
        assert_eq!(i32_extend16_s(0x1_8000), -32768);
        assert_eq!(i64_extend32_s(0x1_8000_0000), -2_147_483_648);
    }
}
