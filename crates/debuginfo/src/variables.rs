//! Variables of a stop: which there are, and where their values are.

use borges_vm::{CodeOffset, FuncIdx};

use crate::DebugInfo;
use crate::dwarf::{Dwarf, Evaluation, Scope, VariableHome};
use crate::functions::readable;
use crate::lines::SourcePlace;
use crate::module::ModuleIndex;
use crate::place::{Holder, Stopped, Unavailable, ValuePlace};
use crate::sources::{FileId, Files};
use crate::types::TypeId;

/// Most locals without names that are listed; one entry more says that there are others, which `$n` shows too.
const MAX_NAMELESS: usize = 256;

/// A frame as the source sees it: several may share one frame of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFrame {
    /// The function's name.
    pub function: String,
    /// Where it stands: of an outer frame, the call.
    pub place: Option<SourcePlace>,
    /// True if the compiler put this call's body into the next outer frame.
    pub inlined: bool,
}

/// Where a frame of the machine stands. Variables depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePoint {
    /// The machine's frame; 0 is the innermost.
    pub frame: u32,
    /// The opcode it is about to execute; of an outer frame, the call that it waits for.
    pub offset: CodeOffset,
    /// Which of the [`SourceFrame`]s that share the frame; 0 is the innermost.
    pub inlined: usize,
}

/// What a variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableKind {
    /// A parameter of a function.
    Parameter,
    /// A variable of a function.
    Local,
    /// A variable of the program.
    Global,
    /// A variable of the program that never changes.
    Constant,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As the source calls it.
    pub name: String,
    /// What it belongs to.
    pub kind: VariableKind,
    /// Its type.
    pub ty: TypeId,
    /// The file that declares it, if known; of globals only.
    pub file: Option<FileId>,
    home: Home,
}

/// Where to look for a variable.
#[derive(Clone, Debug)]
enum Home {
    Local(u32),
    /// Nowhere: it stands for the locals from this one on, which are not listed.
    Unlisted(u32),
    Global(u32),
    Dwarf {
        unit: usize,
        home: VariableHome,
    },
}

/// Something with a type at a place: a variable, a field, what a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its type.
    pub ty: TypeId,
    /// Where its bytes are.
    pub place: ValuePlace,
    /// Of a bit field: first bit and width.
    pub(crate) bits: Option<(u32, u32)>,
}

impl Object {
    pub(crate) fn new(ty: TypeId, place: ValuePlace) -> Object {
        Object {
            ty,
            place,
            bits: None,
        }
    }
}

impl DebugInfo {
    /// The frames of the source that share the machine's frame at `offset`, innermost first; empty
    /// outside functions.
    pub fn frames_at(&self, offset: CodeOffset) -> Vec<SourceFrame> {
        let Some(function) = self.function_at(offset) else {
            return Vec::new();
        };
        let mut place = self.place_at(offset);
        let mut frames = Vec::new();
        for call in self
            .scopes_at(offset)
            .filter_map(|scope| scope.inlined.as_ref())
        {
            let name = self
                .dwarf
                .as_ref()
                .and_then(|dwarf| dwarf.function_name(call.origin));
            frames.push(SourceFrame {
                function: name.unwrap_or("?").to_owned(),
                place,
                inlined: true,
            });
            let call_place = |file| SourcePlace {
                file,
                line: call.line,
                column: call.column,
            };
            place = call.file.map(call_place);
        }
        frames.push(SourceFrame {
            function: self.name_of(function),
            place,
            inlined: false,
        });
        frames
    }

    /// How many calls around `offset` the compiler inlined into its function.
    pub fn inlined_at(&self, offset: CodeOffset) -> usize {
        let scopes = self.scopes_at(offset);
        scopes.filter(|scope| scope.inlined.is_some()).count()
    }

