//! The one table of operations. Code numbers, the handlers of the tail-call build and the arms of
//! the portable build's `match` are all generated from it.
//!
//! Operations with operands come in several forms, by where the operands are; each form is an
//! operation of its own. Forms that end in `ToSlot` follow those that end in `ToAcc`, so that an
//! operation's destination can still be set when it becomes known.

#[cfg(all(test, not(any(borges_tail_calls, miri))))]
use super::Op;
#[cfg(any(feature = "host", all(test, not(any(borges_tail_calls, miri)))))]
use super::Zero;
use super::control::*;
use super::memory::*;
use super::numeric::*;
use super::vector::*;
use super::{Acc, Const, Slot, ToAcc, ToSlot, Word};
use crate::num::NumericOp;

/// Calls the macro `$then` with the table.
///
/// - `mirrored`: two operands; `~` names the instruction that gives the same with the operands
///   exchanged, so that a constant is always the second one; `?` the branch that tests it;
/// - `binary`: two operands that cannot be exchanged;
/// - `branch`: two operands; `!` names the branch for the contrary;
/// - `single`: whatever has but one form;
/// - `check`: what stands before accesses where a host wants to know of them;
/// - `direct`: numbers of instructions on vectors that have operations of their own.
macro_rules! op_table {
    ($then:ident $($more:tt)*) => { with_checks! { $then $($more)*
        mirrored {
            I32Add ~ I32Add, I32Mul ~ I32Mul, I32And ~ I32And ? TestI32, I32Or ~ I32Or, I32Xor ~ I32Xor,
            I32Eq ~ I32Eq ? IfI32Eq, I32Ne ~ I32Ne ? IfI32Ne,
            I32LtS ~ I32GtS ? IfI32LtS, I32GtS ~ I32LtS ? IfI32GtS,
            I32LtU ~ I32GtU ? IfI32LtU, I32GtU ~ I32LtU ? IfI32GtU,
            I32LeS ~ I32GeS ? IfI32LeS, I32GeS ~ I32LeS ? IfI32GeS,
            I32LeU ~ I32GeU ? IfI32LeU, I32GeU ~ I32LeU ? IfI32GeU,
            I64Add ~ I64Add, I64Mul ~ I64Mul, I64And ~ I64And, I64Or ~ I64Or, I64Xor ~ I64Xor,
            I64Eq ~ I64Eq ? IfI64Eq, I64Ne ~ I64Ne ? IfI64Ne,
            I64LtS ~ I64GtS ? IfI64LtS, I64GtS ~ I64LtS ? IfI64GtS,
            I64LtU ~ I64GtU ? IfI64LtU, I64GtU ~ I64LtU ? IfI64GtU,
            I64LeS ~ I64GeS ? IfI64LeS, I64GeS ~ I64LeS ? IfI64GeS,
            I64LeU ~ I64GeU ? IfI64LeU, I64GeU ~ I64LeU ? IfI64GeU,
            F32Add ~ F32Add, F32Mul ~ F32Mul, F32Min ~ F32Min, F32Max ~ F32Max,
            F32Eq ~ F32Eq ? IfF32Eq, F32Ne ~ F32Ne ? IfF32Ne,
            F32Lt ~ F32Gt ? IfF32Lt, F32Gt ~ F32Lt ? IfF32Gt,
            F32Le ~ F32Ge ? IfF32Le, F32Ge ~ F32Le ? IfF32Ge,
            F64Add ~ F64Add, F64Mul ~ F64Mul, F64Min ~ F64Min, F64Max ~ F64Max,
            F64Eq ~ F64Eq ? IfF64Eq, F64Ne ~ F64Ne ? IfF64Ne,
            F64Lt ~ F64Gt ? IfF64Lt, F64Gt ~ F64Lt ? IfF64Gt,
            F64Le ~ F64Ge ? IfF64Le, F64Ge ~ F64Le ? IfF64Ge,
        }
        binary {
            I32Sub, I32DivS, I32DivU, I32RemS, I32RemU, I32Shl, I32ShrS, I32ShrU, I32Rotl, I32Rotr,
            I64Sub, I64DivS, I64DivU, I64RemS, I64RemU, I64Shl, I64ShrS, I64ShrU, I64Rotl, I64Rotr,
            F32Sub, F32Div, F32Copysign, F64Sub, F64Div, F64Copysign,
        }
        unary {
            I32Clz, I32Ctz, I32Popcnt, I32Extend8S, I32Extend16S,
            I64Clz, I64Ctz, I64Popcnt, I64Extend8S, I64Extend16S, I64Extend32S,
            F32Abs, F32Neg, F32Ceil, F32Floor, F32Trunc, F32Nearest, F32Sqrt,
            F64Abs, F64Neg, F64Ceil, F64Floor, F64Trunc, F64Nearest, F64Sqrt,
            I32WrapI64, I64ExtendI32S, I64ExtendI32U, F32DemoteF64, F64PromoteF32,
            I32TruncF32S, I32TruncF32U, I32TruncF64S, I32TruncF64U,
            I64TruncF32S, I64TruncF32U, I64TruncF64S, I64TruncF64U,
            I32TruncSatF32S, I32TruncSatF32U, I32TruncSatF64S, I32TruncSatF64U,
            I64TruncSatF32S, I64TruncSatF32U, I64TruncSatF64S, I64TruncSatF64U,
            F32ConvertI32S, F32ConvertI32U, F32ConvertI64S, F32ConvertI64U,
            F64ConvertI32S, F64ConvertI32U, F64ConvertI64S, F64ConvertI64U,
            I32ReinterpretF32, I64ReinterpretF64, F32ReinterpretI32, F64ReinterpretI64,
        }
        load {
            LoadU8, LoadU16, LoadU32, LoadU64, LoadS8, LoadS16, LoadS8To64, LoadS16To64, LoadS32To64,
            LoadF32, LoadF64,
        }
        store { Store8, Store16, Store32, Store64, StoreF32, StoreF64, }
        branch {
            IfI32Eq = If<I32Eq> ! IfI32Ne, IfI32Ne = If<I32Ne> ! IfI32Eq,
            IfI32LtS = If<I32LtS> ! IfI32GeS, IfI32GtS = If<I32GtS> ! IfI32LeS,
            IfI32LtU = If<I32LtU> ! IfI32GeU, IfI32GtU = If<I32GtU> ! IfI32LeU,
            IfI32LeS = If<I32LeS> ! IfI32GtS, IfI32GeS = If<I32GeS> ! IfI32LtS,
            IfI32LeU = If<I32LeU> ! IfI32GtU, IfI32GeU = If<I32GeU> ! IfI32LtU,
            IfI64Eq = If<I64Eq> ! IfI64Ne, IfI64Ne = If<I64Ne> ! IfI64Eq,
            IfI64LtS = If<I64LtS> ! IfI64GeS, IfI64GtS = If<I64GtS> ! IfI64LeS,
            IfI64LtU = If<I64LtU> ! IfI64GeU, IfI64GtU = If<I64GtU> ! IfI64LeU,
            IfI64LeS = If<I64LeS> ! IfI64GtS, IfI64GeS = If<I64GeS> ! IfI64LtS,
            IfI64LeU = If<I64LeU> ! IfI64GtU, IfI64GeU = If<I64GeU> ! IfI64LtU,
            IfF32Eq = If<F32Eq> ! IfF32Ne, IfF32Ne = If<F32Ne> ! IfF32Eq,
            IfF32Lt = If<F32Lt> ! UnlessF32Lt, IfF32Gt = If<F32Gt> ! UnlessF32Gt,
            IfF32Le = If<F32Le> ! UnlessF32Le, IfF32Ge = If<F32Ge> ! UnlessF32Ge,
            IfF64Eq = If<F64Eq> ! IfF64Ne, IfF64Ne = If<F64Ne> ! IfF64Eq,
            IfF64Lt = If<F64Lt> ! UnlessF64Lt, IfF64Gt = If<F64Gt> ! UnlessF64Gt,
            IfF64Le = If<F64Le> ! UnlessF64Le, IfF64Ge = If<F64Ge> ! UnlessF64Ge,
            UnlessF32Lt = Unless<F32Lt> ! IfF32Lt, UnlessF32Gt = Unless<F32Gt> ! IfF32Gt,
            UnlessF32Le = Unless<F32Le> ! IfF32Le, UnlessF32Ge = Unless<F32Ge> ! IfF32Ge,
            UnlessF64Lt = Unless<F64Lt> ! IfF64Lt, UnlessF64Gt = Unless<F64Gt> ! IfF64Gt,
            UnlessF64Le = Unless<F64Le> ! IfF64Le, UnlessF64Ge = Unless<F64Ge> ! IfF64Ge,
            TestI32 = Test<i32> ! TestNotI32, TestNotI32 = TestNot<i32> ! TestI32,
        }
        single {
            Jump = JumpOp,
            BranchIfSlot = BranchIfOp<Slot<1>, false>, BranchIfAcc = BranchIfOp<Acc, false>,
            BranchIfZeroSlot = BranchIfOp<Slot<1>, true>, BranchIfZeroAcc = BranchIfOp<Acc, true>,
            TableSlot = TableOp<Slot<1>>, TableAcc = TableOp<Acc>,
            Call = CallOp, CallIndirectSlot = CallIndirectOp<Slot<0>>, CallIndirectAcc = CallIndirectOp<Acc>,
            TailCall = TailCallOp,
            TailCallIndirectSlot = TailCallIndirectOp<Slot<0>>, TailCallIndirectAcc = TailCallIndirectOp<Acc>,
            Return = ReturnOp,
            ReturnIntSlot = ReturnValueOp<Word, Slot<1>>, ReturnIntAcc = ReturnValueOp<Word, Acc>, ReturnIntConst = ReturnConstOp<Word>,
            ReturnF32Slot = ReturnValueOp<f32, Slot<1>>, ReturnF32Acc = ReturnValueOp<f32, Acc>, ReturnF32Const = ReturnConstOp<f32>,
            ReturnF64Slot = ReturnValueOp<f64, Slot<1>>, ReturnF64Acc = ReturnValueOp<f64, Acc>, ReturnF64Const = ReturnConstOp<f64>,
            Move = MoveOp, Copy = CopyOp<false>, CopyTwo = CopyOp<true>,
            PutInt = PutOp<Word>, PutF32 = PutOp<f32>, PutF64 = PutOp<f64>, PutConst = PutConstOp,
            SelectSlotToAcc = SelectOp<Slot<3>, ToAcc>, SelectSlotToSlot = SelectOp<Slot<3>, ToSlot>,
            SelectAccToAcc = SelectOp<Acc, ToAcc>, SelectAccToSlot = SelectOp<Acc, ToSlot>,
            SelectCellSlot = SelectCellOp<Slot<3>>, SelectCellAcc = SelectCellOp<Acc>,
            GetIntToAcc = GetOp<Word, ToAcc>, GetIntToSlot = GetOp<Word, ToSlot>,
            GetF32ToAcc = GetOp<f32, ToAcc>, GetF32ToSlot = GetOp<f32, ToSlot>,
            GetF64ToAcc = GetOp<f64, ToAcc>, GetF64ToSlot = GetOp<f64, ToSlot>,
            SetSlot = SetOp<i64, Slot<1>>, SetConst = SetOp<i64, Const>,
            SetInt = SetOp<Word, Acc>, SetF32 = SetOp<f32, Acc>, SetF64 = SetOp<f64, Acc>,
            SizeToAcc = SizeOp<ToAcc>, SizeToSlot = SizeOp<ToSlot>,
            BulkCopy = BulkOp<false>, BulkFill = BulkOp<true>,
            VectorOne = VectorOp<1, 0, true, false>, VectorTwo = VectorOp<3, 0, true, false>,
            VectorThree = VectorOp<7, 0, true, false>, VectorBy = VectorOp<1, 2, true, false>,
            VectorSplat = VectorOp<0, 1, true, false>, VectorNumber = VectorOp<1, 0, false, false>,
            VectorShuffle = VectorOp<3, 0, true, true>, VectorLoad = VectorLoadOp, VectorStore = VectorStoreOp,
            Leave = LeaveOp, Stub = StubOp,
        }
    } };
}
pub(crate) use op_table;

