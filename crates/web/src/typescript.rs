//! The page's types are made from ours: `ui/src/wire/types.ts` must be what they say.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use ts_rs::{Config, TS, TypeVisitor};

use crate::frames::{BranchesHeader, EntriesHeader};
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

fn types() -> String {
    let mut collector = Collector {
        // Step counts stay far below 2^53.
        config: Config::new().with_large_int("number"),
        seen: HashSet::new(),
        declarations: BTreeMap::new(),
    };
    collector.visit::<Ask>();
    collector.visit::<Tell>();
    collector.visit::<BranchesHeader>();
    collector.visit::<EntriesHeader>();
    collector.visit::<borges_session::BoardView>();
    let mut text = format!(
        "// Made from the Rust types by `UPDATE_TYPES=1 cargo test -p borges-web types`. Do not edit.\n\nexport const VERSION = {VERSION};\n\n"
    );
    for declaration in collector.declarations.values() {
        // Comments of the Rust types would double their documentation.
        text.push_str(&format!("export {}\n\n", declaration.trim()));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[test]
fn the_pages_types_are_ours() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/wire/types.ts");
    let types = types();
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::write(path, &types).expect("the file of the types can be written");
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == types,
        "ui/src/wire/types.ts is not what the Rust types say: run UPDATE_TYPES=1 cargo test -p borges-web types"
    );
}