    fn scopes_at(&self, offset: CodeOffset) -> impl Iterator<Item = &Scope> {
        let found = self.dwarf.as_ref().and_then(|dwarf| {
            let subprogram = dwarf.subprogram_at(offset.0)?;
            Some(dwarf.scopes_at(subprogram, offset.0))
        });
        found.into_iter().flatten()
    }

    /// The parameters and variables that can be seen at a stop: parameters first, then from the
    /// outermost block inwards. Of several with one name, the innermost hides the others.
    ///
    /// AssemblyScript says of a local only its name: it is listed in the whole function.
    pub fn variables_at(&self, stop: FramePoint) -> Vec<Variable> {
        let dwarf = self.dwarf.as_ref();
        let Some((dwarf, subprogram)) =
            dwarf.and_then(|dwarf| Some((dwarf, dwarf.subprogram_at(stop.offset.0)?)))
        else {
            let function = self.function_at(stop.offset);
            return function.map_or_else(Vec::new, |function| {
                let mut variables = self.named_locals(function, stop.offset.0);
                variables.extend(self.nameless_locals(function));
                variables
            });
        };
        let mut variables: Vec<Variable> = Vec::new();
        let mut calls = 0;
        for scope in dwarf.scopes_at(subprogram, stop.offset.0) {
            if calls == stop.inlined {
                for variable in scope.variables.iter().rev() {
                    if variables.iter().any(|seen| *seen.name == *variable.name) {
                        continue;
                    }
                    variables.push(Variable {
                        name: variable.name.as_ref().to_owned(),
                        kind: match variable.parameter {
                            true => VariableKind::Parameter,
                            false => VariableKind::Local,
                        },
                        ty: variable.ty,
                        file: None,
                        home: Home::Dwarf {
                            unit: subprogram.unit,
                            home: variable.home.clone(),
                        },
                    });
                }
            }
            calls += usize::from(scope.inlined.is_some());
        }
        variables.reverse();
        variables.sort_by_key(|variable| variable.kind != VariableKind::Parameter);
        variables
    }

    /// The locals that the `name` section names; of several with one name, the one that is in use
    /// at `offset`.
    fn named_locals(&self, function: FuncIdx, offset: u32) -> Vec<Variable> {
        let Some(names) = self.module.names.locals.get(&function.0) else {
            return Vec::new();
        };
        let parameters = self.module.param_count(function);
        let mut variables: Vec<(u32, Variable)> = Vec::new();
        for (&index, name) in names {
            // A local of the compiler's own is called by its number.
            let own = *name == index.to_string();
            let Some(ty) = self.module.local_type(function, index).filter(|_| !own) else {
                continue;
            };
            // Of two variables called `i`, AssemblyScript calls the second one `i|1`.
            let name = name.split('|').next().unwrap_or(name);
            let parameter = index < parameters;
            let variable = Variable {
                name: name.to_owned(),
                kind: if parameter {
                    VariableKind::Parameter
                } else {
                    VariableKind::Local
                },
                ty: TypeId::of(ty),
                file: None,
                home: Home::Local(index),
            };
            match variables.iter_mut().find(|(_, other)| other.name == name) {
                None => variables.push((index, variable)),
                Some(other) => {
                    let before = self.module.distance_to_local(function, other.0, offset);
                    let now = self.module.distance_to_local(function, index, offset);
                    if now < before {
                        *other = (index, variable);
                    }
                }
            }
        }
        variables
            .into_iter()
            .map(|(_, variable)| variable)
            .collect()
    }