/// Adds what devices leave out.
#[cfg(feature = "host")]
macro_rules! with_checks {
    ($then:ident $($more:tt)*) => { with_vectors! { $then $($more)*
        check {
            NarrowSlot = NarrowOp<Slot<1>>, NarrowAcc = NarrowOp<Acc>,
            LookSlot = LookOp<Slot<1>>, LookAcc = LookOp<Acc>, LookZero = LookOp<Zero>,
        }
    } };
}

/// Devices leave it out.
#[cfg(not(feature = "host"))]
macro_rules! with_checks {
    ($then:ident $($more:tt)*) => { with_vectors! { $then $($more)* check {} } };
}
pub(crate) use with_checks;

/// Adds instructions on vectors that are worth an operation of their own: those that are a few machine instructions.
#[cfg(feature = "simd")]
macro_rules! with_vectors {
    ($then:ident $($more:tt)*) => { $then! { $($more)*
        direct {
            // Loads that widen, repeat, or leave the rest zero.
            0x001, 0x002, 0x003, 0x004, 0x005, 0x006, 0x007, 0x008, 0x009, 0x00a, 0x05c, 0x05d,
            // Numbers repeated.
            0x00f, 0x010, 0x011, 0x012, 0x013, 0x014,
            // Bits.
            0x04d, 0x04e, 0x04f, 0x050, 0x051, 0x052, 0x053,
            // Bytes: comparisons, shifts, arithmetic.
            0x023, 0x024, 0x025, 0x026, 0x027, 0x028, 0x064, 0x06b, 0x06c, 0x06d, 0x06e, 0x06f, 0x070, 0x071, 0x072, 0x073,
            0x076, 0x077, 0x078, 0x079, 0x07b,
            // Lanes of 16 bits.
            0x02d, 0x02e, 0x02f, 0x031, 0x087, 0x088, 0x089, 0x08a, 0x08b, 0x08c, 0x08d, 0x08e, 0x091, 0x095, 0x096, 0x097,
            0x098, 0x099,
            // Of 32 bits.
            0x037, 0x038, 0x039, 0x03b, 0x0a7, 0x0a8, 0x0a9, 0x0aa, 0x0ab, 0x0ac, 0x0ad, 0x0ae, 0x0b1, 0x0b5, 0x0b6, 0x0b7,
            0x0b8, 0x0b9, 0x0ba,
            // Of 64 bits.
            0x0cb, 0x0cc, 0x0cd, 0x0ce, 0x0d1, 0x0d5,
            // Floats.
            0x041, 0x042, 0x043, 0x044, 0x045, 0x046, 0x0e0, 0x0e1, 0x0e4, 0x0e5, 0x0e6, 0x0e7, 0x0ea, 0x0eb, 0x0fa,
            0x047, 0x048, 0x049, 0x04a, 0x04b, 0x04c, 0x0ec, 0x0ed, 0x0f0, 0x0f1, 0x0f2, 0x0f3, 0x0f6, 0x0f7,
        }
    } };
}

