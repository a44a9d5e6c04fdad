//! What the program's text says about the names of actors, fields and methods.

use std::sync::Arc;

use super::birth::ActorId;
use super::code::{Code, Instr, Program, Symbol, Template, TemplateId};
use super::language::AmbientTalk;
use super::state::{Actor, State};
use super::syntax::LiteralKind;
use crate::datum::Datum;
use crate::predicate::{Kind, Named, Standing};

/// Words with which steps and states are shown, next to the names of the program.
const WORDS: &str = "LET ARITHMETIC IF NEW ISOLATE OBJECT ACTOR INVOKE FIELD ACCESS UPDATE MAKE FUTURE PRINTLN \
PROCESS MESSAGE CALLBACK TO RESOLVE LOCAL ASYNCHRONOUS SEND FAR DELIVER NONE sends to resolves a future keeps for \
on takes creates calls sets the condition is true false null makes an object prints main resolve when callback \
apply init future resolver stuck waits idle runs inbox printed value";

impl AmbientTalk {
    fn main_fields(&self) -> &[Symbol] {
        let main = self.program.template(Program::MAIN);
        main.slots
            .get(usize::from(main.captures)..)
            .unwrap_or_default()
    }

    fn slot(&self, name: &str) -> Option<Symbol> {
        let at = self.program.symbols.iter().position(|known| known == name);
        at.map(|at| Symbol(at as u32))
    }

    /// The actor literals that a variable of the program holds; none if it can hold anything else.
    fn literals_of(&self, field: Symbol) -> Option<Vec<TemplateId>> {
        let mut literals = Vec::new();
        for code in &self.program.codes {
            for (at, instr) in code.instrs.iter().enumerate() {
                if *instr != Instr::FieldUpdate(field) {
                    continue;
                }
                match at.checked_sub(1).map(|before| code.instrs[before]) {
                    Some(Instr::NewActor(literal)) => literals.push(literal),
                    _ => return None,
                }
            }
        }
        (!literals.is_empty()).then_some(literals)
    }

    /// The actor literals that a variable may hold: all, if it gets what something else gives.
    fn candidates(&self, field: Symbol) -> Vec<TemplateId> {
        if let Some(literals) = self.literals_of(field) {
            return literals;
        }
        let gets = |code: &Code| {
            code.instrs.windows(2).any(|pair| match pair {
                [before, Instr::FieldUpdate(updated)] if *updated == field => matches!(
                    before,
                    Instr::Invoke(..) | Instr::Load(_) | Instr::Capture(_) | Instr::FieldAccess(_)
                ),
                _ => false,
            })
        };
        if !self.program.codes.iter().any(gets) {
            return Vec::new();
        }
        let templates = self.program.templates.iter().enumerate().skip(1);
        let actors = templates.filter(|(_, template)| template.kind == LiteralKind::Actor);
        actors.map(|(at, _)| TemplateId(at as u32)).collect()
    }

    /// Whether any object has a slot of this name.
    fn is_slot(&self, name: &str) -> bool {
        let has = |template: &Template, slot| template.slots.contains(&slot);
        // A resolved future leads on to its value.
        name == "value"
            || self.slot(name).is_some_and(|slot| {
                let mut templates = self.program.templates.iter();
                templates.any(|template| has(template, slot))
            })
    }