    /// The locals that nobody named, as `$0`: of code without debug information. Where a compiler names
    /// locals, those that it left out are its own.
    fn nameless_locals(&self, function: FuncIdx) -> Vec<Variable> {
        let own = self.module.names.numbers_locals
            || self.lines.after_prologue(&self.module, function).is_some();
        let names = self.module.names.locals.get(&function.0);
        let parameters = self.module.param_count(function);
        let nameless =
            move |index: &u32| !own && names.is_none_or(|names| !names.contains_key(index));
        let types =
            (0..).map_while(move |index| Some((index, self.module.local_type(function, index)?)));
        let mut types = types.filter(move |(index, _)| nameless(index));
        let variable = |name: String, index, ty, home| Variable {
            name,
            kind: match index < parameters {
                true => VariableKind::Parameter,
                false => VariableKind::Local,
            },
            ty: TypeId::of(ty),
            file: None,
            home,
        };
        let listed = types.by_ref().take(MAX_NAMELESS);
        let mut variables: Vec<Variable> = listed
            .map(|(index, ty)| variable(format!("${index}"), index, ty, Home::Local(index)))
            .collect();
        let unlisted = types.next();
        variables.extend(unlisted.map(|(index, ty)| {
            let home = Home::Unlisted(index);
            variable("…".to_owned(), index, ty, home)
        }));
        variables
    }

