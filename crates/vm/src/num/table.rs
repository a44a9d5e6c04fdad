//! The list of numeric instructions, and the enum generated from it.

use super::{NumTrap, Number};
use crate::ValType;

/// Calls the macro `$then` with one row for every numeric instruction:
/// `opcode Variant function "text" (operand types) -> result type total|traps;`
///
/// Opcodes after the prefix byte 0xfc are written `0xfc00 + number`. A `traps` function gives a
/// `Result`.
#[macro_export]
#[doc(hidden)]
macro_rules! numeric_ops {
    ($then:ident) => { $crate::numeric_ops! { $then! } };
    ($($then:tt)*) => { $($then)* {
        0x45 I32Eqz i32_eqz "i32.eqz" (i32) -> i32 total;
        0x46 I32Eq i32_eq "i32.eq" (i32, i32) -> i32 total;
        0x47 I32Ne i32_ne "i32.ne" (i32, i32) -> i32 total;
        0x48 I32LtS i32_lt_s "i32.lt_s" (i32, i32) -> i32 total;
        0x49 I32LtU i32_lt_u "i32.lt_u" (i32, i32) -> i32 total;
        0x4a I32GtS i32_gt_s "i32.gt_s" (i32, i32) -> i32 total;
        0x4b I32GtU i32_gt_u "i32.gt_u" (i32, i32) -> i32 total;
        0x4c I32LeS i32_le_s "i32.le_s" (i32, i32) -> i32 total;
        0x4d I32LeU i32_le_u "i32.le_u" (i32, i32) -> i32 total;
        0x4e I32GeS i32_ge_s "i32.ge_s" (i32, i32) -> i32 total;
        0x4f I32GeU i32_ge_u "i32.ge_u" (i32, i32) -> i32 total;
        0x50 I64Eqz i64_eqz "i64.eqz" (i64) -> i32 total;
        0x51 I64Eq i64_eq "i64.eq" (i64, i64) -> i32 total;
        0x52 I64Ne i64_ne "i64.ne" (i64, i64) -> i32 total;
        0x53 I64LtS i64_lt_s "i64.lt_s" (i64, i64) -> i32 total;
        0x54 I64LtU i64_lt_u "i64.lt_u" (i64, i64) -> i32 total;
        0x55 I64GtS i64_gt_s "i64.gt_s" (i64, i64) -> i32 total;
        0x56 I64GtU i64_gt_u "i64.gt_u" (i64, i64) -> i32 total;
        0x57 I64LeS i64_le_s "i64.le_s" (i64, i64) -> i32 total;
        0x58 I64LeU i64_le_u "i64.le_u" (i64, i64) -> i32 total;
        0x59 I64GeS i64_ge_s "i64.ge_s" (i64, i64) -> i32 total;
        0x5a I64GeU i64_ge_u "i64.ge_u" (i64, i64) -> i32 total;
        0x5b F32Eq f32_eq "f32.eq" (f32, f32) -> i32 total;
        0x5c F32Ne f32_ne "f32.ne" (f32, f32) -> i32 total;
        0x5d F32Lt f32_lt "f32.lt" (f32, f32) -> i32 total;
        0x5e F32Gt f32_gt "f32.gt" (f32, f32) -> i32 total;
        0x5f F32Le f32_le "f32.le" (f32, f32) -> i32 total;
        0x60 F32Ge f32_ge "f32.ge" (f32, f32) -> i32 total;
        0x61 F64Eq f64_eq "f64.eq" (f64, f64) -> i32 total;
        0x62 F64Ne f64_ne "f64.ne" (f64, f64) -> i32 total;
        0x63 F64Lt f64_lt "f64.lt" (f64, f64) -> i32 total;
        0x64 F64Gt f64_gt "f64.gt" (f64, f64) -> i32 total;
        0x65 F64Le f64_le "f64.le" (f64, f64) -> i32 total;
        0x66 F64Ge f64_ge "f64.ge" (f64, f64) -> i32 total;
        0x67 I32Clz i32_clz "i32.clz" (i32) -> i32 total;
        0x68 I32Ctz i32_ctz "i32.ctz" (i32) -> i32 total;
        0x69 I32Popcnt i32_popcnt "i32.popcnt" (i32) -> i32 total;
        0x6a I32Add i32_add "i32.add" (i32, i32) -> i32 total;
        0x6b I32Sub i32_sub "i32.sub" (i32, i32) -> i32 total;
        0x6c I32Mul i32_mul "i32.mul" (i32, i32) -> i32 total;
        0x6d I32DivS i32_div_s "i32.div_s" (i32, i32) -> i32 traps;
        0x6e I32DivU i32_div_u "i32.div_u" (i32, i32) -> i32 traps;
        0x6f I32RemS i32_rem_s "i32.rem_s" (i32, i32) -> i32 traps;
        0x70 I32RemU i32_rem_u "i32.rem_u" (i32, i32) -> i32 traps;
        0x71 I32And i32_and "i32.and" (i32, i32) -> i32 total;
        0x72 I32Or i32_or "i32.or" (i32, i32) -> i32 total;
        0x73 I32Xor i32_xor "i32.xor" (i32, i32) -> i32 total;
        0x74 I32Shl i32_shl "i32.shl" (i32, i32) -> i32 total;
        0x75 I32ShrS i32_shr_s "i32.shr_s" (i32, i32) -> i32 total;
        0x76 I32ShrU i32_shr_u "i32.shr_u" (i32, i32) -> i32 total;
        0x77 I32Rotl i32_rotl "i32.rotl" (i32, i32) -> i32 total;
        0x78 I32Rotr i32_rotr "i32.rotr" (i32, i32) -> i32 total;
        0x79 I64Clz i64_clz "i64.clz" (i64) -> i64 total;
        0x7a I64Ctz i64_ctz "i64.ctz" (i64) -> i64 total;
        0x7b I64Popcnt i64_popcnt "i64.popcnt" (i64) -> i64 total;
        0x7c I64Add i64_add "i64.add" (i64, i64) -> i64 total;
        0x7d I64Sub i64_sub "i64.sub" (i64, i64) -> i64 total;
        0x7e I64Mul i64_mul "i64.mul" (i64, i64) -> i64 total;
        0x7f I64DivS i64_div_s "i64.div_s" (i64, i64) -> i64 traps;
        0x80 I64DivU i64_div_u "i64.div_u" (i64, i64) -> i64 traps;
        0x81 I64RemS i64_rem_s "i64.rem_s" (i64, i64) -> i64 traps;
        0x82 I64RemU i64_rem_u "i64.rem_u" (i64, i64) -> i64 traps;
        0x83 I64And i64_and "i64.and" (i64, i64) -> i64 total;
        0x84 I64Or i64_or "i64.or" (i64, i64) -> i64 total;
        0x85 I64Xor i64_xor "i64.xor" (i64, i64) -> i64 total;
        0x86 I64Shl i64_shl "i64.shl" (i64, i64) -> i64 total;
        0x87 I64ShrS i64_shr_s "i64.shr_s" (i64, i64) -> i64 total;
        0x88 I64ShrU i64_shr_u "i64.shr_u" (i64, i64) -> i64 total;
        0x89 I64Rotl i64_rotl "i64.rotl" (i64, i64) -> i64 total;
        0x8a I64Rotr i64_rotr "i64.rotr" (i64, i64) -> i64 total;
        0x8b F32Abs f32_abs "f32.abs" (f32) -> f32 total;
        0x8c F32Neg f32_neg "f32.neg" (f32) -> f32 total;
        0x8d F32Ceil f32_ceil "f32.ceil" (f32) -> f32 total;
        0x8e F32Floor f32_floor "f32.floor" (f32) -> f32 total;
        0x8f F32Trunc f32_trunc "f32.trunc" (f32) -> f32 total;
        0x90 F32Nearest f32_nearest "f32.nearest" (f32) -> f32 total;
        0x91 F32Sqrt f32_sqrt "f32.sqrt" (f32) -> f32 total;
        0x92 F32Add f32_add "f32.add" (f32, f32) -> f32 total;
        0x93 F32Sub f32_sub "f32.sub" (f32, f32) -> f32 total;
        0x94 F32Mul f32_mul "f32.mul" (f32, f32) -> f32 total;
        0x95 F32Div f32_div "f32.div" (f32, f32) -> f32 total;
        0x96 F32Min f32_min "f32.min" (f32, f32) -> f32 total;
        0x97 F32Max f32_max "f32.max" (f32, f32) -> f32 total;
        0x98 F32Copysign f32_copysign "f32.copysign" (f32, f32) -> f32 total;
        0x99 F64Abs f64_abs "f64.abs" (f64) -> f64 total;
        0x9a F64Neg f64_neg "f64.neg" (f64) -> f64 total;
        0x9b F64Ceil f64_ceil "f64.ceil" (f64) -> f64 total;
        0x9c F64Floor f64_floor "f64.floor" (f64) -> f64 total;
        0x9d F64Trunc f64_trunc "f64.trunc" (f64) -> f64 total;
        0x9e F64Nearest f64_nearest "f64.nearest" (f64) -> f64 total;
        0x9f F64Sqrt f64_sqrt "f64.sqrt" (f64) -> f64 total;
        0xa0 F64Add f64_add "f64.add" (f64, f64) -> f64 total;
        0xa1 F64Sub f64_sub "f64.sub" (f64, f64) -> f64 total;
        0xa2 F64Mul f64_mul "f64.mul" (f64, f64) -> f64 total;
        0xa3 F64Div f64_div "f64.div" (f64, f64) -> f64 total;
        0xa4 F64Min f64_min "f64.min" (f64, f64) -> f64 total;
        0xa5 F64Max f64_max "f64.max" (f64, f64) -> f64 total;
        0xa6 F64Copysign f64_copysign "f64.copysign" (f64, f64) -> f64 total;
        0xa7 I32WrapI64 i32_wrap_i64 "i32.wrap_i64" (i64) -> i32 total;
        0xa8 I32TruncF32S i32_trunc_f32_s "i32.trunc_f32_s" (f32) -> i32 traps;
        0xa9 I32TruncF32U i32_trunc_f32_u "i32.trunc_f32_u" (f32) -> i32 traps;
        0xaa I32TruncF64S i32_trunc_f64_s "i32.trunc_f64_s" (f64) -> i32 traps;
        0xab I32TruncF64U i32_trunc_f64_u "i32.trunc_f64_u" (f64) -> i32 traps;
        0xac I64ExtendI32S i64_extend_i32_s "i64.extend_i32_s" (i32) -> i64 total;
        0xad I64ExtendI32U i64_extend_i32_u "i64.extend_i32_u" (i32) -> i64 total;
        0xae I64TruncF32S i64_trunc_f32_s "i64.trunc_f32_s" (f32) -> i64 traps;
        0xaf I64TruncF32U i64_trunc_f32_u "i64.trunc_f32_u" (f32) -> i64 traps;
        0xb0 I64TruncF64S i64_trunc_f64_s "i64.trunc_f64_s" (f64) -> i64 traps;
        0xb1 I64TruncF64U i64_trunc_f64_u "i64.trunc_f64_u" (f64) -> i64 traps;
        0xb2 F32ConvertI32S f32_convert_i32_s "f32.convert_i32_s" (i32) -> f32 total;
        0xb3 F32ConvertI32U f32_convert_i32_u "f32.convert_i32_u" (i32) -> f32 total;
        0xb4 F32ConvertI64S f32_convert_i64_s "f32.convert_i64_s" (i64) -> f32 total;
        0xb5 F32ConvertI64U f32_convert_i64_u "f32.convert_i64_u" (i64) -> f32 total;
        0xb6 F32DemoteF64 f32_demote_f64 "f32.demote_f64" (f64) -> f32 total;
        0xb7 F64ConvertI32S f64_convert_i32_s "f64.convert_i32_s" (i32) -> f64 total;
        0xb8 F64ConvertI32U f64_convert_i32_u "f64.convert_i32_u" (i32) -> f64 total;
        0xb9 F64ConvertI64S f64_convert_i64_s "f64.convert_i64_s" (i64) -> f64 total;
        0xba F64ConvertI64U f64_convert_i64_u "f64.convert_i64_u" (i64) -> f64 total;
        0xbb F64PromoteF32 f64_promote_f32 "f64.promote_f32" (f32) -> f64 total;
        0xbc I32ReinterpretF32 i32_reinterpret_f32 "i32.reinterpret_f32" (f32) -> i32 total;
        0xbd I64ReinterpretF64 i64_reinterpret_f64 "i64.reinterpret_f64" (f64) -> i64 total;
        0xbe F32ReinterpretI32 f32_reinterpret_i32 "f32.reinterpret_i32" (i32) -> f32 total;
        0xbf F64ReinterpretI64 f64_reinterpret_i64 "f64.reinterpret_i64" (i64) -> f64 total;
        0xc0 I32Extend8S i32_extend8_s "i32.extend8_s" (i32) -> i32 total;
        0xc1 I32Extend16S i32_extend16_s "i32.extend16_s" (i32) -> i32 total;
        0xc2 I64Extend8S i64_extend8_s "i64.extend8_s" (i64) -> i64 total;
        0xc3 I64Extend16S i64_extend16_s "i64.extend16_s" (i64) -> i64 total;
        0xc4 I64Extend32S i64_extend32_s "i64.extend32_s" (i64) -> i64 total;
        0xfc00 I32TruncSatF32S i32_trunc_sat_f32_s "i32.trunc_sat_f32_s" (f32) -> i32 total;
        0xfc01 I32TruncSatF32U i32_trunc_sat_f32_u "i32.trunc_sat_f32_u" (f32) -> i32 total;
        0xfc02 I32TruncSatF64S i32_trunc_sat_f64_s "i32.trunc_sat_f64_s" (f64) -> i32 total;
        0xfc03 I32TruncSatF64U i32_trunc_sat_f64_u "i32.trunc_sat_f64_u" (f64) -> i32 total;
        0xfc04 I64TruncSatF32S i64_trunc_sat_f32_s "i64.trunc_sat_f32_s" (f32) -> i64 total;
        0xfc05 I64TruncSatF32U i64_trunc_sat_f32_u "i64.trunc_sat_f32_u" (f32) -> i64 total;
        0xfc06 I64TruncSatF64S i64_trunc_sat_f64_s "i64.trunc_sat_f64_s" (f64) -> i64 total;
        0xfc07 I64TruncSatF64U i64_trunc_sat_f64_u "i64.trunc_sat_f64_u" (f64) -> i64 total;
    } };
}

