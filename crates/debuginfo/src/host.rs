//! What a host does with a module's exports: its function, and the text that it was made from
//! ([`borges_vm::Module::host`]).

use std::collections::BTreeMap;

use borges_vm::{HOST_SECTION, ValType};
use wasmparser::{BinaryReader, FunctionBody};

use crate::lines::{Row, RowSource};
use crate::module::{ModuleIndex, val_type};
use crate::sources::{Files, NoSources};
use crate::warning::{DebugPart, Warnings};

/// What the function is called, and the file of its lines.
const NAME: &str = "entries";

/// Adds the host's function to the module, if it has one; the rows of its lines.
pub(crate) fn rows(
    module: &mut ModuleIndex,
    files: &mut Files,
    warnings: &mut Warnings,
) -> Vec<Row> {
    let found = module.customs.iter().find(|(name, _)| name == HOST_SECTION);
    let Some(range) = found.map(|(_, range)| range.clone()) else {
        return Vec::new();
    };
    let bytes = module.bytes.clone();
    let content = bytes.get(range.clone()).unwrap_or_default();
    let read = read(
        module,
        files,
        BinaryReader::new(content, range.start as u64),
    );
    read.unwrap_or_else(|error| {
        warnings.malformed(DebugPart::Module, &error);
        Vec::new()
    })
}

fn read(
    module: &mut ModuleIndex,
    files: &mut Files,
    mut reader: BinaryReader<'_>,
) -> wasmparser::Result<Vec<Row>> {
    let mut results = Vec::new();
    for _ in 0..reader.read_var_u32()? {
        let ty: wasmparser::ValType = reader.read()?;
        results.push(val_type(ty).unwrap_or(ValType::ExternRef));
    }
    let body = FunctionBody::new(reader.read_reader()?);
    let code = body.get_binary_reader_for_operators()?.original_position() as u32;
    let function = module.add_function(results, &body)?;
    module.names.functions.insert(function, NAME.to_owned());
    let text = reader.read_unlimited_string()?;
    let file = files.intern(NAME, Some(text), &NoSources);
    let mut rows = Vec::new();
    for _ in 0..reader.read_var_u32()? {
        let offset = code.saturating_add(reader.read_var_u32()?);
        let line = reader.read_var_u32()?;
        rows.push(Row {
            offset,
            source: file.map(|file| RowSource {
                file,
                line,
                column: 0,
                is_stmt: true,
            }),
            prologue_end: false,
        });
    }
    let mut locals = BTreeMap::new();
    for local in 0..reader.read_var_u32()? {
        locals.insert(local, reader.read_string()?.to_owned());
    }
    module.names.locals.insert(function, locals);
    Ok(rows)
}
