//! `borges paths`: the inputs that lead to every path.

use std::fmt::Write as _;
use std::time::Instant;

use borges_session::command::broker::Seekers;
use borges_session::suggest::{
    self, Ending, ExportError, Launch, Line, PathsReport, PathsTree, SuggestOptions, SystemChoices,
};

use super::system::given_to_look_at;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::output::Output;
use borges_commands::device::render;
use borges_commands::message;
use borges_commands::paint::{Paint, count, grouped};

/// Explores a program and prints its paths as a tree, or as one JSON object.
pub(crate) fn paths(options: &args::Paths, output: &mut Output) -> Result<Exit, Failure> {
    let begun = Instant::now();
    let asked = asked(options, output)?;
    let report = output.watch(|observer| {
        let board = options.board.as_deref();
        suggest::of_program(&options.program, board, &asked, observer)
    })?;
    let time = options.within.time;
    let written = write(
        &report,
        options,
        time.and_then(|time| begun.checked_add(time)),
        output,
    )?;
    let threads = asked.seekers.as_ref().map_or(1, Seekers::threads);
    output.say(&report, |paint| {
        tree(&report.tree, threads, paint) + &summary(&report, paint)
    })?;
    let mut exit = match was_ended(&report) {
        true => Exit::Interrupted,
        false => Exit::Ok,
    };
    for (what, number) in written {
        if number < report.paths {
            let ended = was_ended(&report) || interrupt::pressed();
            let why = match ended {
                true => "it was ended by the user",
                false => "the time is used up: --time gives more",
            };
            let (number, all) = (grouped(number as u64), count(report.paths as u64, "path"));
            let text = format!("{what} of {number} of {all} were written: {why}");
            super::tell(&message::warning(&text, &output.error_paint));
            exit = if ended { Exit::Interrupted } else { exit };
        }
    }
    // The process ends: the system takes back the memory of thousands of paths faster than they can be freed one by one.
    std::mem::forget(report);
    Ok(exit)
}

fn asked(options: &args::Paths, output: &Output) -> Result<SuggestOptions, Failure> {
    let within = &options.within;
    let writes = options.write_test.is_some() || options.write_traces.is_some();
    // What is found must be written within the same time.
    let share = if writes { 0.5 } else { 1.0 };
    Ok(SuggestOptions {
        libraries: options.entry.linked.libraries.clone(),
        entry: options.entry.script(),
        after: options.after,
        inputs: within.max_inputs,
        events: within.max_events,
        steps: within.max_steps,
        paths: within.max_paths,
        rounds: within.max_rounds,
        stop: within.stop.clone(),
        seconds: within.time.map(|time| share * time.as_secs_f64()),
        order: within.order(),
        selects: within.selects,
        solver: within.solver.clone(),
        system: given_to_look_at(&options.system.found, &options.system.arguments)?,
        seekers: within.seekers(output)?,
        choices: SystemChoices {
            stdin: options.system.stdin,
            faults: options.system.faults.unwrap_or(0),
            more: false,
            ..SystemChoices::default()
        },
    })
}

/// Whether the user ended the search.
fn was_ended(report: &PathsReport) -> bool {
    report.ended.as_deref() == Some("cancelled")
}

/// Writes paths to files until the deadline, where that is asked; what was written, and how many of them.
fn write(
    report: &PathsReport,
    options: &args::Paths,
    deadline: Option<Instant>,
    output: &Output,
) -> Result<Vec<(&'static str, usize)>, Failure> {
    let entry = options.entry.script();
    let launch = Launch {
        program: &options.program,
        board: options.board.as_deref(),
        libraries: &options.entry.linked.libraries,
        entry: entry.as_deref(),
    };
    // Whoever ends the search does not wait for what takes longer.
    let goes_on =
        || !was_ended(report) && deadline.is_none_or(|deadline| Instant::now() < deadline);
    let unwritten = |error: ExportError| Failure::new(Exit::Device, error, "");
    let mut written = Vec::new();
    if let Some(file) = &options.write_test {
        let tests = output.counted("tests", |wanted| {
            report.write_tests(file, launch, &mut |count| goes_on() && wanted(count as u64))
        });
        written.push(("tests", tests.map_err(unwritten)?));
    }
    if let Some(folder) = &options.write_traces {
        let traces = output.counted("traces", |wanted| {
            report.write_traces(folder, launch, &mut |count| {
                goes_on() && wanted(count as u64)
            })
        });
        written.push(("traces", traces.map_err(unwritten)?.len()));
    }
    Ok(written)
}

/// Draws a tree with an option a line, on so many threads.
fn tree(tree: &PathsTree, threads: usize, paint: &Paint) -> String {
    tree.draw(threads, |text, depth, line| {
        text.extend(std::iter::repeat_n("    ", depth));
        // Writing to a text cannot fail.
        let _ = match line {
            Line::End(end) => writeln!(text, "{}", ended(&end, paint)),
            Line::Arrival(event, end) => {
                let what = event.map_or("no interrupt before the next input".to_owned(), |event| {
                    format!("interrupt: {} after {} steps", event.source, event.step)
                });
                let what = paint.name(&what);
                writeln!(text, "{what}{}", behind(end, paint))
            }
            Line::Input(input) => {
                let arguments: Vec<String> = input.args.iter().map(ToString::to_string).collect();
                let byte = input.byte.map(|number| format!(", byte {number}"));
                let byte = byte.unwrap_or_default();
                let call = format!("{}({}){byte}", input.primitive, arguments.join(", "));
                writeln!(text, "{}", paint.name(&call))
            }
            Line::Option {
                shown,
                say,
                exact,
                end,
            } => {
                let about = if exact { "" } else { " and perhaps more" };
                let say = say.map_or_else(String::new, |value| format!(" (say {value})"));
                let behind = behind(end, paint);
                writeln!(text, "  {shown}{about}{say}{behind}")
            }
            Line::Rest(rest) => {
                let words = render::rest(&rest.shown, &rest.options);
                writeln!(text, "  {}", paint.dim(words))
            }
        };
    })
}

/// The end of a path, behind what led to it.
fn behind(end: Option<Ending>, paint: &Paint) -> String {
    end.map_or_else(String::new, |end| format!(" → {}", ended(&end, paint)))
}

fn ended(end: &Ending, paint: &Paint) -> String {
    let place = end
        .place
        .as_ref()
        .map_or_else(String::new, |place| format!(" at {place}"));
    let reason = end.reason.as_deref().unwrap_or_default();
    match end.kind {
        "trapped" => paint.bad(format!("traps: {reason}{place}")),
        "returned" if reason.is_empty() => "returns".to_owned(),
        "returned" => format!("ends with {reason}"),
        "stopped" => format!("stops{place}"),
        "inputs" => "goes on".to_owned(),
        _ => paint.warning(format!("not explored further: {reason}")),
    }
}

fn summary(report: &PathsReport, paint: &Paint) -> String {
    let most = match report.max_options as u64 {
        0 => String::new(),
        options => format!(", at most {} at one input", count(options, "option")),
    };
    let mut text = format!(
        "{}{most}; {} by trying values, {} by a solver; {:.3} s\n",
        count(report.paths as u64, "path"),
        count(report.evaluations, "question"),
        report.solver_queries,
        report.seconds,
    );
    if !report.complete {
        text.push_str(&paint.warning("These are not all paths.\n"));
    }
    text.push_str(&render::left_out(&report.unexplored, paint));
    text
}
