//! `borges explore`: everything that a program of a model language can come to.

use std::fmt::Write as _;

use borges_languages::model::{
    Datum, Dialect, End, Explore, Lead, Met, Model, Order, Reduction, Report, Step, Why,
};
use borges_session::model::ModelSession;
use serde::Serialize;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::{self, Pausable};
use crate::output::{Output, Progress};
use crate::paint::{Paint, Role, count, grouped, printable};

/// One object for scripts.
#[derive(Serialize)]
struct Explored<'a> {
    program: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

/// Explores a program.
///
/// # Errors
/// What the user is told.
pub fn explore(options: &args::Explore, quiet: bool, output: &mut Output) -> Result<Exit, Failure> {
    let Some(model) = super::model::named(&options.program)? else {
        return Err(Failure::usage(
            format!("{} is of no model language", options.program),
            "explore takes .amb, .at and .oz files, and expressions such as '(+ (amb 1 2) 3)'; \
             'borges repl' walks through the universes of a device program",
        ));
    };
    if options.symmetry && model.dialect() != Dialect::AmbientTalk {
        return Err(Failure::usage(
            format!("{} has no actors that could be alike", options.program),
            "--symmetry is for AmbientTalk; --keep says for every language what tells states apart",
        ));
    }
    let asked = as_asked(options, &model)?;
    let report = {
        let (_pausable, mut progress) = (Pausable::begin(), Progress::new(quiet));
        model.explore(&asked, |come| {
            progress.update("states explored", come.states, None);
            !interrupt::pressed()
        })
    };
    if let Some(name) = report.unmet.first() {
        return Err(Failure::usage(
            format!(
                "no state of {} that was explored has a value called '{name}'",
                options.program
            ),
            "--keep takes the names that outcomes show, for example x, acc.bal",
        ));
    }
    if let Some(file) = &options.session {
        let name = options.program.clone();
        let mut session = ModelSession::new(name, model, asked, Some(file.clone()));
        let kept = session.keep(|_| !interrupt::pressed());
        kept.map_err(|error| Failure::input(format!("{}: {error}", file.display()), ""))?;
    }
    if output.json {
        output.json(&Explored {
            program: &options.program,
            report: &report,
        })?;
    } else {
        let text = shown(&report, options.traces, &output.paint);
        output.text(&text)?;
    }
    Ok(match report.why {
        Some(Why::Cancelled) => Exit::Interrupted,
        _ => Exit::Ok,
    })
}

fn as_asked(options: &args::Explore, model: &Model) -> Result<Explore, Failure> {
    let default = Explore::default();
    let order = match &options.toward {
        Some(spec) => Order::Toward {
            lead: Lead::parse(model, spec).map_err(|error| {
                Failure::usage(
                    error.to_string(),
                    "docs/actors.md has the catalogue of breakpoints",
                )
            })?,
            first: options.first,
        },
        None => match options.order {
            args::Order::Breadth => Order::BreadthFirst,
            args::Order::Depth => Order::DepthFirst,
            args::Order::Random => Order::Random(options.seed),
        },
    };
    Ok(Explore {
        grain: options.steps.grain.into(),
        delivery: options.steps.delivery.into(),
        debugger: options.debugger,
        keep: options.keep.as_ref().map(|names| {
            let names = names.iter().map(|name| name.trim());
            let named = names.filter(|name| !name.is_empty());
            named.map(str::to_string).collect()
        }),
        symmetry: options.symmetry,
        reduction: match options.reduction {
            args::Reduction::None => Reduction::None,
            args::Reduction::Dpor => Reduction::Dpor,
        },
        order,
        states: options.states.unwrap_or(default.states),
        depth: options.depth.unwrap_or(default.depth),
        ..default
    })
}

