//! The board as lines of text. No meaning is carried by colour.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{BoardView, DisplayView, MotorView, PinView, StripView};
use crate::duration_text;

/// Width of the thumbnail of a display, in characters.
const THUMBNAIL_COLUMNS: u32 = 32;
/// From dark to bright.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// Powers, from little to all.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl BoardView {
    /// The board as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let label_width = self
            .pins
            .iter()
            .filter_map(|p| p.label.as_ref())
            .map(|l| l.chars().count())
            .max();
        add(
            &mut lines,
            "pins",
            self.pins
                .iter()
                .map(|pin| pin_line(pin, label_width.unwrap_or(0))),
        );
        add(&mut lines, "motors", self.motors.iter().map(motor_line));
        add(
            &mut lines,
            "sensors",
            self.sensors
                .iter()
                .map(|s| format!("port {}: mode {}", s.port, s.mode)),
        );
        add(
            &mut lines,
            "tone",
            self.tone_hz.map(|hz| format!("♪ {hz} Hz")),
        );
        add(&mut lines, "strip", self.strip.iter().flat_map(strip_lines));
        add(
            &mut lines,
            "display",
            self.display.iter().flat_map(display_lines),
        );
        add(
            &mut lines,
            "events",
            self.events
                .iter()
                .map(|e| format!("{} → table[{}]", e.event, e.handler)),
        );
        add(&mut lines, "outputs", self.outputs.iter().cloned());
        add(
            &mut lines,
            "waited",
            (self.waited_us > 0).then(|| duration_text(self.waited_us)),
        );
        add(
            &mut lines,
            "console",
            self.console.tail.lines().map(visible),
        );
        if lines.is_empty() {
            lines.push("nothing was done to the board".to_string());
        }
        lines
    }
}

/// Adds a group: its title before the first line, indented ones after it.
fn add(lines: &mut Vec<String>, title: &str, group: impl IntoIterator<Item = String>) {
    for (i, line) in group.into_iter().enumerate() {
        let title = if i == 0 { title } else { "" };
        lines.push(format!("{title:<8} {line}").trim_end().to_string());
    }
}

fn pin_line(pin: &PinView, label_width: usize) -> String {
    let label = pin.label.as_deref().unwrap_or("");
    let mode = pin.mode.as_deref().unwrap_or("");
    let level = match (pin.high, pin.written) {
        (true, true) => "● high",
        (false, true) => "○ low",
        // Nobody wrote it: that is how the board starts.
        (true, false) => "● (high)",
        (false, false) => "○ (low)",
    };
    let duty = pin.duty.map_or(String::new(), |duty| {
        let bar = BARS
            .get((duty * 7.0 + 0.5) as usize)
            .copied()
            .unwrap_or('█');
        format!("  {bar} {:.0} %", duty * 100.0)
    });
    format!(
        "{:>3} {label:<label_width$} {mode:<7} {level}{duty}",
        pin.pin
    )
}

fn motor_line(motor: &MotorView) -> String {
    let runs = if motor.speed == 0 {
        "stands".to_string()
    } else {
        format!("runs at {}", motor.speed)
    };
    format!(
        "{:>3} {} {:.1}°, {runs}",
        motor.motor, motor.needle, motor.degrees
    )
}

/// Pixels that are lit, and whether the buffer has others.
fn strip_lines(strip: &StripView) -> Vec<String> {
    let dots: String = strip
        .shown
        .iter()
        .map(|colour| if *colour == 0 { '·' } else { '●' })
        .collect();
    let mut lines = Vec::from([format!("{dots} {} pixels", strip.shown.len())]);
    let lit = strip
        .shown
        .iter()
        .enumerate()
        .filter(|(_, colour)| **colour != 0);
    let colours: Vec<String> = lit
        .take(8)
        .map(|(i, colour)| format!("{i}: #{colour:06x}"))
        .collect();
    if !colours.is_empty() {
        lines.push(colours.join("  "));
    }
    let waiting = strip
        .shown
        .iter()
        .zip(&strip.buffer)
        .filter(|(shown, buffer)| shown != buffer)
        .count();
    if waiting > 0 {
        lines.push(format!("{waiting} set, but not shown"));
    }
    lines
}

fn display_lines(display: &DisplayView) -> Vec<String> {
    let state = if display.lit { "on" } else { "off" };
    let mut lines = Vec::from([format!("{} × {}, {state}", display.width, display.height)]);
    if display.lit {
        lines.extend(thumbnail(display));
    }
    lines
}

