//! The example programs on the real machine, stopped where their READMEs stop them: variables have
//! the values that they must have, and the bugs are where the READMEs say.

use std::sync::Arc;

use borges_debuginfo::{DebugInfo, Expression, FramePoint, Holder, NoScope, SourceFrame, Stopped};
use borges_vm::{CodeOffset, Exit, HostCall, Limits, Machine, Module, Value, Watch};

use crate::common::{example, example_bytes};

/// Steps after which a program must have stopped.
const LIMIT: u64 = 100_000;

pub(crate) struct View<'m>(pub(crate) &'m Machine);

impl Stopped for View<'_> {
    fn local(&self, frame: u32, index: u32) -> Option<Value> {
        self.0
            .frame(frame as usize)?
            .locals
            .get(index as usize)
            .copied()
    }
    fn operand(&self, frame: u32, index: u32) -> Option<Value> {
        self.0
            .frame(frame as usize)?
            .operands
            .get(index as usize)
            .copied()
    }
    fn global(&self, index: u32) -> Option<Value> {
        self.0.globals().get(index as usize).copied()
    }
    fn memory(&self, memory: u32, address: u32, buffer: &mut [u8]) -> bool {
        let start = address as usize;
        let bytes = self
            .0
            .memory_at(memory)
            .unwrap_or_default()
            .get(start..start.saturating_add(buffer.len()));
        if let Some(bytes) = bytes {
            buffer.copy_from_slice(bytes);
        }
        bytes.is_some()
    }
}

/// An example under way, with a script of what its inputs yield.
struct Run {
    info: DebugInfo,
    machine: Machine,
    inputs: Vec<i32>,
    /// Outputs so far, as `name(arguments)`.
    outputs: Vec<String>,
}

impl Run {
    fn new(name: &str, inputs: &[i32]) -> Run {
        Run::of(example(name), &example_bytes(name), inputs)
    }

    fn of(info: DebugInfo, wasm: &[u8], inputs: &[i32]) -> Run {
        let module = Arc::new(Module::new(wasm, &Limits::default()).unwrap());
        let mut machine = Machine::new(module.clone(), Limits::default()).unwrap();
        machine
            .begin(module.exported_func("main").unwrap(), &[])
            .unwrap();
        let inputs = inputs.iter().rev().copied().collect();
        Run {
            info,
            machine,
            inputs,
            outputs: Vec::new(),
        }
    }

    /// Runs until something other than a call stops the program, or the script is at its end.
    fn go(&mut self) -> Exit {
        loop {
            let exit = self.machine.run(LIMIT);
            if exit != Exit::HostCall {
                return exit;
            }
            let HostCall { func, ty, args, .. } = self.machine.pending().unwrap();
            if ty.results.is_empty() {
                let name = self.info.function(func).name;
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                self.outputs
                    .push(format!("{}({})", name.replace("env.", ""), args.join(", ")));
                self.machine.answer(&[]).unwrap();
            } else {
                let Some(input) = self.inputs.pop() else {
                    return exit;
                };
                self.machine.answer(&[Value::I32(input)]).unwrap();
            }
        }
    }

    fn break_at(&mut self, file: &str, lines: &[u32]) {
        let file = self.info.find_file(file).unwrap();
        let offsets: Vec<CodeOffset> = lines
            .iter()
            .flat_map(|&line| self.info.break_at_line(file, line).unwrap().offsets)
            .collect();
        self.machine.set_breakpoints(&offsets).unwrap();
    }

    fn break_in(&mut self, function: &str) {
        let offsets = self.info.break_at_function(function);
        assert!(!offsets.is_empty());
        self.machine.set_breakpoints(&offsets).unwrap();
    }

    /// Goes on to the next breakpoint; its line.
    fn next_line(&mut self) -> u32 {
        let exit = self.go();
        let Exit::Breakpoint(offset) = exit else {
            panic!("no breakpoint but {exit:?}")
        };
        self.info.place_at(offset).unwrap().line
    }

    fn stop(&self, frame: u32, inlined: usize) -> FramePoint {
        let offset = self.machine.frame(frame as usize).unwrap().offset;
        FramePoint {
            frame,
            offset,
            inlined,
        }
    }

