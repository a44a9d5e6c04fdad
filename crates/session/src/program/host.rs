//! Calls of a module's exports one after the other, as a host makes them: a function of its own, which the program carries
//! with it ([`Module::host`]).
//!
//! Of the section that the VM and the debug information read, `docs/wasi.md` says what it holds.

use borges_vm::{ExternType, FuncType, HOST_SECTION, Module, ValType, Value};
use wasm_encoder::{
    CustomSection, Encode, Function, InstructionSink, MemArg, MemArgTarget, Section,
    ValType as Encoded,
};

use crate::values::{parse, parts, unescaped};

/// Most bytes that one line puts into memory.
pub(crate) const MOST_TEXT: usize = 1 << 16;

/// What a reactor begins with, before any other export is called.
const INITIALIZE: &str = "_initialize";

/// The file that `entry` asks for: the same with a section of calls behind it, or nothing if it names one function that
/// begins by itself.
///
/// # Errors
/// Which line cannot be called, and why.
pub(super) fn with_calls(
    module: &Module,
    bytes: &[u8],
    entry: &str,
) -> Result<Option<Vec<u8>>, String> {
    let is_reactor = module.exported_func(INITIALIZE).is_some_and(|func| {
        let ty = module.func_type(func);
        ty.is_some_and(|ty| ty.params.is_empty() && ty.results.is_empty())
    });
    let lines = entry.lines().map(str::trim);
    let mut lines: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let initializes = lines.iter().any(|line| line.starts_with(INITIALIZE));
    if is_reactor && !initializes && lines != ["_start"] {
        lines.insert(0, INITIALIZE);
    }
    if lines.is_empty() {
        return Ok(None);
    }
    if let [name] = *lines
        && (module.exported_func(name).is_some() || !name.contains(['(', '=']))
    {
        return Ok(None);
    }
    if module.host().is_some() {
        return Err("the program has calls of its own already".to_owned());
    }
    let mut calls = Calls::new(module);
    for (number, line) in (1..).zip(&lines) {
        let said = calls.line(number, line);
        said.map_err(|error| format!("the entry '{line}': {error}"))?;
    }
    let section = calls.section(&lines)?;
    let mut bytes = bytes.to_vec();
    section.append_to(&mut bytes);
    Ok(Some(bytes))
}

/// The function as far as it is written.
struct Calls<'m> {
    module: &'m Module,
    /// Its code, without declarations of locals.
    code: Vec<u8>,
    /// What each local is called, and its type: the results so far.
    locals: Vec<(String, ValType)>,
    /// Where in the code each line begins, and its number.
    begins: Vec<(u32, u32)>,
}

/// Where a line writes to.
#[derive(Clone, Copy)]
enum Base {
    /// Where an earlier result points.
    Local(u32),
    /// There.
    Number(i32),
}

impl<'m> Calls<'m> {
    fn new(module: &'m Module) -> Self {
        Self {
            module,
            code: Vec::new(),
            locals: Vec::new(),
            begins: Vec::new(),
        }
    }

    fn line(&mut self, number: u32, line: &str) -> Result<(), String> {
        self.begins.push((self.code.len() as u32, number));
        if let Some(write) = line.strip_prefix('*') {
            return self.write(write);
        }
        let (before, arguments) = match line.split_once('(') {
            None => (line, None),
            Some((before, rest)) => {
                let inside = rest.strip_suffix(')').ok_or("it lacks a closing bracket")?;
                (before, Some(inside.trim()))
            }
        };
        let (name, export) = match before.split_once('=') {
            None => (None, before.trim()),
            Some((name, export)) => (Some(self.new_name(name.trim())?), export.trim()),
        };
        let func = self.module.exported_func(export);
        let func = func.ok_or_else(|| self.no_export(export))?;
        let ty = self.module.func_type(func).cloned().unwrap_or_default();
        if name.is_some() && ty.results.len() != 1 {
            return Err(format!(
                "it has {} results, and a name stands for one",
                ty.results.len()
            ));
        }
        self.arguments(&ty, arguments)?;
        self.sink().call(func.0);
        self.keep(&ty, name.unwrap_or(export), number)
    }

    /// Puts arguments on the stack: as given, or zeros.
    fn arguments(&mut self, ty: &FuncType, given: Option<&str>) -> Result<(), String> {
        let given: Vec<&str> = match given {
            None => {
                for ty in &ty.params {
                    self.constant(Value::default_of(*ty))?;
                }
                return Ok(());
            }
            Some("") => Vec::new(),
            Some(given) => parts(given).map(str::trim).collect(),
        };
        if given.len() != ty.params.len() {
            let wants: Vec<String> = ty.params.iter().map(ToString::to_string).collect();
            let (count, wants) = (given.len(), wants.join(", "));
            return Err(format!(
                "it takes ({wants}), and {count} arguments are given"
            ));
        }
        for (text, ty) in given.iter().zip(&ty.params) {
            match self.local(text) {
                Some((local, found)) if found == *ty => drop(self.sink().local_get(local)),
                Some((_, found)) => return Err(format!("'{text}' is of type {found}, not {ty}")),
                None => {
                    let value = parse(text, *ty).map_err(|error| {
                        let known: Vec<&str> =
                            self.locals.iter().map(|(name, _)| name.as_str()).collect();
                        match known.is_empty() {
                            true => error,
                            false => format!("{error}; results so far: {}", known.join(", ")),
                        }
                    })?;
                    self.constant(value)?;
                }
            }
        }
        Ok(())
    }

