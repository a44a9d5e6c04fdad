//! Functions and what they are called.

use borges_vm::{CodeOffset, FuncIdx};

use crate::DebugInfo;
use crate::lines::{Lines, SourcePlace};
use crate::module::ModuleIndex;
use crate::place::Stopped;
use crate::types::{Type, TypeId};

/// A function of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its index.
    pub index: FuncIdx,
    /// As the source calls it; `module.name` of an imported one, `func[7]` if nobody named it.
    pub name: String,
    /// The name that linker and module use, if it is another one.
    pub symbol: Option<String>,
    /// True if it has no body: calling it calls a primitive.
    pub imported: bool,
    /// Where execution of its statements begins, after the code that sets up its frame.
    pub entry: Option<CodeOffset>,
    /// The source of `entry`.
    pub place: Option<SourcePlace>,
}

impl DebugInfo {
    /// The name of the function that a pointer to functions means: its number is a place in the table.
    pub(crate) fn function_pointed_to(
        &self,
        to: TypeId,
        index: i128,
        state: &dyn Stopped,
    ) -> Option<String> {
        let is_function = matches!(self.types().resolve(to), Some(Type::Function));
        let index = u32::try_from(index).ok().filter(|_| is_function)?;
        Some(self.function(state.table(index)?).name)
    }

    /// The first place in the source that executing a function comes to, in the order of its code: of
    /// itself or, as a linker's wrapper has no source, of what it calls; none if that is far away.
    pub fn first_place(&self, function: FuncIdx) -> Option<SourcePlace> {
        let (mut seen, mut next) = (Vec::new(), vec![function]);
        while let Some(function) = next.pop() {
            if seen.contains(&function) || seen.len() >= MAX_WRAPPERS {
                continue;
            }
            seen.push(function);
            if let Some(place) = self.function(function).place {
                return Some(place);
            }
            let mut called = self.module.called_by(function);
            called.reverse();
            next.append(&mut called);
        }
        None
    }
}

/// Most functions without source that are looked through for the first with one.
const MAX_WRAPPERS: usize = 64;

/// The function's name in the module: of the `name` section, else of its export.
pub(crate) fn symbol(module: &ModuleIndex, function: FuncIdx) -> Option<&str> {
    let names = &module.names.functions;
    names
        .get(&function.0)
        .or_else(|| module.exports.get(&function.0))
        .map(String::as_str)
}

/// A name for people, made from the module's own.
pub(crate) fn name_of(module: &ModuleIndex, function: FuncIdx) -> String {
    match symbol(module, function) {
        None => format!("func[{}]", function.0),
        Some(symbol) if function.0 < module.imported_count() => symbol.to_owned(),
        Some(symbol) => readable(symbol),
    }
}

pub(crate) fn describe(
    module: &ModuleIndex,
    lines: &Lines,
    function: FuncIdx,
    name: String,
) -> Function {
    let symbol = symbol(module, function)
        .filter(|&symbol| symbol != name)
        .map(str::to_owned);
    let entry = entry(module, lines, function);
    Function {
        index: function,
        name,
        symbol,
        imported: function.0 < module.imported_count(),
        entry,
        place: entry.and_then(|entry| lines.place(module, entry)),
    }
}

/// Where a breakpoint on a function goes.
pub(crate) fn entry(module: &ModuleIndex, lines: &Lines, function: FuncIdx) -> Option<CodeOffset> {
    let first = || module.starts(function).first().copied();
    lines
        .after_prologue(module, function)
        .or_else(first)
        .map(CodeOffset)
}

/// A symbol as people write it: Rust's mangling undone, AssemblyScript's file paths left out.
pub(crate) fn readable(symbol: &str) -> String {
    if let Ok(demangled) = rustc_demangle::try_demangle(symbol) {
        return format!("{demangled:#}");
    }
    without_paths(&percent_decoded(symbol))
}

/// `~lib/map/Map<~lib/string/String,i32>#set` becomes `Map<String,i32>#set`.
fn without_paths(symbol: &str) -> String {
    let mut name = String::with_capacity(symbol.len());
    let mut word = 0;
    for c in symbol.chars() {
        match c {
            '/' => name.truncate(word),
            '<' | '>' | ',' | '(' | ')' | '|' | '=' => {
                name.push(c);
                word = name.len();
            }
            c => name.push(c),
        }
    }
    if name.is_empty() {
        symbol.to_owned()
    } else {
        name
    }
}

/// AssemblyScript writes brackets as `%28`.
fn percent_decoded(symbol: &str) -> String {
    let mut name = String::with_capacity(symbol.len());
    let mut rest = symbol;
    while let Some((before, after)) = rest.split_once('%') {
        name.push_str(before);
        let code = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.filter(u8::is_ascii_graphic) {
            Some(code) => {
                name.push(char::from(code));
                rest = after.get(2..).unwrap_or("");
            }
            None => {
                name.push('%');
                rest = after;
            }
        }
    }
    name.push_str(rest);
    name
}

/// How well a function's name or symbol answers to what the user typed; lower is better.
pub(crate) fn rank(name: &str, wanted: &str) -> Option<u8> {
    if name == wanted {
        return Some(0);
    }
    // `tick` finds `blink::Blinker::tick`, `digital_read` does not find `chip_digital_read`.
    let ends = |separator: &str| {
        name.strip_suffix(wanted)
            .is_some_and(|before| before.ends_with(separator))
    };
    ["::", ".", "/", "#"].into_iter().any(ends).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_become_readable() {
        for (symbol, name) in [
            ("light-sensor/light-sensor/showLight", "showLight"),
            (
                "~lib/function/Function<%28%29=>void>#get:index",
                "Function<()=>void>#get:index",
            ),
            (
                "~lib/map/Map<~lib/string/String,i32>#set",
                "Map<String,i32>#set",
            ),
            (
                "_ZN5blink7Blinker5press17hab0fe70977400bd4E",
                "blink::Blinker::press",
            ),
            ("100%", "100%"),
            ("a%2", "a%2"),
            ("x/", "x/"),
        ] {
            assert_eq!(readable(symbol), name);
        }
    }

    #[test]
    fn a_name_answers_to_its_last_part() {
        assert_eq!(rank("blink::Blinker::tick", "tick"), Some(1));
        assert_eq!(rank("blink::Blinker::tick", "Blinker::tick"), Some(1));
        assert_eq!(rank("env.chip_digital_read", "chip_digital_read"), Some(1));
        assert_eq!(rank("tick", "tick"), Some(0));
        assert_eq!(rank("chip_digital_read", "digital_read"), None);
    }
}