    /// The value of an expression in a frame of the machine, and in one of the source's in it.
    fn print_in(&self, frame: u32, inlined: usize, text: &str) -> String {
        let state = View(&self.machine);
        let expression = Expression::parse(text).unwrap();
        let stop = self.stop(frame, inlined);
        match self.info.evaluate(&expression, stop, &state, &NoScope) {
            Ok(value) => self.info.show_evaluated(&value, &state),
            Err(error) => error.to_string(),
        }
    }

    fn print(&self, text: &str) -> String {
        self.print_in(0, 0, text)
    }

    fn variables(&self, inlined: usize) -> Vec<String> {
        let state = View(&self.machine);
        let stop = self.stop(0, inlined);
        let show = |variable: &borges_debuginfo::Variable| {
            let value = match self.info.locate(variable, stop, &state) {
                Ok(object) => self.info.show(&object, &state),
                Err(why) => format!("<{why}>"),
            };
            format!("{} = {value}", variable.name)
        };
        self.info.variables_at(stop).iter().map(show).collect()
    }

    /// Functions and lines of the whole stack, innermost first.
    fn stack(&self) -> Vec<String> {
        let mut stack = Vec::new();
        for frame in self.machine.frames() {
            for SourceFrame {
                function,
                place,
                inlined,
            } in self.info.frames_at(frame.offset)
            {
                let line = place.map_or(0, |place| place.line);
                let how = if inlined { " inlined" } else { "" };
                stack.push(format!("{function}:{line}{how}"));
            }
        }
        stack
    }

    /// Stops at the next write of an expression's value.
    fn watch(&mut self, text: &str) {
        let expression = Expression::parse(text).unwrap();
        let state = View(&self.machine);
        let stop = self.stop(0, 0);
        let value = self
            .info
            .evaluate(&expression, stop, &state, &NoScope)
            .unwrap();
        let watches: Vec<Watch> = value
            .place()
            .unwrap()
            .watchable()
            .into_iter()
            .map(|source| match source {
                Holder::Memory {
                    memory,
                    address,
                    length,
                } => Watch::Memory {
                    memory,
                    start: address,
                    length,
                },
                Holder::Global(index) => Watch::Global(index),
                other => panic!("{other:?} is not watched here"),
            })
            .collect();
        self.machine.set_watches(&watches);
    }

    /// The line whose code wrote what is watched.
    fn written_at(&mut self) -> u32 {
        match self.go() {
            Exit::Watch { offset, .. } => self.info.place_at(offset).unwrap().line,
            exit => panic!("no write but {exit:?}"),
        }
    }
}

#[test]
fn light_sensor_decides_by_the_threshold() {
    let mut run = Run::new("light-sensor", &[49, 50, 7]);
    run.break_in("showLight");
    assert_eq!(run.next_line(), 13);
    assert_eq!(run.variables(0), ["light = 49", "dark = 0"]);
    assert_eq!(run.stack(), ["showLight:13", "main:29"]);
    assert_eq!(run.print_in(1, 0, "light"), "49");
    assert_eq!(run.print("darkReadings + THRESHOLD"), "50");
    run.watch("darkReadings");
    assert_eq!(run.written_at(), 15);
    assert_eq!(run.print("darkReadings"), "1");
    run.machine.set_watches(&[]);
    assert_eq!(run.next_line(), 13);
    assert_eq!(run.print("light"), "50");
    run.break_at("light-sensor.ts", &[15, 19]);
    assert_eq!(run.next_line(), 19);
    assert_eq!(run.next_line(), 15);
    assert_eq!(run.outputs.last().unwrap(), "chip_delay(1000)");
}

#[test]
fn a_loop_stops_in_every_round() {
    let mut run = Run::new("light-sensor", &[1, 2, 3]);
    run.break_at("light-sensor.ts", &[27]);
    for _ in 0..3 {
        assert_eq!(run.next_line(), 27);
    }
}

#[test]
fn color_dial_turns_past_its_peg() {
    let mut run = Run::new("color-dial", &[0, 5, 7]);
    run.break_at("color-dial.ts", &[19]);
    assert_eq!(run.next_line(), 19);
    assert_eq!(
        run.variables(0),
        ["next = 5", "fields = 5", "degrees = 225"]
    );
    assert_eq!(run.print("degrees + current * 45 > 300"), "0");
    assert_eq!(run.next_line(), 19);
    assert_eq!(run.print("degrees + current * 45 > 300"), "1");
    assert_eq!(run.print("current * FIELD_DEGREES"), "225");
}

