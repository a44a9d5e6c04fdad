//! The multiverse as text for a terminal.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::{BranchId, End, Entry, Place, Tree};

/// The characters that a drawing is made of.
struct Glyphs {
    start: &'static str,
    entry: &'static str,
    run: &'static str,
    line: &'static str,
    fork: &'static str,
    last_fork: &'static str,
    open: &'static str,
    finished: &'static str,
    trapped: &'static str,
    marker: &'static str,
    mark: &'static str,
    cut: &'static str,
}

const GLYPHS: Glyphs = Glyphs {
    start: "◉",
    entry: "●",
    run: "┆",
    line: "│  ",
    fork: "├─ ",
    last_fork: "└─ ",
    open: "○",
    finished: "■",
    trapped: "✗",
    marker: "◀",
    mark: "⚑",
    cut: "…",
};

/// How much a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Only what follows this place is drawn.
    pub start: Place,
    /// Lines are cut to this many characters.
    pub width: usize,
    /// Forks nested deeper than this are folded into one line each.
    pub depth: usize,
    /// Straight runs of at most this many entries are written out, longer ones folded.
    pub run: u32,
    /// The drawing ends after this many lines.
    pub rows: usize,
}

impl Default for Layout {
    /// Everything down to eight nested forks, 100 columns wide.
    fn default() -> Self {
        Self {
            start: Place::ROOT,
            width: 100,
            depth: 8,
            run: 3,
            rows: 1000,
        }
    }
}

/// The words in a drawing.
pub struct Words<'a, E: Entry> {
    /// A few words on the entry that leads to a place, without line breaks.
    pub label: &'a dyn Fn(Place, &E) -> String,
    /// A few words on how a program ended ("finished: 42"); asked where it is not open.
    pub end: &'a dyn Fn(&End<E::Outcome>) -> String,
    /// Universes to point at, each with an absolute step and a word ("here", "device").
    pub markers: &'a [(Place, u64, &'a str)],
}

impl<E: Entry> Tree<E> {
    /// Draws the multiverse as lines of text, the first branch straight down, forks indented.
    ///
    /// An unknown start place gives an empty drawing.
    #[must_use]
    pub fn render_text(&self, words: &Words<'_, E>, layout: &Layout) -> String {
        let Some(start) = self.canonical(layout.start) else {
            return String::new();
        };
        let mut painter = Painter {
            tree: self,
            words,
            layout,
            text: String::new(),
            rows: 0,
        };
        painter.paint(start);
        painter.text
    }
}

/// A branch that is being drawn.
struct Line {
    branch: BranchId,
    /// The index up to which it is drawn.
    at: u32,
    /// What stands before each of its rows.
    prefix: String,
    /// The forks at `at` still to draw.
    forks: VecDeque<BranchId>,
    depth: usize,
    /// Whether the line ends at its tip with an outcome (or still open) rather than with a fork.
    ends: bool,
}

struct Painter<'d, E: Entry> {
    tree: &'d Tree<E>,
    words: &'d Words<'d, E>,
    layout: &'d Layout,
    text: String,
    rows: usize,
}