    /// The functions that have a parameter or variable of this name, also in a call that was inlined into
    /// them.
    pub fn functions_declaring(&self, name: &str) -> Vec<FuncIdx> {
        let by_names = self.module.names.locals.iter().filter(|(_, locals)| {
            let mut names = locals.values().filter_map(|local| local.split('|').next());
            names.any(|local| local == name)
        });
        let mut found: Vec<FuncIdx> = by_names.map(|(index, _)| FuncIdx(*index)).collect();
        let subprograms = self.dwarf.iter().flat_map(|dwarf| dwarf.subprograms());
        found.extend(subprograms.filter_map(|subprogram| {
            let mut variables = subprogram.scopes.iter().flat_map(|scope| &scope.variables);
            let declares = variables.any(|variable| *variable.name == *name);
            declares.then_some(subprogram.function)
        }));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// True if a variable has a value of its own wherever it is in scope; false if what its place holds there may be from
    /// before it was first written, as in C without optimisation.
    pub fn is_set_in_scope(&self, variable: &Variable) -> bool {
        if variable.kind != VariableKind::Local {
            return true;
        }
        match &variable.home {
            Home::Local(_) => false,
            Home::Global(_) | Home::Unlisted(_) => true,
            // Rust's scopes begin behind `let`; lists of places are exact.
            Home::Dwarf { unit, home } => {
                !matches!(home, VariableHome::Expression(_))
                    || self
                        .dwarf
                        .as_ref()
                        .is_some_and(|dwarf| dwarf.is_rust(*unit))
            }
        }
    }

    /// The variables of the program: of DWARF, and the globals that the module names.
    pub fn globals(&self) -> &[Variable] {
        &self.globals
    }

    /// A variable of the program by its name or the last part of it; of several, the one that the
    /// file of the stop declares.
    pub(crate) fn global_named(&self, name: &str, offset: CodeOffset) -> Option<Variable> {
        let here = self.place_at(offset).map(|place| place.file);
        let answers = |variable: &Variable| {
            let last = variable.name.rsplit("::").next();
            variable.name == name || last == Some(name)
        };
        let found = self.globals.iter().filter(|&variable| answers(variable));
        let best = found.min_by_key(|variable| (variable.name != name, variable.file != here));
        best.cloned()
    }

    /// Where a variable's value is at a stop; of a C++ reference, where that is what it refers to.
    ///
    /// # Errors
    /// [`Unavailable`] if it has none there.
    pub fn locate(
        &self,
        variable: &Variable,
        stop: FramePoint,
        state: &dyn Stopped,
    ) -> Result<Object, Unavailable> {
        let size = self.types().size(variable.ty);
        let place = match &variable.home {
            Home::Local(index) => {
                let memory = self.memory_at(stop.offset);
                let source = Holder::Local {
                    frame: stop.frame,
                    index: *index,
                };
                ValuePlace::whole(memory, source, size.unwrap_or(0))
            }
            Home::Unlisted(first) => return Err(Unavailable::Unlisted(*first)),
            Home::Global(index) => {
                let memory = self.module.memories.of_global(*index);
                ValuePlace::whole(memory, Holder::Global(*index), size.unwrap_or(0))
            }
            Home::Dwarf { unit, home } => {
                let dwarf = self.dwarf.as_ref().ok_or(Unavailable::Unsupported)?;
                let evaluation = Evaluation {
                    dwarf,
                    module: &self.module,
                    subprogram: dwarf.subprogram_at(stop.offset.0),
                    unit: *unit,
                    state,
                    frame: stop.frame,
                    offset: stop.offset.0,
                };
                evaluation.place(home, size.unwrap_or(0))?
            }
        };
        Ok(self.referred(Object::new(variable.ty, place), state))
    }

    /// A field of the object that a C++ member function was called on, which names it without
    /// `this->`.
    pub(crate) fn member_of_this(
        &self,
        name: &str,
        stop: FramePoint,
        state: &dyn Stopped,
    ) -> Option<Object> {
        let this = self
            .variables_at(stop)
            .into_iter()
            .find(|variable| variable.name == "this")?;
        let this = self.locate(&this, stop, state).ok()?;
        self.member(&this, name, state)
    }
}

/// The variables of the program: of DWARF, and the globals that the module names.
pub(crate) fn globals(module: &ModuleIndex, dwarf: Option<&Dwarf>, files: &Files) -> Vec<Variable> {
    let mut variables = Vec::new();
    if let Some(dwarf) = dwarf {
        for global in &dwarf.globals {
            variables.push(Variable {
                name: global.path.as_ref().to_owned(),
                kind: match global.home {
                    VariableHome::Constant(_) => VariableKind::Constant,
                    _ => VariableKind::Global,
                },
                ty: global.ty,
                file: global.file,
                home: Home::Dwarf {
                    unit: global.unit,
                    home: global.home.clone(),
                },
            });
        }
    }
    for (index, global) in module.globals.iter().enumerate() {
        let index = index as u32;
        // The variables of AssemblyScript's library are nobody's concern.
        let own = |name: &&String| !name.starts_with("~lib/");
        let name = module.names.globals.get(&index).filter(own);
        if let (Some(ty), Some(symbol)) = (global.ty, name) {
            variables.push(Variable {
                name: readable(symbol),
                kind: match global.mutable {
                    true => VariableKind::Global,
                    false => VariableKind::Constant,
                },
                ty: TypeId::of(ty),
                file: file_of_symbol(files, symbol),
                home: Home::Global(index),
            });
        }
    }
    variables
}

/// The file that declares an AssemblyScript global: its symbol begins with the file's path.
fn file_of_symbol(files: &Files, symbol: &str) -> Option<FileId> {
    let (path, _) = symbol.rsplit_once('/')?;
    files.find(&format!("{path}.ts")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoSources;
    use crate::hand_made::words;

    #[test]
    fn so_many_locals_without_names_are_listed() {
        for (count, more) in [
            (MAX_NAMELESS, None),
            (MAX_NAMELESS + 1, Some("more locals follow: $256 and on")),
        ] {
            let locals = "i32 ".repeat(count - 1);
            let text = format!("(module (func (param i32) (local {locals}) nop))");
            let info = DebugInfo::load(&wat::parse_str(text).unwrap(), &NoSources).unwrap();
            let stop = FramePoint {
                frame: 0,
                offset: CodeOffset(info.module.starts(FuncIdx(0))[0]),
                inlined: 0,
            };
            let mut variables = info.variables_at(stop);
            let said = more.and_then(|_| variables.pop()).map(|last| {
                let why = info.locate(&last, stop, &words([])).unwrap_err();
                (last.name, why.to_string())
            });
            assert_eq!(said, more.map(|why| ("…".to_owned(), why.to_owned())));
            let names: Vec<&str> = variables.iter().map(|found| found.name.as_str()).collect();
            let numbers = (0..MAX_NAMELESS).map(|number| format!("${number}"));
            assert_eq!(names, numbers.collect::<Vec<_>>());
        }
    }
}
