//! Broken and hostile debug information: every mutation of a real program must load, and every
//! question about it must have an answer, without a panic and in bounded time and memory.

use std::collections::HashMap;
use std::ops::Range;

use borges_debuginfo::{
    DebugInfo, DebugPart, Expression, Folders, FramePoint, MAX_WARNINGS, NoScope, NoSources,
};
use borges_vm::{CodeOffset, FuncIdx, Value};

use crate::common::{EXAMPLES, Fake, example_bytes, example_path};
use crate::fixtures::{FIXTURES, fixture_bytes};

/// Mutations of each program and kind: enough for a thousand of every kind, or as many as `MUTATIONS` says.
fn mutations() -> u64 {
    let wanted = std::env::var("MUTATIONS").ok();
    wanted.map_or(250, |wanted| wanted.parse().expect("MUTATIONS is a number"))
}

/// A generator of numbers that only the seed decides (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Breaks `bytes` within `range` in one to eight places.
fn mutate(bytes: &mut [u8], range: Range<usize>, random: &mut Random) {
    for _ in 0..1 + random.below(8) {
        let at = range.start + random.below(range.len());
        let run = 1 + random.below((range.end - at).min(8));
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            // The ends of the numbers' ranges, and numbers without an end.
            2 => bytes[at..at + run].fill([0, 0x7f, 0x80, 0xff][random.below(4)]),
            3 => {
                let from = range.start + random.below(range.len() - run + 1);
                bytes.copy_within(from..from + run, at);
            }
            _ => bytes[at] = bytes[at].wrapping_add(1),
        }
    }
}

/// Where the custom sections that debug information is made of lie.
fn debug_sections(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut sections = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(bytes) {
        if let Ok(wasmparser::Payload::CustomSection(section)) = payload {
            let range = section.data_range();
            sections.push(range.start as usize..range.end as usize);
        }
    }
    sections.retain(|section| !section.is_empty());
    sections
}