#[test]
fn temperature_monitor_reads_twice() {
    for (readings, leds) in [
        ([2500, 2300], [0, 1, 0]),
        ([2500, 4095], [0, 1, 0]),
        ([2700, 0], [1, 0, 0]),
    ] {
        let mut run = Run::new("temperature-monitor", &readings);
        run.break_at("temperature-monitor.ts", &[40]);
        assert_eq!(run.next_line(), 40);
        let written = [25, 26, 27].into_iter().zip(leds);
        let expected: Vec<String> = written
            .map(|(pin, level)| format!("chip_digital_write({pin}, {level})"))
            .collect();
        assert_eq!(run.outputs[3..], expected);
    }
    let mut run = Run::new("temperature-monitor", &[2500]);
    run.break_at("temperature-monitor.ts", &[15]);
    assert_eq!(run.next_line(), 15);
    assert_eq!(run.variables(0), ["reading = 2500"]);
    assert_eq!(run.print("WARM + 0.5"), "50.5");
}

#[test]
fn binary_counter_is_torn_by_an_interrupt() {
    let mut run = Run::new("binary-counter", &[]);
    run.break_at("binary-counter.ts", &[21]);
    assert_eq!(run.next_line(), 21);
    // Seven presses while the program waits, the eighth when one LED has been written.
    let handler = u32::from(
        run.outputs
            .last()
            .unwrap()
            .contains("subscribe_interrupt(14, 1, 3)"),
    );
    assert_eq!(handler, 1, "{:?}", run.outputs);
    run.machine.set_breakpoints(&[]).unwrap();
    for _ in 0..7 {
        run.machine.interrupt(handler, &[]).unwrap();
        while run.machine.in_handler() {
            run.machine.run(run.machine.steps() + 1);
        }
    }
    run.break_at("binary-counter.ts", &[32]);
    assert_eq!(run.next_line(), 32);
    assert_eq!(run.print("count"), "7");
    run.outputs.clear();
    run.break_at("binary-counter.ts", &[21]);
    assert_eq!(run.next_line(), 21);
    assert_eq!(run.variables(0), ["led = 0", "bit = 1"]);
    assert_eq!(run.next_line(), 21);
    run.machine.interrupt(handler, &[]).unwrap();
    assert_eq!(run.stack(), ["onPress:15", "showCount:21", "main:32"]);
    // The second LED's bit had been computed before the press.
    run.break_at("binary-counter.ts", &[33]);
    assert_eq!(run.next_line(), 33);
    assert_eq!(run.print("count"), "8");
    let leds: Vec<&str> = run
        .outputs
        .iter()
        .filter_map(|output| output.strip_prefix("chip_digital_write("))
        .collect();
    assert_eq!(leds, ["16, 1)", "17, 1)", "18, 0)", "19, 1)"]);
}

#[test]
fn smart_curtain_moves_twice() {
    for (button, light, moves) in [
        (0, 500, "0"),
        (0, 2000, "0"),
        (0, 3500, "1"),
        (1, 500, "2"),
        (1, 2000, "1"),
        (1, 3500, "1"),
    ] {
        let mut run = Run::new("smart-curtain", &[button, light]);
        run.break_at("smart-curtain.c", &[52]);
        assert_eq!(run.next_line(), 52);
        assert_eq!(
            run.print("curtain.moves"),
            moves,
            "button {button}, light {light}"
        );
    }
    let mut run = Run::new("smart-curtain", &[1, 500]);
    run.break_at("smart-curtain.c", &[22]);
    assert_eq!(run.next_line(), 22);
    assert_eq!(
        run.stack(),
        ["move_to:22", "one_round:40 inlined", "run:51"]
    );
    assert_eq!(run.print("degrees"), "720");
    assert_eq!(run.next_line(), 22);
    assert_eq!(run.print("degrees"), "-720");
    assert_eq!(
        run.print("curtain"),
        "{position: CLOSED, hold: 10, moves: 1}"
    );
    assert_eq!(
        run.stack(),
        [
            "move_to:22",
            "follow_light:0 inlined",
            "one_round:44 inlined",
            "run:51"
        ]
    );
    run.watch("curtain.position");
    assert_eq!(run.written_at(), 23);
}

