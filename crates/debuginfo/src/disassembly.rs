//! Functions as text, one instruction a line, with names where the module has them.

use borges_vm::{CodeOffset, FuncIdx, FuncType};
use wasmparser::{BlockType, BrTable, Catch, MemArg, MemArgTarget, Operator};

use crate::functions::readable;
use crate::module::ModuleIndex;

/// One instruction of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Of its opcode, from the start of the module's file.
    pub offset: CodeOffset,
    /// How many blocks it lies in; `else` and `end` lie outside what they end.
    pub depth: u32,
    /// Mnemonic and immediates as the text format has them, `$name` for things with a name.
    pub text: String,
}

/// A function's instructions, as far as they can be read; none of an imported function.
pub(crate) fn disassemble(module: &ModuleIndex, function: FuncIdx) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let Some(body) = module.body_of(function) else {
        return instructions;
    };
    let printer = Printer { module, function };
    let mut operators = module.operators(body);
    let mut depth = 0u32;
    while !operators.eof() {
        let offset = CodeOffset(operators.original_position() as u32);
        let operator = match operators.read() {
            Ok(operator) => operator,
            Err(error) => {
                let text = format!(";; unreadable from here on: {}", error.message());
                instructions.push(Instruction {
                    offset,
                    depth,
                    text,
                });
                break;
            }
        };
        let text = printer.text(&operator);
        match operator {
            Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::TryTable { .. }
            | Operator::Try { .. } => {
                instructions.push(Instruction {
                    offset,
                    depth,
                    text,
                });
                depth += 1;
            }
            Operator::Else | Operator::Catch { .. } | Operator::CatchAll => {
                instructions.push(Instruction {
                    offset,
                    depth: depth.saturating_sub(1),
                    text,
                });
            }
            Operator::End | Operator::Delegate { .. } => {
                depth = depth.saturating_sub(1);
                instructions.push(Instruction {
                    offset,
                    depth,
                    text,
                });
            }
            _ => instructions.push(Instruction {
                offset,
                depth,
                text,
            }),
        }
    }
    instructions
}

/// The labels of a `br_table`, the default last.
fn labels(targets: &BrTable<'_>) -> String {
    let labels = targets.targets().map_while(Result::ok);
    let all = labels.chain([targets.default()]);
    let all: Vec<_> = all.map(|label| label.to_string()).collect();
    all.join(" ")
}

/// A clause of a `try_table`.
fn catch(clause: &Catch) -> String {
    match *clause {
        Catch::One { tag, label } => format!("(catch {tag} {label})"),
        Catch::OneRef { tag, label } => format!("(catch_ref {tag} {label})"),
        Catch::All { label } => format!("(catch_all {label})"),
        Catch::AllRef { label } => format!("(catch_all_ref {label})"),
    }
}

/// Prints the operators of one function.
struct Printer<'a> {
    module: &'a ModuleIndex,
    function: FuncIdx,
}

