//! What can be waited for among actors, and what Voyager says of it.

use borges_multiverse::debug::{AgentMode, Arrival, Catalogue, Hit, Mode, Said};
use borges_multiverse::language::Language;

use super::breakpoint::Breakpoint;
use super::goal::{Goal, StepKind};
use super::show;
use crate::ambienttalk::{
    ActorId, Agent, AmbientTalk, Choice, Doing, Grain, Options, SiteId, State,
};
use crate::model::ModelError;
use crate::model::debug::{AgentCard, ChangeRow, Refused};
use crate::model::face::{Plan, Taken, Voice};

/// The longest step within a turn, in rules.
const LONGEST_STEP: u32 = 100_000;

/// A program of actors under the debugger.
pub(crate) struct Actors {
    /// With the steps that the debugger lets the program take.
    program: AmbientTalk,
    /// With a step a rule, for steps within a turn.
    fine: AmbientTalk,
}

impl Actors {
    pub(crate) fn new(program: AmbientTalk) -> Self {
        let fine = program.with(Options {
            grain: Grain::Rule,
            ..program.options()
        });
        Self { program, fine }
    }

    /// Takes a step within a turn: nobody else moves. The state that it leads to, and by how many rules; none if the
    /// actor has no step to take.
    fn within_turn(&self, from: &State, actor: ActorId, kind: StepKind) -> Option<(State, u32)> {
        let depth = self.fine.next(from, actor)?.depth;
        let mut state = from.clone();
        let mut rules = 0;
        while let Some(next) = self.fine.apply(&state, &Choice::Act(actor)) {
            state = next.state;
            rules += 1;
            let now = self.fine.next(&state, actor)?.depth;
            let there = match kind {
                StepKind::Over => now <= depth,
                StepKind::Return => now < depth,
                _ => true,
            };
            if there || rules >= LONGEST_STEP || !self.fine.in_turn(&state, actor) {
                break;
            }
        }
        (rules > 0).then_some((state, rules))
    }
}

impl Catalogue for Actors {
    type Program = AmbientTalk;
    type Breakpoint = Breakpoint;
    type Goal = Goal;
    type Step = StepKind;

    const REMEMBERS_STEPS: bool = true;

    fn program(&self) -> &AmbientTalk {
        &self.program
    }

    fn hits(
        &self,
        breakpoint: &Breakpoint,
        arrival: &Arrival<'_, AmbientTalk>,
    ) -> Vec<Option<Agent>> {
        let actors = breakpoint.hits(&self.program, arrival).into_iter();
        actors.map(|actor| Some(Agent::Actor(actor))).collect()
    }

    fn advance(&self, goal: Goal, arrival: &Arrival<'_, AmbientTalk>) -> Option<Goal> {
        goal.after(&self.program, arrival)
    }

    fn step_of(&self, goal: &Goal) -> (StepKind, Agent) {
        (goal.kind, Agent::Actor(goal.actor))
    }

    fn within(&self, from: &State, to: &State) -> Option<String> {
        let mut choices = Vec::new();
        self.fine.enabled(from, &mut choices);
        let leads = |choice: &&Choice| {
            let next = self.fine.apply(from, choice);
            next.is_some_and(|next| next.state == *to)
        };
        let choice = choices.iter().find(leads)?;
        Some(self.fine.label(from, choice).text)
    }

    fn nearness(&self, breakpoint: &Breakpoint, state: &State) -> i64 {
        breakpoint.nearness(&self.program, state)
    }
}

impl Voice for Actors {
    const STARTS: Mode = Mode::Run;

    fn reread(&self, text: &str) -> Result<Self, Refused> {
        let program = AmbientTalk::parse(text, self.program.options());
        let program = program.map_err(ModelError::from);
        let program = program.map_err(|error| Refused::program(&error, text))?;
        Ok(Self::new(program))
    }

    fn breakpoint(&self, text: &str, spec: &str) -> Result<Breakpoint, Refused> {
        Ok(Breakpoint::parse(&self.program, text, spec)?)
    }

    fn spec(breakpoint: &Breakpoint) -> String {
        breakpoint.to_string()
    }

