//! A program's states as a picture: rows by distance, ways labelled by the values that take them, a colour by an expression.

use borges_concolic::{Budget, DeviceState, End, Explored, Passing};
use borges_multiverse::graph::NodeId;
use borges_multiverse::language::Language as _;

use super::Subject;
use super::conditions::Conditions;
use super::exploring::{Effort, Found, Nearest, tidying};
use super::inquiry::Inquiry;
use crate::command::picture::{PictureState, PictureWay, StateKind, StatesPicture};

/// States that are drawn: what is more is counted.
const MOST: usize = 10_000;
/// Values of an expression that are listed in one state.
const MOST_VALUES: u64 = 16;
/// Characters of a label.
const LONGEST: usize = 60;

/// What is drawn, and the run to the state that is asked for, if there is one.
pub(super) struct Drawn {
    pub(super) picture: StatesPicture,
    pub(super) run: Option<Explored>,
}

impl Inquiry {
    /// All states from here, as far as they are drawn, and a shortest run to one of them.
    pub(super) fn picture(
        &self,
        (colour, to): (Option<&str>, Option<u32>),
        budget: &Budget<'_>,
    ) -> Option<Drawn> {
        let subject = self.subject();
        let texts: Vec<String> = colour.iter().map(|text| (*text).to_owned()).collect();
        // What does not mean anything was refused when the question was asked.
        let conditions = Conditions::new(&subject, &texts).ok()?;
        // What an expression looks at tells states apart, also where the program does not read it any more.
        let looked_at = (&conditions, false);
        let looking = budget.part(60);
        let effort = Effort::new(budget, &looking);
        let found = Found::explore(&subject, looked_at, &self.states_options(), &effort).ok()?;
        let mut picture = found.drawn(budget);
        if let Some(expression) = colour {
            found.colour(&subject, expression, &mut picture);
        }
        let run = to.and_then(|to| {
            let nearest = Nearest::new(&found.graph);
            let end = found.graph.nodes().nth(to as usize)?;
            let way = nearest.way_to(&found.graph, end);
            let device = found.graph.language();
            let run = device.run_through(&way, Passing::Nothing, &tidying(budget))?;
            device.explored(vec![run])
        });
        Some(Drawn { picture, run })
    }
}

impl Found<'_> {
    fn drawn(&self, budget: &Budget<'_>) -> StatesPicture {
        let device = self.graph.language();
        let nodes = || self.graph.nodes().take(MOST);
        let state = |node: NodeId| PictureState {
            row: self.graph.depth(node).unwrap_or(0),
            kind: self.graph.state(node).map_or(StateKind::Open, kind),
            place: short(self.place(node).unwrap_or_default()),
            values: None,
        };
        let mut ways = Vec::new();
        for node in nodes() {
            let Some(state) = self.graph.state(node).filter(|_| !budget.is_spent()) else {
                break;
            };
            // The graph keeps where a way leads; what is decided on it is asked again.
            let labelled = device.ways(state);
            for (id, edge) in self.graph.edges_from(node) {
                if edge.to.0 as usize >= MOST {
                    continue;
                }
                let way = labelled.get(edge.option as usize);
                let label = way.map(|(way, _)| device.label(state, way).text);
                ways.push(PictureWay {
                    from: edge.from.0,
                    to: edge.to.0,
                    label: short(label.unwrap_or_default()),
                    partial: self.graph.is_partial(id),
                });
            }
        }
        let all = self.graph.nodes().len();
        StatesPicture {
            states: nodes().map(state).collect(),
            ways,
            left_out: all.saturating_sub(MOST) as u32,
            edges: self.graph.edge_count() as u32,
            complete: self.holds_all() && device.maybe().is_empty(),
            colour: None,
        }
    }

    /// The values of an expression in the states that are drawn.
    fn colour(&self, subject: &Subject, expression: &str, picture: &mut StatesPicture) {
        let device = self.graph.language();
        let mut machine = subject.start.machine.clone();
        for (node, drawn) in self.graph.nodes().zip(&mut picture.states) {
            if self.budget.is_spent() {
                return;
            }
            let Some(state) = self.graph.state(node) else {
                continue;
            };
            let known = device.stands_for(state, MOST_VALUES);
            let Some(known) = known.filter(|known| !known.is_empty()) else {
                drawn.values = Some("several".to_owned());
                continue;
            };
            let mut values: Vec<String> = Vec::new();
            for snapshot in known.iter().filter_map(DeviceState::snapshot) {
                if machine.restore(snapshot).is_err() {
                    continue;
                }
                let value = subject.scene(&machine).somewhere(expression);
                values.extend(value.filter(|value| !values.contains(value)));
            }
            values.sort();
            drawn.values = (!values.is_empty()).then(|| values.join(" or "));
        }
        picture.colour = Some(expression.to_owned());
    }
}

fn kind(state: &DeviceState) -> StateKind {
    match state.end() {
        None if state.is_moment() => StateKind::Moment,
        None => StateKind::State,
        Some(End::Trapped(..)) => StateKind::Trap,
        Some(End::Returned | End::Exited(_)) => StateKind::Returned,
        Some(_) => StateKind::Open,
    }
}

/// The beginning of a text that is too long for a picture.
fn short(text: String) -> String {
    if text.chars().nth(LONGEST).is_none() {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