/// There are no vectors.
#[cfg(not(feature = "simd"))]
macro_rules! with_vectors {
    ($then:ident $($more:tt)*) => { $then! { $($more)* direct {} } };
}
pub(crate) use with_vectors;

/// The number of an operation in one of its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) u16);

/// An entry of the table: its forms have consecutive numbers.
#[cfg_attr(borges_tail_calls, allow(dead_code))] // Only numbers need them.
pub(crate) trait Forms {
    const F0: u16;
    const F1: u16 = Self::F0 + 1;
    const F2: u16 = Self::F0 + 2;
    const F3: u16 = Self::F0 + 3;
    const F4: u16 = Self::F0 + 4;
    const F5: u16 = Self::F0 + 5;
    const F6: u16 = Self::F0 + 6;
    const F7: u16 = Self::F0 + 7;
    const F8: u16 = Self::F0 + 8;
    const F9: u16 = Self::F0 + 9;
    const F10: u16 = Self::F0 + 10;
    const F11: u16 = Self::F0 + 11;
    const F12: u16 = Self::F0 + 12;
    const F13: u16 = Self::F0 + 13;
}

/// Calls the macro `$then` with number and type of every operation in every form, in order:
/// `(pattern, type)…`
macro_rules! every_op {
    ($then:ident
        mirrored { $($m:ident ~ $mm:ident $(? $mb:ident)?,)* }
        binary { $($b:ident,)* }
        unary { $($u:ident,)* }
        load { $($l:ident,)* }
        store { $($s:ident,)* }
        branch { $($c:ident = $ck:ident<$ct:ident> ! $cn:ident,)* }
        single { $($o:ident = $ot:ty,)* }
        check { $($k:ident = $kt:ty,)* }
        direct { $($d:literal,)* }
    ) => { $then! {
        $(
            (<$m as Forms>::F0, BinaryOp<$m, Slot<1>, Slot<2>, ToAcc>)
            (<$m as Forms>::F1, BinaryOp<$m, Slot<1>, Slot<2>, ToSlot>)
            (<$m as Forms>::F2, BinaryOp<$m, Slot<1>, Acc, ToAcc>)
            (<$m as Forms>::F3, BinaryOp<$m, Slot<1>, Acc, ToSlot>)
            (<$m as Forms>::F4, BinaryOp<$m, Slot<1>, Const, ToAcc>)
            (<$m as Forms>::F5, BinaryOp<$m, Slot<1>, Const, ToSlot>)
            (<$m as Forms>::F6, BinaryOp<$m, Acc, Const, ToAcc>)
            (<$m as Forms>::F7, BinaryOp<$m, Acc, Const, ToSlot>)
        )*
        $(
            (<$b as Forms>::F0, BinaryOp<$b, Slot<1>, Slot<2>, ToAcc>)
            (<$b as Forms>::F1, BinaryOp<$b, Slot<1>, Slot<2>, ToSlot>)
            (<$b as Forms>::F2, BinaryOp<$b, Slot<1>, Acc, ToAcc>)
            (<$b as Forms>::F3, BinaryOp<$b, Slot<1>, Acc, ToSlot>)
            (<$b as Forms>::F4, BinaryOp<$b, Slot<1>, Const, ToAcc>)
            (<$b as Forms>::F5, BinaryOp<$b, Slot<1>, Const, ToSlot>)
            (<$b as Forms>::F6, BinaryOp<$b, Acc, Const, ToAcc>)
            (<$b as Forms>::F7, BinaryOp<$b, Acc, Const, ToSlot>)
            (<$b as Forms>::F8, BinaryOp<$b, Acc, Slot<1>, ToAcc>)
            (<$b as Forms>::F9, BinaryOp<$b, Acc, Slot<1>, ToSlot>)
            (<$b as Forms>::F10, BinaryOp<$b, Const, Slot<1>, ToAcc>)
            (<$b as Forms>::F11, BinaryOp<$b, Const, Slot<1>, ToSlot>)
            (<$b as Forms>::F12, BinaryOp<$b, Const, Acc, ToAcc>)
            (<$b as Forms>::F13, BinaryOp<$b, Const, Acc, ToSlot>)
        )*
        $(
            (<$u as Forms>::F0, UnaryOp<$u, Slot<1>, ToAcc>)
            (<$u as Forms>::F1, UnaryOp<$u, Slot<1>, ToSlot>)
            (<$u as Forms>::F2, UnaryOp<$u, Acc, ToAcc>)
            (<$u as Forms>::F3, UnaryOp<$u, Acc, ToSlot>)
        )*
        $(
            (<$l as Forms>::F0, LoadOp<$l, Slot<1>, ToAcc>)
            (<$l as Forms>::F1, LoadOp<$l, Slot<1>, ToSlot>)
            (<$l as Forms>::F2, LoadOp<$l, Acc, ToAcc>)
            (<$l as Forms>::F3, LoadOp<$l, Acc, ToSlot>)
            (<$l as Forms>::F4, LoadOp<$l, Zero, ToAcc>)
            (<$l as Forms>::F5, LoadOp<$l, Zero, ToSlot>)
        )*
        $(
            (<$s as Forms>::F0, StoreOp<$s, Slot<1>, Slot<0>>)
            (<$s as Forms>::F1, StoreOp<$s, Slot<1>, Acc>)
            (<$s as Forms>::F2, StoreOp<$s, Slot<1>, Const>)
            (<$s as Forms>::F3, StoreOp<$s, Acc, Slot<0>>)
            (<$s as Forms>::F4, StoreOp<$s, Acc, Acc>)
            (<$s as Forms>::F5, StoreOp<$s, Acc, Const>)
            (<$s as Forms>::F6, StoreOp<$s, Zero, Slot<0>>)
            (<$s as Forms>::F7, StoreOp<$s, Zero, Acc>)
            (<$s as Forms>::F8, StoreOp<$s, Zero, Const>)
        )*
        $(
            (<$ck<$ct> as Forms>::F0, BranchOp<$ck<$ct>, Slot<1>, Slot<2>>)
            (<$ck<$ct> as Forms>::F1, BranchOp<$ck<$ct>, Slot<1>, Acc>)
            (<$ck<$ct> as Forms>::F2, BranchOp<$ck<$ct>, Slot<1>, Const>)
            (<$ck<$ct> as Forms>::F3, BranchOp<$ck<$ct>, Acc, Const>)
        )*
        $( (<$ot as Forms>::F0, $ot) )*
        $( (<$kt as Forms>::F0, $kt) )*
        $( (<DirectOp<$d> as Forms>::F0, DirectOp<$d>) )*
    } };
}
pub(crate) use every_op;