    fn steps() -> &'static [(&'static str, StepKind)] {
        &StepKind::NAMED
    }

    fn plan(&self, state: &State, agent: &Agent, kind: StepKind) -> Result<Plan<Self>, Refused> {
        let plan = match *agent {
            Agent::Actor(actor) if kind.is_within_turn() => self
                .within_turn(state, actor, kind)
                .map(|(state, rules)| Plan::Walk(state, rules)),
            Agent::Actor(actor) => Goal::of(&self.program, state, actor, kind).map(Plan::Goal),
            _ => None,
        };
        plan.ok_or(Refused::NotHere(kind.name(), hint(kind)))
    }

    fn agents(&self, state: &State) -> Vec<(Agent, String)> {
        let actors = self.program.actors(state).into_iter();
        actors
            .map(|actor| (Agent::Actor(actor), self.program.actor_name(state, actor)))
            .collect()
    }

    fn holds(&self) -> bool {
        true
    }

    fn cards(
        &self,
        text: &str,
        state: &State,
        mode: &dyn Fn(&Agent) -> AgentMode,
    ) -> Vec<AgentCard> {
        let actors = self.program.actors(state).into_iter();
        actors
            .filter_map(|actor| {
                let view = self.program.view(state, actor)?;
                Some(show::card(text, &view, mode(&Agent::Actor(actor))))
            })
            .collect()
    }

    fn changes(&self, before: &State, after: &State, _mover: &str) -> Vec<ChangeRow> {
        show::changes(&self.program, before, after)
    }

    fn mover(&self, step: &Taken<'_, Self>) -> String {
        let (Choice::Act(actor) | Choice::Deliver { from: actor, .. }) = *step.choice;
        self.program.actor_name(&step.to.program, actor)
    }

    fn receiver(&self, step: &Taken<'_, Self>) -> Option<String> {
        let to = match *step.choice {
            Choice::Act(actor) => {
                let next = self.program.next(&step.from.program, actor)?;
                next.to.filter(|_| next.doing != Doing::CreateActor)?
            }
            Choice::Deliver { to, .. } => to,
        };
        Some(self.program.actor_name(&step.to.program, to))
    }

    fn rules_of(said: Said) -> Vec<&'static str> {
        match said {
            Said::Resume => vec!["RESUME-EXECUTION"],
            Said::Pause => vec!["PAUSE-EXECUTION"],
            Said::Step => vec!["PREPARE-STEP-NEXT-TURN"],
            Said::Walk => vec!["CEL-STEP-LOCAL"],
            Said::Hold | Said::Release | Said::Go => Vec::new(),
        }
    }

    /// CEL-STEP-LOCAL or CEL-STEP-GLOBAL, and what the debugger made of it.
    fn rules(&self, step: &Taken<'_, Self>) -> Vec<&'static str> {
        let (before, after) = (&step.from.program, &step.to.program);
        let doing = match step.choice {
            Choice::Act(actor) => self.program.next(before, *actor),
            Choice::Deliver { .. } => None,
        };
        let is_global = doing.is_none_or(|next| {
            matches!(
                next.doing,
                Doing::Send | Doing::SendResult | Doing::Forward | Doing::CreateActor
            )
        });
        let mut rules = vec![if is_global {
            "CEL-STEP-GLOBAL"
        } else {
            "CEL-STEP-LOCAL"
        }];
        if doing.is_some_and(|next| next.doing == Doing::CreateActor) {
            rules.push("ADD-NEW-ACTOR");
        }
        let sent = doing.filter(|next| next.doing == Doing::Send);
        let sent = sent.and_then(|next| next.site);
        if step.breakpoints.iter().any(|known| saves(known, sent)) {
            rules.push("SAVE-MRB");
        }
        let arrival = Arrival {
            before: Some((before, step.choice)),
            after,
        };
        for breakpoint in &step.breakpoints {
            rules.push(if breakpoint.halts(&self.program, &arrival) {
                breakpoint.rule()
            } else {
                "NOT-APPLICABLE-BREAKPOINT"
            });
        }
        let is_there = |hit: &Hit<Agent, StepKind>| matches!(hit, Hit::Step(..));
        if step.to.hits().iter().any(is_there) {
            rules.push("TRIGGER-STEP-NEXT-TURN");
        }
        rules
    }
}

/// Whether a receiver breakpoint waits for messages of the site.
fn saves(breakpoint: &Breakpoint, site: Option<SiteId>) -> bool {
    matches!(breakpoint, Breakpoint::Receiver(sites)
        if site.is_some_and(|site| sites.sites.contains(&site)))
}

const fn hint(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Into | StepKind::Over | StepKind::Return => ": it waits, or is stuck",
        StepKind::IntoActivity => ": it is not about to create an actor",
        StepKind::MessageReceiver => ": it is not about to send a message",
        StepKind::PromiseResolver | StepKind::PromiseResolution => {
            ": it is not about to send a message with a future"
        }
        StepKind::NextTurn => ": it is stuck",
        StepKind::EndOfTurn => ": it is not within a turn",
        StepKind::ReturnToResolution => ": nobody waits for its answer",
    }
}