impl<E: Entry> Painter<'_, E> {
    fn paint(&mut self, start: Place) {
        let glyphs = GLYPHS;
        let head = match self.tree.entry(start) {
            Some(entry) => self.node(start, glyphs.entry, entry),
            None => format!("{} start{}", glyphs.start, self.pointers(start, 0)),
        };
        self.row("", &head);
        let mut lines: Vec<Line> = self.line(start, String::new(), 0).into_iter().collect();
        while let Some(line) = lines.last_mut() {
            if self.rows >= self.layout.rows {
                let _ = writeln!(self.text, "{} cut after {} rows", glyphs.cut, self.rows);
                return;
            }
            if let Some(fork) = line.forks.pop_front() {
                let tip = self.tree.tip(line.branch).map_or(0, |tip| tip.index);
                let last = line.forks.is_empty() && line.at == tip && !line.ends;
                let (prefix, depth) = (line.prefix.clone(), line.depth + 1);
                lines.extend(self.fork(fork, &prefix, depth, last));
            } else if !self.advance(line) {
                lines.pop();
            }
        }
    }

    /// A line that starts at `place`, which is drawn already.
    fn line(&self, place: Place, prefix: String, depth: usize) -> Option<Line> {
        let branch = self.tree.branch(place.branch)?;
        let forks = branch.forks_at(place.index).collect();
        let ends = self.tree.is_leaf(branch);
        Some(Line {
            branch: place.branch,
            at: place.index,
            prefix,
            forks,
            depth,
            ends,
        })
    }

    /// Draws the first entry of a fork, and gives its line unless it is folded.
    fn fork(&mut self, id: BranchId, prefix: &str, depth: usize, last: bool) -> Option<Line> {
        let glyphs = GLYPHS;
        let first = self.tree.fork_of(id)?;
        let place = Place {
            branch: id,
            index: first.index + 1,
        };
        let entry = self.tree.entry(place)?;
        let connector = if last { glyphs.last_fork } else { glyphs.fork };
        let folded = depth > self.layout.depth;
        let below = format!("{prefix}{}", if last { "   " } else { glyphs.line });
        let head = self.node(place, glyphs.entry, entry);
        if folded {
            let summary = self.summary(place);
            self.row(&format!("{prefix}{connector}"), &format!("{head}{summary}"));
            return None;
        }
        self.row(&format!("{prefix}{connector}"), &head);
        self.line(place, below, depth)
    }

    /// Draws `line` up to its next fork, marker or tip; false once it is complete.
    fn advance(&mut self, line: &mut Line) -> bool {
        let Some(branch) = self.tree.branch(line.branch) else {
            return false;
        };
        let tip = branch.tip();
        if line.at == tip {
            if line.ends {
                self.end(line);
            }
            return false;
        }
        // The entry after a fork is one of its alternatives, so it gets a row of its own.
        let forked = branch.forks_at(line.at).next().is_some();
        let next_fork = branch.forks.range((line.at + 1, BranchId(0))..).next();
        let stops = [
            next_fork.map(|(index, _)| *index),
            self.next_pointer(line.branch, line.at),
            forked.then_some(line.at + 1),
            Some(tip),
        ];
        let stop = stops.into_iter().flatten().min().unwrap_or(tip).min(tip);
        self.run(line, stop);
        line.at = stop;
        line.forks = branch.forks_at(stop).collect();
        true
    }

    /// Draws the entries up to `stop`, folded if they are many; a pointed-at last one stands alone.
    fn run(&mut self, line: &Line, stop: u32) {
        let glyphs = GLYPHS;
        let place = |index| Place {
            branch: line.branch,
            index,
        };
        let pointed = !self.pointers(place(stop), 0).is_empty();
        let long = stop - line.at > self.layout.run.max(1);
        let mut from = line.at;
        if long {
            from = if pointed { stop - 1 } else { stop };
            let step = |index| self.tree.step_of(place(index)).unwrap_or(0);
            let (entries, steps) = (from - line.at, step(from) - step(line.at));
            let text = format!("{} {entries} entries, {steps} steps", glyphs.run);
            self.row(&line.prefix, &text);
        }
        for index in from + 1..=stop {
            if let Some(entry) = self.tree.entry(place(index)) {
                let node = self.node(place(index), glyphs.entry, entry);
                self.row(&line.prefix, &node);
            }
        }
    }

    fn end(&mut self, line: &Line) {
        let glyphs = GLYPHS;
        let Some(branch) = self.tree.branch(line.branch) else {
            return;
        };
        let step = branch.reached;
        let said = || (self.words.end)(&branch.end);
        let text = match &branch.end {
            End::Open => format!("{} open, step {step}", glyphs.open),
            End::Finished(_) => format!("{} {}, step {step}", glyphs.finished, said()),
            End::Trapped(_) => format!("{} {}, step {step}", glyphs.trapped, said()),
        };
        self.row(&line.prefix, &text);
    }

    fn node(&self, place: Place, glyph: &str, entry: &E) -> String {
        let pointers = self.pointers(place, entry.step());
        format!("{glyph} {}{pointers}", (self.words.label)(place, entry))
    }

    /// Markers and marks at `place`, whose own step is `step`.
    fn pointers(&self, place: Place, step: u64) -> String {
        let glyphs = GLYPHS;
        let mut text = String::new();
        let late = |at: u64| match at.saturating_sub(step) {
            0 => String::new(),
            steps => format!(" +{steps}"),
        };
        for (at, at_step, word) in self.words.markers {
            if self.tree.canonical(*at) == Some(place) {
                let _ = write!(text, "  {} {word}{}", glyphs.marker, late(*at_step));
            }
        }
        for ((_, at_step), words) in self.tree.marks.range((place, 0)..=(place, u64::MAX)) {
            let _ = write!(text, "  {} {words}{}", glyphs.mark, late(*at_step));
        }
        text
    }

    /// The first index after `after` on `branch` at which something is pointed at.
    fn next_pointer(&self, branch: BranchId, after: u32) -> Option<u32> {
        let markers = self
            .words
            .markers
            .iter()
            .filter_map(|(at, ..)| self.tree.canonical(*at));
        let marker = markers.filter(|at| at.branch == branch && at.index > after);
        let next = (
            Place {
                branch,
                index: after.saturating_add(1),
            },
            0,
        );
        let mark = self.tree.marks.range(next..).next().map(|((at, _), _)| *at);
        marker
            .chain(mark.filter(|at| at.branch == branch))
            .map(|at| at.index)
            .min()
    }

    /// What a folded fork hides after `place`, its first entry.
    fn summary(&self, place: Place) -> String {
        let (mut branches, mut entries, mut finished, mut trapped) = (0_u64, 0_u64, 0_u64, 0_u64);
        let mut todo = vec![place.branch];
        while let Some(line) = todo.pop().and_then(|id| self.tree.branch(id)) {
            branches += 1;
            entries += line.entries.len() as u64;
            match line.end {
                End::Open => {}
                End::Finished(_) => finished += 1,
                End::Trapped(_) => trapped += 1,
            }
            todo.extend(line.forks.iter().map(|&(_, id)| id));
        }
        let hidden = [
            (entries - 1, "entry", "entries"),
            (branches - 1, "fork", "forks"),
            (finished, "finished", "finished"),
            (trapped, "trapped", "trapped"),
        ];
        let hidden = hidden
            .iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }));
        let mut text = hidden.collect::<Vec<_>>().join(", ");
        if !text.is_empty() {
            text = format!("  [{text}]");
        }
        for (at, _, word) in self.words.markers {
            if self.tree.canonical(*at) != Some(place) && self.tree.is_on_path(place, *at) {
                let _ = write!(text, "  {} {word} inside", GLYPHS.marker);
            }
        }
        text
    }

    fn row(&mut self, prefix: &str, text: &str) {
        let row = format!("{prefix}{text}");
        self.rows += 1;
        if row.chars().count() <= self.layout.width {
            self.text.push_str(&row);
        } else {
            self.text
                .extend(row.chars().take(self.layout.width.saturating_sub(1)));
            self.text.push_str(GLYPHS.cut);
        }
        self.text.push('\n');
    }
}
