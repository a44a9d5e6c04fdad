//! Places in the code: what the user names, and what to call them.

use borges_debuginfo::{FileId, Known, SourcePlace};
use borges_vm::CodeOffset;

use crate::command::CodePlace;
use crate::error::CommandError;
use crate::scene::is_of_library;
use crate::stage::Stage;

impl Stage {
    /// The offsets that a place means, and the place in words.
    pub(crate) fn resolve(
        &self,
        place: &CodePlace,
    ) -> Result<(Vec<CodeOffset>, String), CommandError> {
        match place {
            CodePlace::Offset(offset) => {
                let offset = CodeOffset(*offset);
                let module = &self.program().module;
                let known = module
                    .func_at(offset)
                    .is_some_and(|func| module.instr_starts(func).any(|at| at == offset));
                if !known {
                    let text = format!(
                        "no instruction begins at offset {:#x}: 'disassemble' lists them",
                        offset.0
                    );
                    return Err(CommandError::NoSuch(text));
                }
                Ok((vec![offset], self.place_text(offset, None)))
            }
            CodePlace::Function(name) => {
                let offsets = self.info().break_at_function(name);
                if offsets.is_empty() {
                    let text = if self.info().functions_named(name).is_empty() {
                        format!(
                            "no function is called '{name}'{}",
                            self.functions_like(name)
                        )
                    } else {
                        format!("'{name}' is a primitive: use 'break call {name}'")
                    };
                    return Err(CommandError::NoSuch(text));
                }
                let mut words: Vec<String> = offsets
                    .iter()
                    .map(|offset| self.place_text(*offset, Some(name)))
                    .collect();
                words.dedup();
                Ok((offsets, words.join(", ")))
            }
            CodePlace::Line { file, line } => {
                let file = self.file(file.as_deref())?;
                let found = self.info().break_at_line(file, *line);
                let found = found.map_err(|e| CommandError::NoSuch(e.to_string()))?;
                let name = self.info().file(found.file).map_or("?", |file| &file.path);
                let mut words = format!("{name}:{}", found.line);
                if found.moved() {
                    words.push_str(&format!(" (line {} has no code)", found.asked));
                }
                Ok((found.offsets, words))
            }
        }
    }

    /// Functions of the program that may be meant by a name that none has.
    fn functions_like(&self, name: &str) -> String {
        let functions = self.info().functions();
        let own = functions.iter().filter(|function| !function.imported);
        let names = own.flat_map(|function| {
            let last = function.name.rsplit("::").next();
            [Some(function.name.as_str()), last].into_iter().flatten()
        });
        match Known::near(name, names) {
            known if known.near => known.to_string(),
            _ => ": 'functions' lists them".to_owned(),
        }
    }

    /// The file whose name was given, or the one shown now, or the program's only one.
    pub(crate) fn file(&self, name: Option<&str>) -> Result<FileId, CommandError> {
        if let Some(name) = name {
            return self
                .info()
                .find_file(name)
                .map_err(|e| CommandError::NoSuch(e.to_string()));
        }
        let machine = &self.history.twin().machine;
        let stack = machine.standing();
        let offsets = stack.filter_map(|standing| machine.place_of(&standing));
        let mut places = offsets.filter_map(|offset| self.info().place_at(offset));
        // Where no frame has source, as at the start of a linker's wrapper, the file of the first line is meant.
        let shown = self.shown_place().or_else(|| places.next());
        let none = || {
            CommandError::NoSuch(
                "the program has no source lines: use functions or @offsets".to_owned(),
            )
        };
        shown
            .or_else(|| self.first_place())
            .map(|place| place.file)
            .ok_or_else(none)
    }

    /// The place in the source where the program begins. A command of WASI begins in its C library, which comes to `main`
    /// by ways of its own; so if that is a library's, the user's own `main`.
    pub(crate) fn first_place(&self) -> Option<SourcePlace> {
        let info = self.info();
        let is_own = |place: &SourcePlace| {
            let file = info.file(place.file);
            file.is_some_and(|file| !is_of_library(&file.path))
        };
        let first = info.first_place(self.loaded.entry().0);
        let main = || {
            let functions = info.functions().into_iter();
            let mains = functions.filter(|f| f.name.rsplit("::").next() == Some("main"));
            mains.filter_map(|main| main.place).find(is_own)
        };
        first.filter(is_own).or_else(main).or(first)
    }

    /// The place in the source that is shown: of the frame that a stop shows first.
    pub(crate) fn shown_place(&self) -> Option<SourcePlace> {
        self.scene().shown_frame()?.place
    }

    /// Where an instruction is: its line and its function, which is left out if it is the `asked` one.
    fn place_text(&self, offset: CodeOffset, asked: Option<&str>) -> String {
        let line = self
            .info()
            .place_at(offset)
            .and_then(|place| Some((self.info().file(place.file)?, place.line)));
        let text = match line {
            Some((file, line)) => format!("{}:{line}", file.path),
            None => format!("@{:#x}", offset.0),
        };
        match self.info().frames_at(offset).into_iter().next() {
            Some(frame) if asked != Some(&frame.function) => {
                format!("{text} in {}", frame.function)
            }
            _ => text,
        }
    }
}