    /// Keeps the results of a call, the last of which is on top of the stack.
    fn keep(&mut self, ty: &FuncType, name: &str, number: u32) -> Result<(), String> {
        let first = self.locals.len();
        for (index, result) in ty.results.iter().enumerate() {
            let again = if index > 0 {
                format!("_{index}")
            } else {
                String::new()
            };
            let mut called = format!("{name}{again}");
            if self.local(&called).is_some() {
                called = format!("{called}@{number}");
            }
            self.locals.push((called, *result));
        }
        for local in (first..self.locals.len()).rev() {
            self.sink().local_set(local as u32);
        }
        Ok(())
    }

    /// Writes a text to where a result points, or to an address: `*NAME = "text"`, `*1024 = "text"`.
    fn write(&mut self, text: &str) -> Result<(), String> {
        let (name, text) = text.split_once('=').ok_or("write it as *NAME = \"text\"")?;
        let name = name.trim();
        let inside = text
            .trim()
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let bytes = unescaped(inside.ok_or("a text is written in quotes")?)?;
        let address = match self.local(name) {
            Some((local, ValType::I32)) => Base::Local(local),
            _ => match parse(name, ValType::I32) {
                Ok(Value::I32(address)) => Base::Number(address),
                _ => {
                    return Err(format!(
                        "no earlier line has a result '{name}' that is an address (i32)"
                    ));
                }
            },
        };
        if self.module.memory_type().is_none() {
            return Err("the module has no memory".to_owned());
        }
        if bytes.len() > MOST_TEXT {
            return Err(format!("a text has at most {MOST_TEXT} bytes"));
        }
        let at = |offset: usize| MemArg {
            offset: offset as u64,
            align: 0,
            target: MemArgTarget::Memory(0),
            ordering: None,
        };
        let (words, tail) = bytes.as_chunks::<8>();
        for (index, word) in words.iter().enumerate() {
            self.push(address).i64_const(i64::from_le_bytes(*word));
            self.sink().i64_store(at(index * 8));
        }
        for (index, byte) in tail.iter().enumerate() {
            self.push(address).i32_const((*byte).into());
            self.sink().i32_store8(at(words.len() * 8 + index));
        }
        Ok(())
    }

    /// Puts an address on the stack.
    fn push(&mut self, address: Base) -> InstructionSink<'_> {
        let mut sink = self.sink();
        match address {
            Base::Local(local) => sink.local_get(local),
            Base::Number(number) => sink.i32_const(number),
        };
        sink
    }

    fn new_name<'n>(&self, name: &'n str) -> Result<&'n str, String> {
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_name =
            name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
        if !is_name {
            return Err(format!(
                "'{name}' is no name: letters, digits and _, a letter first"
            ));
        }
        match self.local(name) {
            Some(_) => Err(format!("there is a result '{name}' already")),
            None => Ok(name),
        }
    }

    fn local(&self, name: &str) -> Option<(u32, ValType)> {
        let index = self.locals.iter().position(|(known, _)| known == name)?;
        Some((index as u32, self.locals.get(index)?.1))
    }

    fn constant(&mut self, value: Value) -> Result<(), String> {
        let mut sink = self.sink();
        match value {
            Value::I32(v) => sink.i32_const(v),
            Value::I64(v) => sink.i64_const(v),
            Value::F32(bits) => sink.f32_const(f32::from_bits(bits).into()),
            Value::F64(bits) => sink.f64_const(f64::from_bits(bits).into()),
            _ => return Err("references cannot be given".to_owned()),
        };
        Ok(())
    }

    fn no_export(&self, name: &str) -> String {
        let exports = self.module.exports();
        let functions = exports.filter(|export| matches!(export.ty, ExternType::Func(_)));
        let names: Vec<&str> = functions.map(|export| export.name).collect();
        format!(
            "the module exports no function '{name}'; it exports: {}",
            names.join(", ")
        )
    }

    /// The section: the function, which returns all results, and behind it its text, its lines, and names of its locals.
    fn section(mut self, lines: &[&str]) -> Result<CustomSection<'static>, String> {
        let locals: Vec<u32> = (0..self.locals.len() as u32).collect();
        for local in locals {
            self.sink().local_get(local);
        }
        self.sink().end();
        let types = self.locals.iter().map(|(_, ty)| encoded(*ty));
        let types = types.collect::<Result<Vec<Encoded>, String>>()?;
        let mut function = Function::new_with_locals_types(types.iter().copied());
        function.raw(self.code);
        let mut data = Vec::new();
        types.encode(&mut data);
        function.encode(&mut data);
        lines.join("\n").encode(&mut data);
        self.begins.len().encode(&mut data);
        for (offset, line) in self.begins {
            offset.encode(&mut data);
            line.encode(&mut data);
        }
        self.locals.len().encode(&mut data);
        for (name, _) in self.locals {
            name.encode(&mut data);
        }
        Ok(CustomSection {
            name: HOST_SECTION.into(),
            data: data.into(),
        })
    }

    fn sink(&mut self) -> InstructionSink<'_> {
        InstructionSink::new(&mut self.code)
    }
}

/// A type as it is written in a module.
fn encoded(ty: ValType) -> Result<Encoded, String> {
    Ok(match ty {
        ValType::I32 => Encoded::I32,
        ValType::I64 => Encoded::I64,
        ValType::F32 => Encoded::F32,
        ValType::F64 => Encoded::F64,
        _ => return Err(format!("a result of type {ty} cannot be kept")),
    })
}
