//! What of a board travels to a device.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

use borges_vm::{ValType, Value};
use serde::{Deserialize, Serialize};

use crate::{
    Board, Calls, Codomain, DisplayBoard, FillLength, Fills, Primitive, PrimitiveId, PrimitiveKind,
    ProgramLimits, Range, Register,
};

/// The part of a [`Board`] that a device needs, in a form that can be sent: what programs may call and within what
/// limits. How the outside behaves stays with the host: on a device, that is the outside itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableBoard {
    name: String,
    limits: ProgramLimits,
    pins: u16,
    motors: u8,
    degrees_per_second: u32,
    ports: u8,
    pixels: u16,
    display: DisplayBoard,
    high_pins: Vec<u8>,
    ranges: Vec<PortableRange>,
    declared: Vec<Declared>,
    system: Option<PortableSystem>,
}

/// A device has no operating system; what a simulated one has, the host says.
#[cfg(feature = "host")]
type PortableSystem = crate::SystemStart;
#[cfg(not(feature = "host"))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum PortableSystem {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PortableRange {
    primitives: Vec<PrimitiveId>,
    args: Vec<Option<Value>>,
    codomain: Set,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Declared {
    module: String,
    name: String,
    params: Vec<ValType>,
    result: Option<ValType>,
    kind: DeclaredKind,
    codomain: Set,
    register: Option<(Vec<u8>, Vec<u8>, Vec<Value>)>,
    fills: Option<(u8, FillLength, Set)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum DeclaredKind {
    Input,
    Output,
    Constant(Value),
    Trap,
}

/// A codomain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Set {
    Full(ValType),
    Intervals(ValType, Vec<(Value, Value)>),
    NotBeforeLast(ValType),
}

impl PortableBoard {
    /// The limits of its programs.
    pub fn limits(&self) -> &ProgramLimits {
        &self.limits
    }

    /// Says what limits its programs have.
    #[must_use]
    pub fn with_limits(self, limits: ProgramLimits) -> Self {
        Self { limits, ..self }
    }
}

impl From<&Codomain> for Set {
    fn from(codomain: &Codomain) -> Self {
        match codomain {
            Codomain::Full(ty) => Set::Full(*ty),
            Codomain::Range { min, max } => Set::Intervals(min.ty(), Vec::from([(*min, *max)])),
            Codomain::Union(ty, intervals) => Set::Intervals(*ty, intervals.clone()),
            Codomain::NotBeforeLast(ty) => Set::NotBeforeLast(*ty),
        }
    }
}

impl Set {
    /// The codomain; what came over a wire is brought in order.
    fn codomain(self) -> Codomain {
        match self {
            Set::Full(ty) => Codomain::Full(ty),
            Set::Intervals(ty, intervals) => Codomain::union(ty, intervals),
            Set::NotBeforeLast(ty) => Codomain::NotBeforeLast(ty),
        }
    }
}

impl From<&Board> for PortableBoard {
    fn from(board: &Board) -> Self {
        let declared = board.primitives.declared();
        PortableBoard {
            name: board.name.clone(),
            limits: board.limits,
            pins: board.pins,
            motors: board.motors,
            degrees_per_second: board.degrees_per_second,
            ports: board.ports,
            pixels: board.pixels,
            display: board.display,
            high_pins: board.high_pins.clone(),
            ranges: board.ranges.iter().map(PortableRange::from).collect(),
            declared: declared
                .iter()
                .filter(|primitive| primitive.kind != PrimitiveKind::System)
                .map(Declared::from)
                .collect(),
            #[cfg(feature = "host")]
            system: board.system().cloned(),
            #[cfg(not(feature = "host"))]
            system: None,
        }
    }
}

impl From<&Range> for PortableRange {
    fn from(range: &Range) -> Self {
        PortableRange {
            primitives: range.calls.primitives.clone(),
            args: range.calls.args.clone(),
            codomain: (&range.codomain).into(),
        }
    }
}

impl From<&Primitive> for Declared {
    fn from(primitive: &Primitive) -> Self {
        Declared {
            module: primitive.module.clone().into_owned(),
            name: primitive.name.clone().into_owned(),
            params: primitive.params.to_vec(),
            result: primitive.result,
            kind: match primitive.kind {
                PrimitiveKind::Input => DeclaredKind::Input,
                PrimitiveKind::Output => DeclaredKind::Output,
                PrimitiveKind::Constant(value) => DeclaredKind::Constant(value),
                PrimitiveKind::Trap | PrimitiveKind::System => DeclaredKind::Trap,
            },
            codomain: (&primitive.codomain).into(),
            register: primitive
                .register
                .as_ref()
                .map(|r| (r.key.clone(), r.state.clone(), r.initial.clone())),
            fills: primitive
                .fills
                .as_ref()
                .map(|fills| (fills.address, fills.length, (&fills.bytes).into())),
        }
    }
}

impl From<PortableBoard> for Board {
    fn from(portable: PortableBoard) -> Self {
        let declared = portable.declared.into_iter().map(Primitive::from);
        let range = |range: PortableRange| Range {
            calls: Calls {
                primitives: range.primitives,
                args: range.args,
            },
            codomain: range.codomain.codomain(),
        };
        let mut board = Board {
            name: portable.name,
            limits: portable.limits,
            pins: portable.pins.min(256),
            motors: portable.motors,
            degrees_per_second: portable.degrees_per_second,
            ports: portable.ports,
            pixels: portable.pixels,
            high_pins: portable.high_pins,
            ranges: portable.ranges.into_iter().map(range).collect(),
            ..Board::with_primitives(declared.collect())
        };
        if board.display != portable.display {
            board.set_display(portable.display);
        }
        #[cfg(feature = "host")]
        if let Some(start) = portable.system {
            // The host made the same of it before.
            board = board.clone().with_system(start).unwrap_or(board);
        }
        board
    }
}

impl From<Declared> for Primitive {
    fn from(declared: Declared) -> Self {
        let kind = match declared.kind {
            DeclaredKind::Input => PrimitiveKind::Input,
            DeclaredKind::Output => PrimitiveKind::Output,
            DeclaredKind::Constant(value) => PrimitiveKind::Constant(value),
            DeclaredKind::Trap => PrimitiveKind::Trap,
        };
        let register = |(key, state, initial)| {
            Box::new(Register {
                key,
                state,
                initial,
            })
        };
        Primitive {
            module: Cow::Owned(declared.module),
            name: Cow::Owned(declared.name),
            params: Cow::Owned(declared.params),
            result: declared.result,
            kind,
            codomain: declared.codomain.codomain(),
            register: declared.register.map(register),
            fills: declared.fills.map(|(address, length, bytes)| {
                Box::new(Fills {
                    address,
                    length,
                    bytes: bytes.codomain(),
                })
            }),
            op: crate::primitive::Op::Declared,
        }
    }
}