#[test]
fn smart_curtain_keeps_an_input_in_a_local() {
    let mut run = Run::new("smart-curtain", &[0, 1234]);
    run.break_at("smart-curtain.c", &[29]);
    assert_eq!(run.next_line(), 29);
    assert_eq!(run.variables(0), ["c = <optimized out>", "light = 1234"]);
    assert_eq!(
        run.stack(),
        ["follow_light:29 inlined", "one_round:44 inlined", "run:51"]
    );
}

#[test]
fn a_breakpoint_on_an_inlined_function() {
    let mut run = Run::new("smart-curtain", &[0, 1234, 0, 99]);
    run.break_in("follow_light");
    for _ in 0..2 {
        assert_eq!(run.next_line(), 28);
        assert_eq!(
            run.stack(),
            ["follow_light:28 inlined", "one_round:44 inlined", "run:51"]
        );
    }
    assert_eq!(run.info.break_at_function("nothing"), []);
}

#[test]
fn uart_parser_is_overrun() {
    let frame = [2, 12, 65, 65, 65, 65, 65, 65, 65, 65, 1, -1];
    let mut run = Run::new("uart-parser", &frame);
    run.break_at("uart-parser.c", &[47]);
    assert_eq!(run.next_line(), 47);
    assert_eq!(run.stack(), ["accept_byte:47", "run:70"]);
    assert_eq!(run.variables(0), ["p = 0x1000", "byte = 65 'A'"]);
    assert_eq!(run.print("p->payload"), "\"A\"");
    assert_eq!(run.print_in(1, 0, "byte"), "65");
    run.machine.set_breakpoints(&[]).unwrap();
    run.watch("parser.relay");
    assert_eq!(run.written_at(), 45);
    assert_eq!(run.print("parser.received"), "8");
    assert_eq!(run.print("parser.relay"), "1");
    run.machine.set_watches(&[]);
    run.break_at("uart-parser.c", &[71]);
    assert_eq!(run.next_line(), 71);
    assert_eq!(
        run.print("parser"),
        "{state: WAIT_PAYLOAD, length: 12, received: 9, sum: 9, payload: \"AAAAAAAA\", relay: 1, frames: 0, errors: 0}"
    );
}

#[test]
fn uart_parser_obeys_a_good_frame() {
    let frame = [-1, 2, 2, 82, 49, 131, -1, 2, 2, 82, 48, 99];
    let mut run = Run::new("uart-parser", &frame);
    run.break_at("uart-parser.c", &[52, 55]);
    assert_eq!(run.next_line(), 52);
    assert_eq!(run.print("p->payload == \"R1\" && byte == p->sum"), "1");
    assert_eq!(run.next_line(), 55);
    assert_eq!(run.print("parser.frames * 10 + parser.relay"), "11");
}

#[test]
fn blink_traps_while_it_is_paused() {
    let mut run = Run::new("blink", &[0, 1, 0, 0, 0, 0]);
    run.break_in("Blinker::tick");
    for state in [
        "Off {left: 0}",
        "Paused {was_on: true, left: 3}",
        "Paused {was_on: true, left: 2}",
        "Paused {was_on: true, left: 1}",
        "Paused {was_on: true, left: 0}",
    ] {
        assert_eq!(run.next_line(), 49);
        assert_eq!(run.print("self.state"), state);
        assert_eq!(run.stack(), ["blink::Blinker::tick:49", "blink::main:83"]);
        assert_eq!(run.print_in(1, 0, "blinker.state"), state);
    }
    assert_eq!(
        run.print("*self"),
        format!("{{state: Paused {{was_on: true, left: 0}}, pressed: false, blinks: 1}}")
    );
    assert_eq!(run.print("self.state.left"), "0");
    assert!(matches!(run.go(), Exit::Trapped(_)));
    let stack = run.stack();
    assert!(
        stack
            .iter()
            .any(|frame| frame.starts_with("blink::Blinker::tick:")),
        "{stack:?}"
    );
    let panic = stack
        .iter()
        .position(|frame| frame.starts_with("core::panicking::panic:"));
    assert!(panic.is_some(), "{stack:?}");
    let frame = (0..).find(|&frame| run.print_in(frame, 0, "expr").starts_with('"'));
    assert_eq!(
        run.print_in(frame.unwrap(), 0, "expr"),
        "\"attempt to subtract with overflow\""
    );
}