macro_rules! optional {
    () => {
        None
    };
    ($branch:ident) => {
        Some(Branch::$branch)
    };
}

macro_rules! define {
    (
        mirrored { $($m:ident ~ $mm:ident $(? $mb:ident)?,)* }
        binary { $($b:ident,)* }
        unary { $($u:ident,)* }
        load { $($l:ident,)* }
        store { $($s:ident,)* }
        branch { $($c:ident = $ck:ident<$ct:ident> ! $cn:ident,)* }
        single { $($o:ident = $ot:ty,)* }
        check { $($k:ident = $kt:ty,)* }
        direct { $($d:literal,)* }
    ) => {
        /// Instructions whose operands can be exchanged if the instruction is, too.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mirrored { $($m,)* }
        /// Instructions of two operands that cannot be exchanged.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Ordered { $($b,)* }
        /// Instructions of one operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Single { $($u,)* }
        /// Ways to read memory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Loads { $($l,)* }
        /// Ways to write memory.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Stores { $($s,)* }
        /// Conditions to branch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Branch { $($c,)* }
        #[derive(Clone, Copy)]
        enum Rest { $($o,)* $($k,)* }

        const MIRRORED: u16 = 0;
        const ORDERED: u16 = MIRRORED + 8 * [$(Mirrored::$m,)*].len() as u16;
        const SINGLE: u16 = ORDERED + 14 * [$(Ordered::$b,)*].len() as u16;
        const LOADS: u16 = SINGLE + 4 * [$(Single::$u,)*].len() as u16;
        const STORES: u16 = LOADS + 6 * [$(Loads::$l,)*].len() as u16;
        const BRANCHES: u16 = STORES + 9 * [$(Stores::$s,)*].len() as u16;
        const REST: u16 = BRANCHES + 4 * [$(Branch::$c,)*].len() as u16;
        const DIRECTS: u16 = REST + [$(Rest::$o,)* $(Rest::$k,)*].len() as u16;
        const DIRECT: &[u16] = &[$($d,)*];
        /// How many operations there are, in all their forms.
        #[allow(dead_code)] // The portable build has no list of them.
        pub(crate) const OPS: usize = DIRECTS as usize + DIRECT.len();

        $(impl Forms for $m { const F0: u16 = MIRRORED + 8 * Mirrored::$m as u16; })*
        $(impl Forms for $b { const F0: u16 = ORDERED + 14 * Ordered::$b as u16; })*
        $(impl Forms for $u { const F0: u16 = SINGLE + 4 * Single::$u as u16; })*
        $(impl Forms for $l { const F0: u16 = LOADS + 6 * Loads::$l as u16; })*
        $(impl Forms for $s { const F0: u16 = STORES + 9 * Stores::$s as u16; })*
        $(impl Forms for $ck<$ct> { const F0: u16 = BRANCHES + 4 * Branch::$c as u16; })*
        $(impl Forms for $ot { const F0: u16 = REST + Rest::$o as u16; })*
        $(impl Forms for $kt { const F0: u16 = REST + Rest::$k as u16; })*
        $(impl Forms for DirectOp<$d> { const F0: u16 = DIRECTS + place_of($d); })*

        // Some are only ever reached as the next form of another.
        #[allow(non_upper_case_globals, dead_code)]
        impl Code {
            $(pub(crate) const $o: Code = Code(REST + Rest::$o as u16);)*
            $(pub(crate) const $k: Code = Code(REST + Rest::$k as u16);)*
        }

        impl Mirrored {
            /// The instruction that gives the same when the operands are exchanged.
            pub(crate) fn mirror(self) -> Mirrored {
                match self { $(Mirrored::$m => Mirrored::$mm,)* }
            }

            /// The branch that is taken if the result is not zero.
            pub(crate) fn branch(self) -> Option<Branch> {
                match self { $(Mirrored::$m => optional!($($mb)?),)* }
            }
        }

        impl Branch {
            /// The instruction that computes the condition, if one does.
            pub(crate) fn instruction(self) -> Option<Mirrored> {
                match self {
                    $($(Branch::$mb => Some(Mirrored::$m),)?)*
                    _ => None,
                }
            }

            /// The branch that is taken when this one is not.
            pub(crate) fn contrary(self) -> Branch {
                match self { $(Branch::$c => Branch::$cn,)* }
            }
        }

        impl Shape {
            /// Which group of the table a numeric instruction is in.
            pub(crate) fn of(op: NumericOp) -> Shape {
                match op {
                    $(NumericOp::$m => Shape::Mirrored(Mirrored::$m),)*
                    $(NumericOp::$b => Shape::Ordered(Ordered::$b),)*
                    $(NumericOp::$u => Shape::Single(Single::$u),)*
                    NumericOp::I32Eqz | NumericOp::I64Eqz => Shape::IsZero,
                }
            }
        }
    };
}