    /// The actor with which a path begins, and what follows: none if no actor is called so.
    fn split<'p>(&self, path: &'p str) -> Option<(Vec<TemplateId>, Vec<&'p str>)> {
        let mut parts = path.split('.').peekable();
        let first = parts.next()?;
        if first == "main" {
            let number = |part: &&str| part.parse::<u32>().is_ok_and(|number| number > 0);
            let numbered = parts.peek().is_some_and(number);
            while parts.next_if(number).is_some() {}
            let literals = if numbered {
                Vec::new()
            } else {
                vec![Program::MAIN]
            };
            return Some((literals, parts.collect()));
        }
        let slot = self.slot(first)?;
        let literals = self.literals_of(slot).unwrap_or_default();
        self.main_fields()
            .contains(&slot)
            .then(|| (literals, parts.collect()))
    }

    /// Whether an actor can be called so: by a variable of the main actor or of an actor that made it, or by birth.
    fn may_name_actor(&self, name: &str) -> bool {
        self.split(name)
            .is_some_and(|(_, rest)| rest.iter().all(|part| self.is_slot(part)))
    }

    /// Whether a field can be called so, by the name of its actor and its path there.
    fn may_name_field(&self, path: &str) -> bool {
        let Some((literals, rest)) = self.split(path) else {
            return false;
        };
        let Some(first) = rest.first() else {
            return false;
        };
        let of_actor = |literal: &TemplateId| {
            let slots = &self.program.template(*literal).slots;
            self.slot(first).is_some_and(|slot| slots.contains(&slot))
        };
        (literals.is_empty() || literals.iter().any(of_actor))
            && rest.iter().all(|part| self.is_slot(part))
    }

    /// The actors that the program's variables name.
    fn actor_names(&self) -> Vec<String> {
        let named = self.main_fields().iter();
        let named = named.filter(|field| !self.candidates(**field).is_empty());
        let named = named.map(|field| self.program.name(*field).to_owned());
        [String::from("main")].into_iter().chain(named).collect()
    }

    fn field_names(&self) -> Vec<String> {
        let main = [(String::from("main"), Program::MAIN)].into_iter();
        let actors = self.main_fields().iter().flat_map(|field| {
            let literals = self.candidates(*field).into_iter();
            literals.map(|literal| (self.program.name(*field).to_owned(), literal))
        });
        let fields = main.chain(actors).flat_map(|(name, literal)| {
            let template = self.program.template(literal);
            let own = template.slots.iter().skip(usize::from(template.captures));
            own.map(move |slot| format!("{name}.{}", self.program.name(*slot)))
        });
        fields.collect()
    }

    /// The methods that messages can ask for.
    fn method_names(&self) -> Vec<String> {
        let templates = self.program.templates.iter();
        let methods = templates.flat_map(|template| template.methods.iter());
        let mut names: Vec<_> = methods
            .map(|(name, _)| self.program.name(*name).to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// The words with which states and steps are shown.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<_> = WORDS.split_whitespace().map(str::to_owned).collect();
        words.extend(self.program.symbols.iter().cloned());
        let texts = self.program.texts.iter();
        let texts = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        words.extend(texts.map(str::to_owned));
        words
    }

    /// The actor of a name.
    fn find<'s>(&self, state: &'s State, name: &str) -> Option<&'s Arc<Actor>> {
        let called = |id: ActorId| id.to_string() == name || self.actor_name(state, id) == name;
        state.actors.iter().find(|actor| called(actor.id))
    }
}

impl Named for AmbientTalk {
    fn knows(&self, kind: Kind, name: &str) -> bool {
        match kind {
            Kind::Agent | Kind::Queue => self.may_name_actor(name),
            Kind::Value => self.may_name_field(name),
            Kind::Method | Kind::Word => self.names(kind).iter().any(|known| known == name),
        }
    }

    fn names(&self, kind: Kind) -> Vec<String> {
        match kind {
            Kind::Agent | Kind::Queue => self.actor_names(),
            Kind::Value => self.field_names(),
            Kind::Method => self.method_names(),
            Kind::Word => self.words(),
        }
    }

    fn value(&self, state: &State, name: &str) -> Option<Datum> {
        state.actors.iter().find_map(|actor| {
            let owner = self.actor_name(state, actor.id);
            let field = name.strip_prefix(&owner)?.strip_prefix('.')?;
            self.field(state, actor.id, field)
        })
    }

    fn queued(&self, state: &State, name: &str) -> Option<usize> {
        Some(self.find(state, name)?.inbox.len())
    }

    fn standing(&self, state: &State, agent: &str) -> Option<Standing> {
        let actor = self.find(state, agent)?;
        Some(Standing {
            idle: actor.is_idle(),
            waits: actor.is_idle() && actor.inbox.is_empty(),
            stuck: actor.stuck.is_some(),
        })
    }

    fn printed(&self, state: &State, agent: &str, line: &str) -> bool {
        let actor = self.find(state, agent);
        actor.is_some_and(|actor| actor.output.iter().any(|said| **said == *line))
    }
}