/// The display in characters, each as bright as the pixels that it stands for on average.
fn thumbnail(display: &DisplayView) -> Vec<String> {
    let (width, height) = (
        u32::from(display.width).max(1),
        u32::from(display.height).max(1),
    );
    let columns = width.min(THUMBNAIL_COLUMNS);
    // A character is about twice as high as wide.
    let rows = (height * columns / (2 * width)).max(1);
    let mut sums = alloc::vec![(0u64, 0u64); (columns * rows) as usize];
    let mut place = 0u32;
    for (count, colour) in &display.runs {
        let light = luminance(*colour);
        for at in place..place.saturating_add(*count).min(width * height) {
            let (column, row) = (at % width * columns / width, at / width * rows / height);
            if let Some((sum, n)) = sums.get_mut((row * columns + column) as usize) {
                *sum += light;
                *n += 1;
            }
        }
        place = place.saturating_add(*count);
    }
    let shade = |(sum, n): &(u64, u64)| {
        let light = sum.checked_div(*n).unwrap_or(0);
        // Whatever is not quite dark can be seen.
        let step = (light * 4).div_ceil(255) as usize;
        SHADES.get(step).copied().unwrap_or('█')
    };
    sums.chunks(columns as usize)
        .map(|row| format!("│{}│", row.iter().map(shade).collect::<String>()))
        .collect()
}

/// How bright a colour is, 0 to 255.
fn luminance(colour: u32) -> u64 {
    let (r, g, b) = (colour >> 16 & 255, colour >> 8 & 255, colour & 255);
    u64::from((r * 3 + g * 6 + b) / 10)
}

/// A printed line, without what a terminal would obey.
fn visible(line: &str) -> String {
    line.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned, vec};

    use borges_vm::Value;

    use crate::{Board, BoardState, Captured};

    fn check(calls: &[(&str, &[i32])], memory: &[u8], expected: &str) {
        let mut board = Board::default_board();
        board.labels.set(45, Some("red LED".to_owned()));
        let mut state = BoardState::new(&board);
        for (name, args) in calls {
            let args: vec::Vec<Value> = args.iter().map(|v| Value::I32(*v)).collect();
            let id = board.named("env", name).next().unwrap();
            state
                .apply(&board, id, &args, memory, &Captured::Nothing)
                .unwrap();
        }
        let expected: vec::Vec<&str> = expected.lines().filter(|l| !l.trim().is_empty()).collect();
        assert_eq!(state.render(&board), expected);
    }

    #[test]
    fn a_board_to_which_nothing_was_done() {
        check(&[], b"", "pins      45 red LED         ○ (low)");
    }

    #[test]
    fn leds_motors_and_text() {
        let calls: &[(&str, &[i32])] = &[
            ("chip_pin_mode", &[45, 2]),
            ("chip_digital_write", &[45, 1]),
            ("chip_pin_mode", &[12, 0]),
            ("chip_analog_write", &[9, 128]),
            ("drive_motor_degrees", &[0, 10_000, 450]),
            ("drive_motor", &[2, -5000]),
            ("setup_uart_sensor", &[1, 2]),
            ("tone", &[440]),
            ("set_pixel_color", &[2, 255, 0, 16]),
            ("show_pixels", &[]),
            ("set_pixel_color", &[3, 0, 9, 0]),
            ("subscribe_interrupt", &[4, 7, 3]),
            ("subscribe_timer", &[500, 8]),
            ("print_string", &[0, 6]),
            ("print_int", &[42]),
        ];
        let expected = "
pins       9                 ○ (low)  ▅ 50 %
          12         input   ○ (low)
          45 red LED output  ● high
motors     0 → 450.0°, stands
           2 ↑ 0.0°, runs at -5000
sensors  port 1: mode 2
tone     ♪ 440 Hz
strip    ··●····························································· 64 pixels
         2: #ff0010
         1 set, but not shown
events   pin 4 rising → table[7]
         every 500 us → table[8]
waited   450 ms
console  hi\u{fffd}[1
         42
";
        check(calls, b"hi\x1b[1\n", expected);
    }

    #[test]
    fn a_thumbnail_of_the_display() {
        let calls: &[(&str, &[i32])] = &[
            ("display_setup", &[]),
            ("display_fill_rect", &[0, 0, 64, 80, 0xffff]),
            ("display_fill_rect", &[64, 80, 64, 80, 0x07e0]),
        ];
        let dark = " ".repeat(16);
        let mut expected = alloc::string::String::from("pins      45 red LED         ○ (low)\n");
        expected += "display  128 × 160, on\n";
        for row in 0..20 {
            let bright = if row < 10 { "█" } else { "▓" };
            let bright = bright.repeat(16);
            let line = if row < 10 {
                [bright, dark.clone()]
            } else {
                [dark.clone(), bright]
            };
            expected += &alloc::format!("         │{}│\n", line.concat());
        }
        check(calls, b"", &expected);
    }
}