/// The groups of numeric instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Mirrored(Mirrored),
    Ordered(Ordered),
    Single(Single),
    /// `eqz`, which is a comparison with zero.
    IsZero,
}

op_table!(define);

/// Where operands are, as the forms distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Slot,
    Acc,
    Const,
}

impl Mirrored {
    /// Its number for operands there. The second is never before the first in the order slot,
    /// accumulator, constant; a slot and the accumulator in this order.
    pub(crate) fn code(self, first: At, second: At) -> Code {
        let form = match (first, second) {
            (_, At::Slot) => 0,
            (_, At::Acc) => 2,
            (At::Slot, At::Const) => 4,
            (_, At::Const) => 6,
        };
        Code(MIRRORED + 8 * self as u16 + form)
    }
}

impl Ordered {
    /// Its number for operands there; they cannot both be constants or accumulators.
    pub(crate) fn code(self, first: At, second: At) -> Code {
        let form = match (first, second) {
            (At::Slot, At::Slot) => 0,
            (At::Slot, At::Acc) => 2,
            (At::Slot, At::Const) => 4,
            (At::Acc, At::Const) => 6,
            (At::Acc, _) => 8,
            (At::Const, At::Slot) => 10,
            (At::Const, _) => 12,
        };
        Code(ORDERED + 14 * self as u16 + form)
    }
}

