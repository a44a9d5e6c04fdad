//! Numeric operations, and compare-and-branch.

use core::marker::PhantomData;

use super::{Dest, Flow, Number, Op, Reason, Regs, Source, words};
use crate::num;

/// A numeric instruction of one operand.
pub(crate) trait Unary {
    type In: Number;
    type Out: Number;
    /// Computes it; `None` if it traps.
    fn apply(a: Self::In) -> Option<Self::Out>;
}

/// A numeric instruction of two operands.
pub(crate) trait Binary {
    type In: Number;
    type Out: Number;
    /// Computes it; `None` if it traps.
    fn apply(a: Self::In, b: Self::In) -> Option<Self::Out>;
}

macro_rules! markers {
    ($($code:literal $variant:ident $function:ident $text:literal ($($operand:ident),+) -> $result:ident $kind:ident;)*) => {
        $(markers!(@one $variant $function ($($operand),+) $result $kind);)*
    };
    (@one $variant:ident $function:ident ($in:ident) $out:ident $kind:ident) => {
        #[allow(dead_code)] // Not all are operations.
        pub(crate) struct $variant;
        impl Unary for $variant {
            type In = $in;
            type Out = $out;
            #[inline(always)]
            fn apply(a: $in) -> Option<$out> {
                markers!(@result $kind num::$function(a))
            }
        }
    };
    (@one $variant:ident $function:ident ($in:ident, $_in:ident) $out:ident $kind:ident) => {
        pub(crate) struct $variant;
        impl Binary for $variant {
            type In = $in;
            type Out = $out;
            #[inline(always)]
            fn apply(a: $in, b: $in) -> Option<$out> {
                markers!(@result $kind num::$function(a, b))
            }
        }
    };
    (@result total $result:expr) => { Some($result) };
    (@result traps $result:expr) => { $result.ok() };
}

crate::numeric_ops!(markers);

/// `dest = U(a)`.
pub(crate) struct UnaryOp<U, A, D>(PhantomData<(U, A, D)>);

impl<U: Unary, A: Source, D: Dest> Op for UnaryOp<U, A, D> {
    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let Some(result) = U::apply(A::read(regs)) else {
                core::hint::cold_path();
                return Flow::Leave(Reason::Before);
            };
            D::write(regs, result);
            regs.advance(Self::WORDS)
        }
    }
}

/// `dest = B(l, r)`.
pub(crate) struct BinaryOp<B, L, R, D>(PhantomData<(B, L, R, D)>);

impl<B: Binary, L: Source, R: Source, D: Dest> Op for BinaryOp<B, L, R, D> {
    const WORDS: usize = words::<B::In, L, R>();

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            let Some(result) = B::apply(L::read(regs), R::read(regs)) else {
                core::hint::cold_path();
                return Flow::Leave(Reason::Before);
            };
            D::write(regs, result);
            regs.advance(Self::WORDS)
        }
    }
}

/// A condition on two numbers.
pub(crate) trait Condition {
    type In: Number;
    fn holds(a: Self::In, b: Self::In) -> bool;
}

/// A comparison, as a condition.
pub(crate) struct If<B>(PhantomData<B>);
/// The contrary of a comparison. For integers another comparison says the same; for floats none
/// does, because of NaN.
pub(crate) struct Unless<B>(PhantomData<B>);
/// Both operands have a bit set in common.
pub(crate) struct Test<T>(PhantomData<T>);
/// The operands have no bit set in common.
pub(crate) struct TestNot<T>(PhantomData<T>);

impl<B: Binary<Out = i32>> Condition for If<B> {
    type In = B::In;

    #[inline(always)]
    fn holds(a: B::In, b: B::In) -> bool {
        B::apply(a, b) == Some(1)
    }
}

impl<B: Binary<Out = i32>> Condition for Unless<B> {
    type In = B::In;

    #[inline(always)]
    fn holds(a: B::In, b: B::In) -> bool {
        B::apply(a, b) == Some(0)
    }
}

impl<T: Number> Condition for Test<T> {
    type In = T;

    #[inline(always)]
    fn holds(a: T, b: T) -> bool {
        a.to_cell() & b.to_cell() != 0
    }
}

impl<T: Number> Condition for TestNot<T> {
    type In = T;

    #[inline(always)]
    fn holds(a: T, b: T) -> bool {
        a.to_cell() & b.to_cell() == 0
    }
}

/// Branches if `C(l, r)`.
pub(crate) struct BranchOp<C, L, R>(PhantomData<(C, L, R)>);

impl<C: Condition, L: Source, R: Source> Op for BranchOp<C, L, R> {
    const WORDS: usize = words::<C::In, L, R>() + 2;

    #[inline(always)]
    unsafe fn run(regs: &mut Regs) -> Flow {
        // SAFETY: the operation is of this kind.
        unsafe {
            if C::holds(L::read(regs), R::read(regs)) {
                regs.branch(Self::WORDS - 2)
            } else {
                regs.advance(Self::WORDS)
            }
        }
    }
}
