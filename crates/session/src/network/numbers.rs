//! The numbers of a program that can be asked for at every moment.

use borges_debuginfo::{
    DebugInfo, Expression, ExpressionErrorKind, FramePoint, NoScope, Number, Unavailable,
};
use borges_vm::{CodeOffset, Machine};

use crate::scene::Machines;

/// A number of a program's source where a machine stands, of those that are there at every moment.
///
/// # Errors
/// Why there is no such thing in the program.
pub(super) fn number(
    info: &DebugInfo,
    machine: &Machine,
    name: &str,
) -> Result<Option<i64>, String> {
    let expression = Expression::parse(name).map_err(|error| error.to_string())?;
    let everywhere = FramePoint {
        frame: 0,
        offset: CodeOffset(0),
        inlined: 0,
    };
    let state = Machines(machine);
    match info.evaluate(&expression, everywhere, &state, &NoScope) {
        Ok(value) => Ok(match info.number_of(&value, &state) {
            Some(Number::Int(number)) => i64::try_from(number).ok(),
            _ => None,
        }),
        Err(error) => match &error.kind {
            ExpressionErrorKind::Unavailable(
                Unavailable::OutsideMemory(_) | Unavailable::NullReference,
            ) => Ok(None),
            _ => Err(error.to_string()),
        },
    }
}
