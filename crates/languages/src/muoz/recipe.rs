//! The recipe: μOz as a language of the multiverse core.

use borges_multiverse::fingerprint::Digest;
use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, Touchable, Verdict, Waiting,
};

use super::draft::Draft;
use super::name::{ThreadName, VariableName};
use super::outcome::Answer;
use super::rule::{Act, Rule};
use super::semantics::{MuOz, Ready, Stuck};
use super::state::State;

/// What steps touch.
///
/// That all uses of a variable depend on its creation needs no resource: scopes are lexical, so
/// whoever uses a variable got it from its creator by way of threads and messages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The life of a thread: its creation is written, its steps read it.
    Thread(ThreadName),
    /// The end at which messages enter a port.
    Entry(VariableName),
    /// The end at which they leave it.
    Exit(VariableName),
    /// A message of a port, counted from 0.
    Message(VariableName, u32),
}

impl Touchable for Resource {}

impl Resource {
    /// For a message: what orders its queue, and its number there.
    pub(crate) fn queued(&self) -> Option<(Self, u32)> {
        match self {
            Self::Message(port, number) => Some((Self::Entry(port.clone()), *number)),
            _ => None,
        }
    }
}

impl Language for MuOz {
    type State = State;
    /// The thread that takes its next step.
    type Choice = ThreadName;
    type Agent = ThreadName;
    type Resource = Resource;
    type Value = Answer;

    fn initial(&self) -> State {
        State::start(self.program.main)
    }

    fn enabled(&self, state: &State, choices: &mut Vec<ThreadName>) {
        for thread in &state.threads {
            if let Ready::Step(_) = self.ready(state, thread) {
                choices.push(thread.name.clone());
            }
        }
    }

    fn apply(&self, state: &State, choice: &ThreadName) -> Option<Next<State>> {
        let Ready::Step(step) = self.ready(state, state.thread(choice)?) else {
            return None;
        };
        let mut next = state.clone();
        self.take(&mut next, choice, step)?;
        Some(Next::one(next))
    }

    /// Digests are those of what a step changes and of the rest as it is.
    fn expand_wanted<F: Digest>(
        &self,
        state: &State,
        sift: impl FnOnce(&[F], &mut Vec<usize>),
        wanted: &mut Vec<State>,
    ) {
        let steps = state.threads.iter().filter_map(|thread| {
            let Ready::Step(step) = self.ready(state, thread) else {
                return None;
            };
            let mut draft = Draft::new(state);
            self.take(&mut draft, &thread.name, step)?;
            Some(draft)
        });
        let drafts: Vec<Draft<'_>> = steps.collect();
        let digests: Vec<F> = drafts.iter().map(F::digest).collect();
        let mut places = Vec::new();
        sift(&digests, &mut places);
        let found = places.into_iter().filter_map(|at| drafts.get(at));
        wanted.extend(found.map(Draft::made));
    }

    fn outcome(&self, state: &State) -> Outcome<Answer> {
        let threads = state
            .threads
            .iter()
            .map(|thread| match self.ready(state, thread) {
                Ready::Done | Ready::Step(_) => Verdict::Finished,
                Ready::Waits(_) => Verdict::Deadlock,
                Ready::Stuck(Stuck::Assertion) => Verdict::Failed,
                Ready::Stuck(_) => Verdict::Stuck,
            });
        Outcome {
            verdicts: threads.collect(),
            value: Answer::of(self, state),
        }
    }

    fn agent(&self, _: &State, choice: &ThreadName) -> ThreadName {
        choice.clone()
    }

    fn label(&self, state: &State, choice: &ThreadName) -> Label {
        let names = self.names(state);
        let thread = state.thread(choice);
        let (rule, text) = match thread.map(|thread| (thread, self.ready(state, thread))) {
            Some((thread, Ready::Step(step))) => {
                (step.act.rule().name(), self.describe(thread, &step, &names))
            }
            Some((_, Ready::Waits(port))) => (
                Rule::Receive.name(),
                format!("{choice} waits on {}", names.show(&port)),
            ),
            Some((_, Ready::Stuck(stuck))) => {
                ("stuck", format!("{choice}: {}", stuck.show(&names)))
            }
            Some((_, Ready::Done)) | None => ("none", format!("{choice} has no next step")),
        };
        Label {
            rule,
            text,
            span: self.next_span(state, choice),
        }
    }

    fn footprint(&self, state: &State, choice: &ThreadName) -> Footprint<Resource> {
        let mut footprint = Footprint::default();
        if *choice != ThreadName::MAIN {
            footprint.reads.push(Resource::Thread(choice.clone()));
        }
        let Some(thread) = state.thread(choice) else {
            return footprint;
        };
        match self.ready(state, thread) {
            Ready::Step(step) => match step.act {
                Act::Thread(child) => footprint.writes.push(Resource::Thread(child)),
                Act::Send { port, number, .. } => {
                    footprint
                        .writes
                        .push(Resource::Message(port.clone(), number));
                    footprint.writes.push(Resource::Entry(port));
                }
                Act::Receive { port, .. } => receives(state, port, &mut footprint),
                _ => {}
            },
            Ready::Waits(port) => receives(state, port, &mut footprint),
            Ready::Done | Ready::Stuck(_) => {}
        }
        footprint
    }

    fn waiting(&self, state: &State, waiting: &mut Vec<Waiting<ThreadName, Resource>>) {
        for thread in &state.threads {
            let name = &thread.name;
            if let Ready::Waits(_) = self.ready(state, thread) {
                waiting.push(Waiting {
                    agent: name.clone(),
                    footprint: self.footprint(state, name),
                    label: self.label(state, name),
                });
            }
        }
    }

    fn show(&self, state: &State) -> String {
        let names = self.names(state);
        self.show_state(state, &names)
    }
}

fn receives(state: &State, port: VariableName, footprint: &mut Footprint<Resource>) {
    let number = state.port(&port).map_or(0, |port| port.received);
    footprint
        .reads
        .push(Resource::Message(port.clone(), number));
    footprint.writes.push(Resource::Exit(port));
}
