//! Small files that make a trusting reader of debug information work for hours: each must load at
//! once, with a warning. Without the reader's budget these tests would not end.

use std::collections::HashMap;

use borges_debuginfo::{DebugInfo, DebugPart, NoSources, Problem};

use crate::common::{leb, with_sections};

/// A module with one function and these custom sections.
fn module(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let wasm = wat::parse_str("(module (func (export \"main\") nop nop nop nop))").unwrap();
    with_sections(&wasm, sections)
}

/// A unit of DWARF 4 whose root has children, and these children.
fn unit(children: &[u8]) -> Vec<u8> {
    let mut body = vec![4, 0, 0, 0, 0, 0, 4, 1];
    body.extend_from_slice(children);
    body.push(0);
    let mut info = (body.len() as u32).to_le_bytes().to_vec();
    info.extend_from_slice(&body);
    info
}

/// Abbreviation 1 is the unit; 2 has no children, this tag, and these attributes with their forms.
fn abbreviations(tag: u8, attributes: &[(u8, u8)]) -> Vec<u8> {
    let mut table = vec![1, 0x11, 1, 0, 0, 2, tag, 0];
    for (name, form) in attributes {
        table.extend([*name, *form]);
    }
    table.extend([0, 0, 0]);
    table
}

fn assert_refused(sections: &[(&str, &[u8])]) {
    let info = DebugInfo::load(&module(sections), &NoSources).unwrap();
    let refused = |part, problem: &Problem| {
        part == DebugPart::DwarfEntries && matches!(problem, Problem::TooLarge)
    };
    assert!(
        info.warnings().iter().any(|w| refused(w.part, &w.problem)),
        "{:?}",
        info.warnings()
    );
}

const COUNT: usize = 300_000;

#[test]
fn one_long_name_for_everything() {
    // Base types that are all called the same megabyte.
    let table = abbreviations(0x24, &[(0x03, 0x0e)]);
    let children = [2, 0, 0, 0, 0].repeat(COUNT);
    let mut names = vec![b'x'; 1 << 20];
    names.push(0);
    assert_refused(&[
        (".debug_abbrev", &table),
        (".debug_info", &unit(&children)),
        (".debug_str", &names),
    ]);
}

#[test]
fn one_long_list_of_ranges_for_everything() {
    // Functions whose code is a list of a hundred thousand empty ranges.
    let table = abbreviations(0x2e, &[(0x55, 0x17)]);
    let children = [2, 0, 0, 0, 0].repeat(COUNT);
    let ranges = [5u32.to_le_bytes(), 5u32.to_le_bytes()]
        .concat()
        .repeat(100_000);
    assert_refused(&[
        (".debug_abbrev", &table),
        (".debug_info", &unit(&children)),
        (".debug_ranges", &ranges),
    ]);
}

#[test]
fn attributes_without_bytes() {
    // Entries of one byte with ten thousand flags each.
    let flags = [(0x3f, 0x19); 10_000];
    let table = abbreviations(0x24, &flags);
    let children = [2].repeat(COUNT);
    assert_refused(&[(".debug_abbrev", &table), (".debug_info", &unit(&children))]);
}

#[test]
fn many_units_with_one_large_table() {
    // Units that each begin their table of abbreviations one byte further on.
    let table = abbreviations(0x24, &[(0x03, 0x0e); 200_000]);
    let mut info = Vec::new();
    for at in 0..COUNT as u32 {
        info.extend(9u32.to_le_bytes());
        info.extend([4, 0]);
        info.extend((6 + at).to_le_bytes());
        info.extend([4, 1, 0]);
    }
    assert_refused(&[(".debug_abbrev", &table), (".debug_info", &info)]);
}

#[test]
fn a_source_map_of_nothing_but_sources() {
    let sources = vec!["\"x\""; 100_000].join(",");
    let map = format!("{{\"version\":3,\"sources\":[{sources}],\"mappings\":\"AAAA\"}}");
    let mut section = Vec::new();
    leb(1, &mut section);
    section.push(b'm');
    let wasm = module(&[("sourceMappingURL", &section)]);
    let provider = HashMap::from([("m".to_owned(), map.into_bytes())]);
    let info = DebugInfo::load(&wasm, &provider).unwrap();
    assert_eq!(info.files().len(), 1);
    // Different names: as many as anybody has, and a warning.
    let names: Vec<String> = (0..100_000).map(|i| format!("\"{i}\"")).collect();
    let map = format!(
        "{{\"version\":3,\"sources\":[{}],\"mappings\":\"\"}}",
        names.join(",")
    );
    let provider = HashMap::from([("m".to_owned(), map.into_bytes())]);
    let info = DebugInfo::load(&wasm, &provider).unwrap();
    assert!(info.files().len() < 100_000);
    assert_eq!(info.warnings()[0].problem, Problem::TooLarge);
}

#[test]
fn json_that_is_deep_or_no_map() {
    let mut section = Vec::new();
    leb(1, &mut section);
    section.push(b'm');
    let wasm = module(&[("sourceMappingURL", &section)]);
    for map in [
        "[".repeat(100_000),
        "{}".to_owned(),
        "null".to_owned(),
        String::new(),
    ] {
        let provider = HashMap::from([("m".to_owned(), map.into_bytes())]);
        let info = DebugInfo::load(&wasm, &provider).unwrap();
        assert!(matches!(
            info.warnings()[0].problem,
            Problem::NotASourceMap(_)
        ));
        assert_eq!(info.warnings()[0].part, DebugPart::SourceMap);
    }
    let info = DebugInfo::load(&wasm, &NoSources).unwrap();
    assert_eq!(
        info.warnings()[0].problem,
        Problem::MissingSourceMap("m".to_owned())
    );
}