impl Single {
    /// Its number for an operand there, which is no constant.
    pub(crate) fn code(self, operand: At) -> Code {
        Code(SINGLE + 4 * self as u16 + if operand == At::Acc { 2 } else { 0 })
    }
}

impl Loads {
    /// Its number for a base there; a constant one is in the offset.
    pub(crate) fn code(self, base: At) -> Code {
        let form = match base {
            At::Slot => 0,
            At::Acc => 2,
            At::Const => 4,
        };
        Code(LOADS + 6 * self as u16 + form)
    }
}

impl Stores {
    /// Its number for base and value there.
    pub(crate) fn code(self, base: At, value: At) -> Code {
        Code(STORES + 9 * self as u16 + 3 * base as u16 + value as u16)
    }
}

impl Branch {
    /// Its number for operands there, in the order that [`Mirrored::code`] wants.
    pub(crate) fn code(self, first: At, second: At) -> Code {
        let form = match (first, second) {
            (_, At::Slot) => 0,
            (_, At::Acc) => 1,
            (At::Slot, At::Const) => 2,
            (_, At::Const) => 3,
        };
        Code(BRANCHES + 4 * self as u16 + form)
    }
}

/// Where the list of instructions on vectors has this one, which it has.
#[cfg(feature = "simd")]
const fn place_of(number: u16) -> u16 {
    let mut at = 0;
    while DIRECT[at] != number {
        at += 1;
    }
    at as u16
}

#[cfg(feature = "simd")]
impl Code {
    /// The operation of an instruction on vectors that has one of its own.
    pub(crate) fn direct(number: u16) -> Option<Code> {
        let place = DIRECT.iter().position(|known| *known == number)?;
        Some(Code(DIRECTS + place as u16))
    }
}

/// The operations' types and words by number.
#[cfg(all(test, not(any(borges_tail_calls, miri))))]
pub(crate) const WORDS: &[(&str, usize)] = {
    macro_rules! names {
        ($(($code:pat, $op:ty))*) => {
            &[$((stringify!($op), <$op as Op>::WORDS)),*]
        };
    }
    op_table!(every_op names)
};