impl Printer<'_> {
    fn text(&self, operator: &Operator<'_>) -> String {
        let name = mnemonic(operator);
        let immediates = self.immediates(operator);
        if immediates.is_empty() {
            name
        } else {
            format!("{name} {immediates}")
        }
    }

    /// What follows the mnemonic. Proposals that the VM does not run are printed without.
    fn immediates(&self, operator: &Operator<'_>) -> String {
        if let Some(memarg) = memarg(operator) {
            return self.memarg_text(memarg, natural_align(operator));
        }
        match operator {
            Operator::Block { blockty }
            | Operator::Loop { blockty }
            | Operator::If { blockty }
            | Operator::Try { blockty } => self.block_type(*blockty),
            Operator::TryTable { try_table } => {
                let ty = Some(self.block_type(try_table.ty)).filter(|ty| !ty.is_empty());
                let clauses = try_table.catches.iter().map(catch);
                ty.into_iter().chain(clauses).collect::<Vec<_>>().join(" ")
            }
            Operator::Throw { tag_index } | Operator::Catch { tag_index } => tag_index.to_string(),
            Operator::Br { relative_depth }
            | Operator::BrIf { relative_depth }
            | Operator::Rethrow { relative_depth }
            | Operator::Delegate { relative_depth } => relative_depth.to_string(),
            Operator::BrTable { targets } => labels(targets),
            Operator::Call { function_index }
            | Operator::RefFunc { function_index }
            | Operator::ReturnCall { function_index } => self.function(*function_index),
            Operator::CallIndirect {
                type_index,
                table_index,
            }
            | Operator::ReturnCallIndirect {
                type_index,
                table_index,
            } => {
                let ty = self
                    .module
                    .type_at(*type_index)
                    .map(signature)
                    .unwrap_or_default();
                let table = if *table_index == 0 {
                    String::new()
                } else {
                    format!("{table_index} ")
                };
                format!("{table}(type {type_index}){ty}")
            }
            Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index } => self.local(*local_index),
            Operator::GlobalGet { global_index } | Operator::GlobalSet { global_index } => {
                named(self.module.names.globals.get(global_index), *global_index)
            }
            Operator::I32Const { value } => value.to_string(),
            Operator::I64Const { value } => value.to_string(),
            Operator::F32Const { value } => format!("{:?}", f32::from_bits(value.bits())),
            Operator::F64Const { value } => format!("{:?}", f64::from_bits(value.bits())),
            Operator::RefNull { hty } => format!("{hty:?}").to_lowercase(),
            Operator::TypedSelect { ty } => format!("(result {ty})"),
            Operator::DataDrop { data_index } => data_index.to_string(),
            Operator::TableGet { table }
            | Operator::TableSet { table }
            | Operator::TableSize { table }
            | Operator::TableGrow { table }
            | Operator::TableFill { table } => table.to_string(),
            Operator::TableInit { elem_index, table } => format!("{table} {elem_index}"),
            Operator::ElemDrop { elem_index } => elem_index.to_string(),
            Operator::TableCopy {
                dst_table,
                src_table,
            } => format!("{dst_table} {src_table}"),
            _ => self.memories(operator),
        }
    }

    /// What follows the mnemonic of an instruction on whole memories.
    fn memories(&self, operator: &Operator<'_>) -> String {
        match operator {
            Operator::MemoryInit { data_index, mem } => match self.other_memory(*mem) {
                Some(memory) => format!("{memory} {data_index}"),
                None => data_index.to_string(),
            },
            Operator::MemorySize { mem }
            | Operator::MemoryGrow { mem }
            | Operator::MemoryFill { mem } => self.other_memory(*mem).unwrap_or_default(),
            Operator::MemoryCopy { dst_mem, src_mem } if dst_mem | src_mem != 0 => {
                format!("{} {}", self.memory(*dst_mem), self.memory(*src_mem))
            }
            _ => String::new(),
        }
    }

    fn function(&self, index: u32) -> String {
        named(self.module.names.functions.get(&index), index)
    }

    fn memory(&self, index: u32) -> String {
        named(self.module.names.memories.get(&index), index)
    }

    /// A memory, unless it is the first, which the text format leaves out.
    fn other_memory(&self, index: u32) -> Option<String> {
        (index != 0).then(|| self.memory(index))
    }

    fn memarg_text(&self, memarg: &MemArg, natural: u8) -> String {
        let memory = match memarg.target {
            MemArgTarget::Memory(index) => self.other_memory(index),
            _ => None,
        };
        let mut parts: Vec<String> = memory.into_iter().collect();
        if memarg.offset != 0 {
            parts.push(format!("offset={}", memarg.offset));
        }
        if memarg.align != natural {
            parts.push(format!(
                "align={}",
                1u64.checked_shl(memarg.align.into()).unwrap_or(0)
            ));
        }
        parts.join(" ")
    }

    fn local(&self, index: u32) -> String {
        let names = self.module.names.locals.get(&self.function.0);
        named(names.and_then(|names| names.get(&index)), index)
    }

    fn block_type(&self, ty: BlockType) -> String {
        match ty {
            BlockType::Empty => String::new(),
            BlockType::Type(ty) => format!("(result {ty})"),
            BlockType::FuncType(index) => {
                let ty = self
                    .module
                    .type_at(index)
                    .map(signature)
                    .unwrap_or_default();
                format!("(type {index}){ty}")
            }
        }
    }
}