fn shown(report: &Report, traces: bool, paint: &Paint) -> String {
    let mut text = String::new();
    if let Some(met) = &report.met {
        text.push_str(&met_shown(met, paint));
    }
    for end in &report.ends {
        text.push_str(&end_shown(end, report.reduction == "dpor", paint));
        if traces {
            text.push_str(&trace(&end.trace, paint));
        }
    }
    let mut sizes = vec![
        count(report.states, "state"),
        count(report.edges, "edge"),
        count(report.ends.len() as u64, "outcome"),
    ];
    match &report.paths {
        Some(paths) if paths == "1" => sizes.push("1 path".to_string()),
        Some(paths) => sizes.push(format!("{paths} paths")),
        None => {}
    }
    match report.classes {
        Some(1) => sizes.push("1 class of runs".to_string()),
        Some(classes) => sizes.push(format!("{} classes of runs", grouped(classes))),
        None => {}
    }
    let _ = writeln!(text, "{}", paint.paint(Role::Dim, sizes.join(", ")));
    if let Some(abstraction) = &report.abstraction {
        let note = format!(
            "an abstraction: {abstraction}; what is shown can happen, what is left out may be different"
        );
        let _ = writeln!(text, "{}", paint.paint(Role::Warning, printable(&note)));
    }
    if report.debugger {
        text.push_str("under the debugger: each step pauses, and is resumed\n");
    }
    if report.cyclic == Some(true) {
        text.push_str(match report.complete && report.ends.is_empty() {
            true => "no run ends: each comes to states again and goes round for ever\n",
            false => "some runs never end\n",
        });
    }
    if !report.complete {
        let reduced = report.reduction == "dpor";
        let why = match report.why {
            Some(Why::States) if reduced => {
                "there are more runs, or some with ever new states: --states raises the limit of steps, \
                 --depth cuts runs"
            }
            Some(Why::Depth) if reduced => {
                "some runs are longer than they were followed, or never end: --depth sets the limit"
            }
            Some(Why::States) => "there are more states: --states raises the limit",
            Some(Why::Depth) => "some paths are longer: --depth raises the limit",
            Some(Why::Cancelled) => "it was cancelled",
            Some(Why::Met) => "it stopped where the breakpoint was met; without --first it goes on",
            None => "some universes were left out",
        };
        let note = format!("not all: {why}");
        let _ = writeln!(text, "{}", paint.paint(Role::Warning, note));
    }
    text
}

/// Where the breakpoint was met, and the way there.
fn met_shown(met: &Met, paint: &Paint) -> String {
    let mut text = format!(
        "{}  {}\n",
        paint.paint(Role::Heading, format!("met {}", printable(&met.breakpoint))),
        paint.paint(Role::Dim, format!("after {}", count(met.states, "state")))
    );
    text.push_str(&trace(&met.trace, paint));
    text
}

fn end_shown(end: &End, reduced: bool, paint: &Paint) -> String {
    let role = if end.kind == "finished" {
        Role::Good
    } else {
        Role::Bad
    };
    let many = count(end.states, if reduced { "class" } else { "state" });
    let mut text = format!(
        "{}  {}\n",
        paint.paint(role, end.kind),
        paint.paint(Role::Dim, many)
    );
    for line in &end.output {
        let _ = writeln!(text, "  prints  {}", printable(line));
    }
    for (name, value) in &end.values {
        let _ = writeln!(
            text,
            "  {} = {}",
            paint.paint(Role::Name, printable(name)),
            printable(&datum(value))
        );
    }
    for (who, why) in &end.waiting {
        let _ = writeln!(text, "  {}: {}", printable(who), printable(why));
    }
    text
}

fn datum(value: &Datum) -> String {
    match value {
        Datum::Null => "null".to_string(),
        Datum::Boolean(value) => value.to_string(),
        Datum::Integer(value) => value.to_string(),
        Datum::Text(text) => text.clone(),
        Datum::List(items) => {
            let items: Vec<String> = items.iter().map(datum).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

fn trace(steps: &[Step], paint: &Paint) -> String {
    let mut text = String::new();
    for step in steps {
        let place = match (step.line, step.column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            _ => String::new(),
        };
        let choice = if step.options > 1 {
            format!("  choice {} of {}", step.option, step.options)
        } else {
            String::new()
        };
        let what = printable(&step.text);
        let agent = printable(&step.agent);
        // Most steps say who takes them.
        let who = match what.strip_prefix(&agent) {
            Some(rest) if rest.starts_with([':', ' ']) => String::new(),
            _ => format!("{agent}: "),
        };
        let _ = writeln!(
            text,
            "    {}  {who}{what}  {}{}",
            paint.paint(Role::Place, format!("{place:>7}")),
            paint.paint(Role::Dim, step.rule),
            paint.paint(Role::Dim, choice)
        );
    }
    text
}
