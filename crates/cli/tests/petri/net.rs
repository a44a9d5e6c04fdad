//! Petri nets with named tokens: all that makes them a language of Borges.

use borges_languages::model::{Datum, ModelError, Remains, Reported, Simple};
use borges_languages::predicate::{Kind, Named, Standing};
use borges_languages::source::ParseError;
use borges_multiverse::language::{
    Footprint, Label, Language, Next, Outcome, Span, Verdict, Waiting,
};

/// `place NAME: TOKEN …`, `NAME: PLACE(TOKEN) … -> PLACE(TOKEN) …` for a transition, where tokens are variables, and
/// `end PLACE COUNT`, what a run has to come to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Net {
    places: Vec<String>,
    start: Marking,
    transitions: Vec<Transition>,
    end: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct Transition {
    name: String,
    span: Span,
    inputs: Vec<(usize, String)>,
    outputs: Vec<(usize, String)>,
}

/// The tokens of each place, sorted.
type Marking = Vec<Vec<String>>;

/// A transition, and the token that each of its inputs takes.
type Firing = (usize, Vec<String>);

impl Net {
    fn parse(text: &str) -> Result<Self, ModelError> {
        let mut net = Self::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let span = Span {
                start,
                end: start + line.trim_end().len() as u32,
            };
            start += line.len() as u32;
            let wrong = |kind| ParseError { kind, span };
            net.line(line.trim(), span).map_err(wrong)?;
        }
        Ok(net)
    }

    fn line(&mut self, line: &str, span: Span) -> Result<(), String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("end ") {
            let (place, count) = rest.split_once(' ').ok_or("end PLACE COUNT")?;
            let count = count.trim().parse();
            self.end = Some((self.place(place)?, count.map_err(|_| "this is no number")?));
            return Ok(());
        }
        let (name, rest) = line
            .split_once(':')
            .ok_or("this is no place, no transition and no end")?;
        if let Some(place) = name.strip_prefix("place ") {
            let mut tokens: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
            tokens.sort();
            self.places.push(place.trim().to_owned());
            self.start.push(tokens);
            return Ok(());
        }
        let (inputs, outputs) = rest.split_once("->").ok_or("a transition needs '->'")?;
        let (inputs, outputs) = (self.arcs(inputs)?, self.arcs(outputs)?);
        let unknown = |variable: &String| inputs.iter().all(|(_, known)| known != variable);
        if let Some((_, variable)) = outputs.iter().find(|(_, variable)| unknown(variable)) {
            return Err(format!("nothing is taken that is called {variable}"));
        }
        self.transitions.push(Transition {
            name: name.trim().to_owned(),
            span,
            inputs,
            outputs,
        });
        Ok(())
    }

    fn arcs(&self, text: &str) -> Result<Vec<(usize, String)>, String> {
        let arc = |word: &str| {
            let (place, variable) = word
                .strip_suffix(')')
                .and_then(|arc| arc.split_once('('))
                .ok_or("an arc is PLACE(TOKEN)")?;
            Ok((self.place(place)?, variable.to_owned()))
        };
        text.split_whitespace().map(arc).collect()
    }

    fn place(&self, name: &str) -> Result<usize, String> {
        self.places
            .iter()
            .position(|place| place == name)
            .ok_or_else(|| format!("there is no place called {name}"))
    }

    /// All ways to give the inputs from `tokens.len()` on their tokens; tokens of one name are alike.
    fn bindings(
        &self,
        nth: usize,
        left: &Marking,
        tokens: &mut Vec<String>,
        found: &mut Vec<Firing>,
    ) {
        let inputs = &self.transitions[nth].inputs;
        let Some((place, variable)) = inputs.get(tokens.len()) else {
            found.push((nth, tokens.clone()));
            return;
        };
        for (at, token) in left[*place].iter().enumerate() {
            let mut bound = inputs.iter().zip(tokens.iter());
            let bound = bound.find(|((_, known), _)| known == variable);
            let again = at > 0 && left[*place][at - 1] == *token;
            if again || bound.is_some_and(|(_, same)| same != token) {
                continue;
            }
            let mut rest = left.clone();
            rest[*place].remove(at);
            tokens.push(token.clone());
            self.bindings(nth, &rest, tokens, found);
            tokens.pop();
        }
    }

    fn by_name(&self, name: &str) -> Option<usize> {
        self.transitions.iter().position(|known| known.name == name)
    }

    fn touched(&self, nth: usize) -> Footprint<usize> {
        let transition = &self.transitions[nth];
        let arcs = transition.inputs.iter().chain(&transition.outputs);
        Footprint {
            writes: arcs.map(|(place, _)| *place).collect(),
            ..Footprint::default()
        }
    }

    fn fires(&self, nth: usize, tokens: &[String]) -> Label {
        let transition = &self.transitions[nth];
        let taken = transition.inputs.iter().zip(tokens);
        let taken = taken.map(|((place, _), token)| format!("{}({token})", self.places[*place]));
        Label {
            rule: "FIRE",
            text: taken.collect::<Vec<_>>().join(" "),
            span: Some(transition.span),
        }
    }
}