fn named(name: Option<&String>, index: u32) -> String {
    name.map_or_else(|| index.to_string(), |name| format!("${}", readable(name)))
}

fn signature(ty: &FuncType) -> String {
    let list = |word: &str, types: &[borges_vm::ValType]| match types {
        [] => String::new(),
        types => {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            format!(" ({word} {})", types.join(" "))
        }
    };
    format!(
        "{}{}",
        list("param", &ty.params),
        list("result", &ty.results)
    )
}

/// The memory immediate of a load or store.
fn memarg<'a>(operator: &'a Operator<'_>) -> Option<&'a MemArg> {
    match operator {
        Operator::I32Load { memarg }
        | Operator::I64Load { memarg }
        | Operator::F32Load { memarg }
        | Operator::F64Load { memarg }
        | Operator::I32Load8S { memarg }
        | Operator::I32Load8U { memarg }
        | Operator::I32Load16S { memarg }
        | Operator::I32Load16U { memarg }
        | Operator::I64Load8S { memarg }
        | Operator::I64Load8U { memarg }
        | Operator::I64Load16S { memarg }
        | Operator::I64Load16U { memarg }
        | Operator::I64Load32S { memarg }
        | Operator::I64Load32U { memarg }
        | Operator::I32Store { memarg }
        | Operator::I64Store { memarg }
        | Operator::F32Store { memarg }
        | Operator::F64Store { memarg }
        | Operator::I32Store8 { memarg }
        | Operator::I32Store16 { memarg }
        | Operator::I64Store8 { memarg }
        | Operator::I64Store16 { memarg }
        | Operator::I64Store32 { memarg } => Some(memarg),
        _ => None,
    }
}

/// The alignment, as a power of two, that the text format leaves out.
fn natural_align(operator: &Operator<'_>) -> u8 {
    match operator {
        Operator::I32Load8S { .. }
        | Operator::I32Load8U { .. }
        | Operator::I64Load8S { .. }
        | Operator::I64Load8U { .. }
        | Operator::I32Store8 { .. }
        | Operator::I64Store8 { .. } => 0,
        Operator::I32Load16S { .. }
        | Operator::I32Load16U { .. }
        | Operator::I64Load16S { .. }
        | Operator::I64Load16U { .. }
        | Operator::I32Store16 { .. }
        | Operator::I64Store16 { .. } => 1,
        Operator::I64Load { .. }
        | Operator::F64Load { .. }
        | Operator::I64Store { .. }
        | Operator::F64Store { .. } => 3,
        _ => 2,
    }
}

/// The mnemonic in the text format, made from the parser's name of the operator.
fn mnemonic(operator: &Operator<'_>) -> String {
    macro_rules! visit_name {
        ($(@$proposal:ident $op:ident $({ $($arg:ident: $argty:ty),* })? => $visit:ident ($($ann:tt)*))*) => {
            match operator {
                $(Operator::$op { .. } => stringify!($visit),)*
                // Vector instructions, if another crate of the build switches them on.
                #[allow(unreachable_patterns, reason = "depends on the features of the parser")]
                _ => "visit_v128",
            }
        };
    }
    let name = wasmparser::for_each_visit_operator!(visit_name);
    let name = name.strip_prefix("visit_").unwrap_or(name);
    // Only the first underscore stands for a dot, and only behind what the operator works on.
    const DOTTED: [&str; 10] = [
        "i32", "i64", "f32", "f64", "local", "global", "memory", "table", "ref", "data",
    ];
    match name.split_once('_') {
        _ if name == "typed_select" => "select".to_owned(),
        Some((of, what)) if DOTTED.contains(&of) || of == "elem" => format!("{of}.{what}"),
        _ => name.to_owned(),
    }
}