macro_rules! outcome {
    (total $result:expr) => {
        Ok($result.to_cell())
    };
    (traps $result:expr) => {
        $result.map(Number::to_cell)
    };
}

macro_rules! operation {
    ($($code:literal $variant:ident $function:ident $text:literal ($($operand:ident),+) -> $result:ident $kind:ident;)*) => {
        /// A numeric instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(u16)]
        pub enum NumericOp {
            $(
                #[doc = concat!("`", $text, "`")]
                $variant = $code,
            )*
        }

        impl NumericOp {
            /// All of them, in the order of their opcodes.
            pub const ALL: &[NumericOp] = &[$(NumericOp::$variant),*];

            /// The instruction with this opcode; those after the prefix 0xfc are `0xfc00 + number`.
            pub const fn from_opcode(opcode: u16) -> Option<NumericOp> {
                match opcode {
                    $($code => Some(NumericOp::$variant),)*
                    _ => None,
                }
            }

            /// Its name in the text format.
            pub const fn name(self) -> &'static str {
                match self { $(NumericOp::$variant => $text,)* }
            }

            /// The types of its operands, the deepest first.
            pub const fn operands(self) -> &'static [ValType] {
                match self { $(NumericOp::$variant => &[$(<$operand as Number>::TYPE),+],)* }
            }

            /// The type of its result.
            pub const fn result(self) -> ValType {
                match self { $(NumericOp::$variant => <$result as Number>::TYPE,)* }
            }

            /// Computes it; `cells` holds the operands, the deepest first, and missing ones are 0.
            ///
            /// # Errors
            /// The trap, for the operands for which the instruction traps.
            pub fn apply(self, cells: &[u64]) -> Result<u64, NumTrap> {
                let mut cells = cells.iter().copied();
                match self { $(
                    // Operands are evaluated from left to right, so they come in order.
                    NumericOp::$variant => outcome!($kind super::$function($(<$operand as Number>::from_cell(cells.next().unwrap_or(0))),+)),
                )* }
            }
        }
    };
}

