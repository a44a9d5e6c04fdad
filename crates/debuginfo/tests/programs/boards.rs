//! Every example has a board that has every primitive that the program imports.

use borges_board::Board;
use borges_vm::{ExternType, Limits, Module};

use crate::common::{EXAMPLES, example_bytes, example_path};

#[test]
fn boards_have_what_the_programs_import() {
    for name in EXAMPLES {
        let path = example_path(name).with_file_name("board.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let board = Board::parse("board.toml", &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let module = Module::new(&example_bytes(name), &Limits::default()).unwrap();
        for import in module.imports() {
            let ExternType::Func(ty) = import.ty else {
                panic!("{name} imports no function")
            };
            let bound = board.bind(import.module, import.name, ty);
            assert!(bound.is_ok(), "{name}: {}: {bound:?}", import.name);
        }
    }
}
