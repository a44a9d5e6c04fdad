//! The page's types are made from ours: `ui/src/wire/types.ts` and `ui/src/model/types.ts` must be what they say.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use borges_session::command::{Command, Reply};
use ts_rs::{Config, TS, TypeVisitor};

use crate::frames::{BranchesHeader, EntriesHeader, StatesHeader, UniversesHeader};
use crate::protocol::model::{ModelCommand, ModelReply};
use crate::protocol::{Ask, Tell, VERSION};

struct Collector {
    config: Config,
    seen: HashSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for Collector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // What has no path is built in or a generic argument.
        if T::output_path().is_none() || !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        let declaration = T::decl(&self.config);
        self.declarations
            .insert(T::ident(&self.config), declaration);
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

impl Collector {
    fn new() -> Self {
        Self {
            // Step counts stay far below 2^53.
            config: Config::new().with_large_int("number"),
            seen: HashSet::new(),
            declarations: BTreeMap::new(),
        }
    }

    /// All declarations, after a header.
    fn text(&self, header: &str) -> String {
        let mut text = format!(
            "// Made from the Rust types by `UPDATE_TYPES=1 cargo test -p borges-hub types`. Do not edit.\n\n{header}"
        );
        for declaration in self.declarations.values() {
            text.push_str("export ");
            // Comments of the Rust types would double their documentation.
            let mut comment = false;
            for line in declaration.trim().lines() {
                comment |= line.starts_with("/**");
                if !comment {
                    text.push_str(line.trim_end());
                    text.push('\n');
                }
                comment &= !line.ends_with("*/");
            }
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

/// Compares, or writes, a file below `ui/src`.
fn check(file: &str, types: &str) {
    let path = format!("{}/../../ui/src/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::write(&path, types).expect("the file of the types can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == types,
        "ui/src/{file} is not what the Rust types say: run UPDATE_TYPES=1 cargo test -p borges-hub types"
    );
}

#[test]
fn the_pages_types_are_ours() {
    let mut collector = Collector::new();
    collector.visit::<Ask>();
    collector.visit::<Command>();
    collector.visit::<Reply>();
    collector.visit::<Tell>();
    collector.visit::<BranchesHeader>();
    collector.visit::<EntriesHeader>();
    collector.visit::<StatesHeader>();
    collector.visit::<UniversesHeader>();
    collector.visit::<borges_session::BoardView>();
    let header = format!("export const VERSION = {VERSION};\n\n");
    check("wire/types.ts", &collector.text(&header));
}

#[test]
fn the_types_of_model_programs_are_ours() {
    let mut collector = Collector::new();
    collector.visit::<ModelCommand>();
    collector.visit::<ModelReply>();
    check("model/types.ts", &collector.text(""));
}