impl Language for Net {
    type State = Marking;
    type Choice = Firing;
    type Agent = String;
    type Resource = usize;
    type Value = String;

    fn initial(&self) -> Marking {
        self.start.clone()
    }

    fn enabled(&self, state: &Marking, choices: &mut Vec<Firing>) {
        for nth in 0..self.transitions.len() {
            self.bindings(nth, state, &mut Vec::new(), choices);
        }
    }

    fn apply(&self, state: &Marking, (nth, tokens): &Firing) -> Option<Next<Marking>> {
        let transition = self.transitions.get(*nth)?;
        let (inputs, outputs) = (&transition.inputs, &transition.outputs);
        let mut next = state.clone();
        for ((place, _), token) in inputs.iter().zip(tokens) {
            let at = next[*place].iter().position(|there| there == token)?;
            next[*place].remove(at);
        }
        for (place, variable) in outputs {
            let at = inputs.iter().position(|(_, known)| known == variable)?;
            next[*place].push(tokens.get(at)?.clone());
            next[*place].sort();
        }
        Some(Next::one(next))
    }

    fn outcome(&self, state: &Marking) -> Outcome<String> {
        let end = self.end;
        let verdict = match end.is_none_or(|(place, count)| state[place].len() == count) {
            true => Verdict::Finished,
            false => Verdict::Deadlock,
        };
        let value = self.show(state);
        Outcome {
            verdicts: verdict.into(),
            value,
        }
    }

    fn agent(&self, _: &Marking, (nth, _): &Firing) -> String {
        self.transitions[*nth].name.clone()
    }

    fn label(&self, _: &Marking, (nth, tokens): &Firing) -> Label {
        self.fires(*nth, tokens)
    }

    fn footprint(&self, _: &Marking, (nth, _): &Firing) -> Footprint<usize> {
        self.touched(*nth)
    }

    fn waiting(&self, state: &Marking, waiting: &mut Vec<Waiting<String, usize>>) {
        for (nth, transition) in self.transitions.iter().enumerate() {
            let agent = transition.name.clone();
            let standing = self.standing(state, &agent);
            if standing.is_some_and(|standing| standing.waits) {
                let wanted = transition.inputs.iter().map(|(_, name)| name.clone());
                let label = self.fires(nth, &wanted.collect::<Vec<_>>());
                let footprint = self.touched(nth);
                waiting.push(Waiting {
                    agent,
                    footprint,
                    label,
                });
            }
        }
    }

    fn show(&self, state: &Marking) -> String {
        let places = self.places.iter().zip(state);
        let places = places.filter(|(_, tokens)| !tokens.is_empty());
        let places = places.map(|(place, tokens)| format!("{place}({})", tokens.join(" ")));
        places.collect::<Vec<_>>().join(" ")
    }
}

impl Named for Net {
    fn knows(&self, kind: Kind, name: &str) -> bool {
        self.names(kind).iter().any(|known| known == name)
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        let transitions = self.transitions.iter().map(|one| one.name.clone());
        match kind {
            Kind::Agent => transitions.collect(),
            Kind::Value | Kind::Queue => self.places.clone(),
            Kind::Word => {
                let places = self.places.iter().cloned();
                transitions
                    .chain(places)
                    .chain(self.start.concat())
                    .collect()
            }
            Kind::Method => Vec::new(),
        }
    }

    fn value(&self, state: &Marking, name: &str) -> Option<Datum> {
        Some(Datum::Integer(self.queued(state, name)? as i64))
    }

    fn queued(&self, state: &Marking, name: &str) -> Option<usize> {
        Some(state[self.place(name).ok()?].len())
    }

    fn standing(&self, state: &Marking, agent: &str) -> Option<Standing> {
        let mut found = Vec::new();
        self.bindings(self.by_name(agent)?, state, &mut Vec::new(), &mut found);
        let waits = found.is_empty();
        Some(Standing {
            idle: waits,
            waits,
            stuck: false,
        })
    }
}

impl Reported for Net {
    fn remains(&self, value: &String) -> Remains {
        let places = value
            .split_inclusive(')')
            .filter_map(|place| place.trim().strip_suffix(')')?.split_once('('));
        let datum = |tokens: &str| Datum::Text(tokens.to_owned());
        Remains {
            values: places
                .map(|(place, tokens)| (place.to_owned(), datum(tokens)))
                .collect(),
            ..Remains::default()
        }
    }
}

/// The language.
pub(crate) static PETRI: Simple<Net> = Simple::new("Petri net", "net", Net::parse).shaped(
    "lines are 'place NAME: TOKEN …', 'NAME: PLACE(X) … -> PLACE(X) …' and 'end PLACE COUNT'",
);