/// The module with only the first `length` bytes of a custom section's content, and otherwise well-formed.
fn cut_section(bytes: &[u8], content: &Range<usize>, length: usize) -> Vec<u8> {
    let section = wasmparser::Parser::new(0)
        .parse_all(bytes)
        .find_map(|payload| match payload {
            Ok(wasmparser::Payload::CustomSection(s))
                if s.data_range().start as usize == content.start =>
            {
                Some((s.name().to_owned(), s.range().start as usize))
            }
            _ => None,
        });
    let (name, start) = section.unwrap();
    // Before the name and the content stand the section's number, 0, and its length.
    let length_bytes = leb(content.end - start).len();
    let mut cut = bytes[..start - length_bytes].to_vec();
    let mut body = leb(name.len());
    body.extend(name.as_bytes());
    body.extend(&bytes[content.start..content.start + length]);
    cut.extend(leb(body.len()));
    cut.extend(body);
    cut.extend(&bytes[content.end..]);
    cut
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Asks everything that can be asked; what was left out lies in the first `size` bytes of something.
fn ask(info: &DebugInfo, size: usize) {
    let mut state = Fake {
        memory: (0..=255).cycle().take(20_000).collect(),
        ..Fake::default()
    };
    for index in 0..8 {
        state
            .locals
            .insert(index, Value::I32(4096 + 16 * index as i32));
        state.operands.insert(index, Value::I64(-1));
        state.globals.insert(index, Value::I32(4000));
    }
    let expressions = [
        "p->payload[1] + *p",
        "self.state",
        "c->position == OPEN || led",
    ];
    let expressions = expressions.map(|text| Expression::parse(text).unwrap());
    assert!(info.warnings().len() <= MAX_WARNINGS);
    for warning in info.warnings() {
        assert!(warning.offset <= size as u64, "{warning}");
        assert!(!warning.problem.to_string().is_empty(), "{warning}");
    }
    for (number, file) in info.files().iter().enumerate() {
        let id = borges_debuginfo::FileId(number as u32);
        assert_eq!(info.file(id), Some(file));
        for line in info.lines_with_code(id) {
            assert!(!info.break_at_line(id, line).unwrap().offsets.is_empty());
        }
        let _ = info.find_file(&file.path);
    }
    let functions = info.functions();
    for function in functions.iter().step_by(1 + functions.len() / 16) {
        assert!(!info.functions_named(&function.name).is_empty());
        let instructions = info.disassemble(function.index);
        for instruction in instructions.iter().step_by(1 + instructions.len() / 8) {
            ask_at(info, instruction.offset, &state, &expressions);
        }
    }
    ask_at(info, CodeOffset(0), &state, &expressions);
    ask_at(info, CodeOffset(u32::MAX), &state, &expressions);
    let stop = FramePoint {
        frame: 0,
        offset: CodeOffset(0),
        inlined: 0,
    };
    for variable in info.globals() {
        show(info, variable, stop, &state);
    }
}

fn ask_at(info: &DebugInfo, offset: CodeOffset, state: &Fake, expressions: &[Expression]) {
    if let Some(place) = info.place_at(offset) {
        assert!(info.file(place.file).is_some());
    }
    if info.line_begins(offset) {
        assert!(info.place_at(offset).is_some());
    }
    for inlined in 0..info.frames_at(offset).len() {
        let stop = FramePoint {
            frame: 0,
            offset,
            inlined,
        };
        for variable in info.variables_at(stop) {
            show(info, &variable, stop, state);
        }
        for expression in expressions {
            let _ = info.evaluate(expression, stop, state, &NoScope);
        }
    }
}

fn show(info: &DebugInfo, variable: &borges_debuginfo::Variable, stop: FramePoint, state: &Fake) {
    assert!(!info.type_name(variable.ty).is_empty());
    let Ok(object) = info.locate(variable, stop, state) else {
        return;
    };
    assert!(info.show(&object, state).len() < 200);
    for child in info.children(&object, state, 0, 4) {
        let _ = info.show(&child.object, state);
        for child in info.children(&child.object, state, u64::MAX - 1, 4) {
            let _ = info.show(&child.object, state);
        }
    }
}

#[test]
fn mutated_debug_sections() {
    let examples = EXAMPLES.map(|name| (name, example_bytes(name)));
    let fixtures = FIXTURES.map(|name| (name, fixture_bytes(name)));
    for (name, original) in examples.into_iter().chain(fixtures) {
        let sections = debug_sections(&original);
        let mut warned = 0;
        for seed in 0..mutations() {
            let mut random = Random(seed);
            let mut bytes = original.clone();
            let section = sections[random.below(sections.len())].clone();
            mutate(&mut bytes, section, &mut random);
            let info = DebugInfo::load(&bytes, &NoSources).unwrap();
            ask(&info, bytes.len());
            warned += usize::from(!info.warnings().is_empty());
        }
        assert!(
            warned > 0 || mutations() < 100,
            "{name}: no mutation broke anything"
        );
    }
}

#[test]
fn mutated_anywhere() {
    for name in EXAMPLES {
        let original = example_bytes(name);
        for seed in 0..mutations() {
            let mut random = Random(seed);
            let mut bytes = original.clone();
            mutate(&mut bytes, 8..original.len(), &mut random);
            ask(&DebugInfo::load(&bytes, &NoSources).unwrap(), bytes.len());
        }
    }
}

#[test]
fn truncated_sections() {
    for name in EXAMPLES {
        let original = example_bytes(name);
        let mut warned = 0;
        for section in debug_sections(&original) {
            for part in 0..32 {
                let cut = cut_section(&original, &section, section.len() * part / 32);
                let info = DebugInfo::load(&cut, &NoSources).unwrap();
                ask(&info, original.len());
                warned += usize::from(!info.warnings().is_empty());
            }
        }
        assert!(warned > 10, "{name}: cuts were noticed {warned} times");
    }
}

#[test]
fn truncated_files() {
    for name in EXAMPLES {
        let original = example_bytes(name);
        let step = original.len() / 200 + 1;
        for end in (8..original.len()).step_by(step) {
            let info = DebugInfo::load(&original[..end], &NoSources).unwrap();
            ask(&info, original.len());
        }
        assert!(DebugInfo::load(&original[..7], &NoSources).is_err());
    }
}

#[test]
fn mutated_source_maps() {
    for name in EXAMPLES {
        let original = example_bytes(name);
        let Ok(map) = std::fs::read(example_path(name).with_extension("wasm.map")) else {
            continue;
        };
        let file = format!("{name}.wasm.map");
        // Most of the file is source text, in which little can go wrong.
        let mappings = map
            .windows(11)
            .position(|bytes| bytes == b"\"mappings\":")
            .unwrap();
        let end = mappings
            + map[mappings..]
                .iter()
                .position(|&byte| byte == b'[')
                .unwrap_or(0);
        let mut warned = 0;
        for seed in 0..mutations() {
            let mut random = Random(seed);
            let mut broken = map.clone();
            let range = if seed % 3 == 0 {
                0..map.len()
            } else {
                mappings..end.max(mappings + 20)
            };
            mutate(&mut broken, range, &mut random);
            if seed % 7 == 0 {
                broken.truncate(random.below(map.len()));
            }
            let provider = HashMap::from([(file.clone(), broken)]);
            let info = DebugInfo::load(&original, &provider).unwrap();
            ask(&info, original.len().max(map.len()));
            warned += usize::from(!info.warnings().is_empty());
        }
        assert!(
            warned > 0 || mutations() < 100,
            "{name}: no mutation broke anything"
        );
    }
}

#[test]
fn a_broken_part_leaves_the_others_working() {
    let mut bytes = example_bytes("uart-parser");
    let line_table =
        wasmparser::Parser::new(0)
            .parse_all(&bytes)
            .find_map(|payload| match payload {
                Ok(wasmparser::Payload::CustomSection(s)) if s.name() == ".debug_line" => {
                    Some(s.data_range().start as usize)
                }
                _ => None,
            });
    // An unknown version of the line table.
    bytes[line_table.unwrap() + 4] = 99;
    let info = DebugInfo::load(&bytes, &Folders::default()).unwrap();
    assert!(
        info.warnings()
            .iter()
            .any(|warning| warning.part == DebugPart::DwarfLines)
    );
    assert!(!info.has_lines());
    let function = &info.functions_named("accept_byte")[0];
    let stop = FramePoint {
        frame: 0,
        offset: function.entry.unwrap(),
        inlined: 0,
    };
    let names: Vec<String> = info
        .variables_at(stop)
        .into_iter()
        .map(|variable| variable.name)
        .collect();
    assert_eq!(names, ["p", "byte"]);
}

#[test]
fn no_debug_information_at_all() {
    let wasm = wat::parse_str(
        "(module
           (import \"env\" \"f\" (func (param i32)))
           (memory 1)
           (func (export \"go\") (param i32) (local i64)
             (block (loop
               (br_if 1 (i32.eqz (local.get 0)))
               (call 0 (i32.load8_u offset=3 (local.get 0)))
               (br 0)))))",
    );
    let info = DebugInfo::load(&wasm.unwrap(), &NoSources).unwrap();
    assert!(info.warnings().is_empty());
    assert!(!info.has_lines());
    let text: Vec<String> = info
        .disassemble(FuncIdx(1))
        .into_iter()
        .map(|i| format!("{}{}", "  ".repeat(i.depth as usize), i.text))
        .collect();
    assert_eq!(
        text,
        [
            "block",
            "  loop",
            "    local.get 0",
            "    i32.eqz",
            "    br_if 1",
            "    local.get 0",
            "    i32.load8_u offset=3",
            "    call $env.f",
            "    br 0",
            "  end",
            "end",
            "end",
        ]
    );
    assert_eq!(info.functions_named("go")[0].index, FuncIdx(1));
    assert!(info.disassemble(FuncIdx(0)).is_empty());
    assert!(info.disassemble(FuncIdx(7)).is_empty());
    ask(&info, 0);
}