numeric_ops!(operation);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_and_operations_map_one_to_one() {
        assert_eq!(NumericOp::ALL.len(), 0xc5 - 0x45 + 8);
        for &op in NumericOp::ALL {
            assert_eq!(NumericOp::from_opcode(op as u16), Some(op));
            assert!(op.name().starts_with(match op.result() {
                ValType::I64 => "i64",
                ValType::F32 => "f32",
                ValType::F64 => "f64",
                // Comparisons give an i32 and are named after their operands.
                _ => "",
            }));
        }
        assert_eq!(NumericOp::from_opcode(0x44), None);
        assert_eq!(NumericOp::from_opcode(0xfc08), None);
    }

    #[test]
    fn operands_come_in_order() {
        assert_eq!(NumericOp::I32Sub.apply(&[5, 7]), Ok(0xffff_fffe));
        assert_eq!(
            NumericOp::I32DivS.apply(&[5, 0]),
            Err(NumTrap::DivideByZero)
        );
        assert_eq!(
            NumericOp::F32Div.apply(&[0, 0]),
            Ok(u64::from(super::super::F32_NAN))
        );
    }

    /// Every operation on many operands keeps narrow cells zero-extended.
    #[test]
    fn narrow_results_are_zero_extended() {
        let samples = [
            0,
            1,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            u64::MAX,
            0x7fc1_0000,
            0xc1c0_0000_0000_0000,
        ];
        for &op in NumericOp::ALL {
            for a in samples {
                for b in samples {
                    if let Ok(cell) = op.apply(&[a, b]) {
                        let narrow = matches!(op.result(), ValType::I32 | ValType::F32);
                        assert!(!narrow || cell >> 32 == 0, "{} {a:#x} {b:#x}", op.name());
                    }
                }
            }
        }
    }
}
