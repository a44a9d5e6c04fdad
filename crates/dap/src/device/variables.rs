//! Scopes and variables: looked into as far as somebody unfolds them; and inputs, which alone can be set.

use borges_commands::arguments::mock;
use borges_commands::cursor::Cursor;
use borges_session::command::{Act, Look, MockValues, Reply, Whole};
use borges_session::listing::{
    ChildListing, ExpandedListing, InputListing, Variable as Listed, VariableListing,
};
use serde_json::json;

use super::{Device, code, frame_number};
use crate::core::Core;
use crate::handles::Node;
use crate::protocol::answers::{Evaluated, Hint, Scope, Variable};
use crate::protocol::arguments::{DataBreakpointInfo, OfFrame, SetVariable, Variables};
use crate::protocol::{Answer, Failure, body};

/// Children in one answer, where the client does not say how many it wants.
const MANY: u64 = 1_000;
/// From so many children on, clients ask for some at a time.
const INDEXED: u64 = 100;
/// Children that a listing has of a value: it may have more.
const LISTED: usize = 24;

/// What stands for an input that nothing stands in for.
const LIVE: &str = "live";

impl Device {
    pub(super) fn scopes(&mut self, core: &mut Core, asked: OfFrame) -> Answer {
        let frame =
            frame_number(asked.frame_id).ok_or_else(|| Failure::new("there is no such frame"))?;
        let mut scope = |name, hint, node| Scope {
            name,
            presentation_hint: hint,
            variables_reference: self.handles.number(node),
            expensive: false,
        };
        let mut scopes = vec![
            scope("Locals", Some("locals"), Node::Locals { frame }),
            scope("Globals", None, Node::Globals),
            scope("Inputs", None, Node::Inputs),
        ];
        if core.parts.streams.is_some() {
            scopes.push(scope("Output", None, Node::Streams));
        } else if let Some(board) = &core.parts.board {
            scopes.push(scope("Board", None, Node::Data(board.board.clone())));
        }
        scopes.push(scope(
            "Operands",
            Some("registers"),
            Node::Operands { frame },
        ));
        body(json!({ "scopes": scopes }))
    }

    pub(super) fn variables(&mut self, core: &mut Core, asked: &Variables) -> Answer {
        let node = self.handles.node(asked.variables_reference)?;
        let (from, count) = (
            asked.start.unwrap_or(0),
            asked.count.filter(|count| *count > 0),
        );
        let count = count.unwrap_or(MANY).min(MANY);
        let variables = match node {
            Node::Locals { frame } => {
                let listed = listing(core, frame)?.locals;
                self.listed(core, listed, frame, |number| Whole::Local { number })
            }
            Node::Globals => {
                let frame = self.frame_shown(core);
                let listed = listing(core, frame)?.globals;
                self.listed(core, listed, frame, |number| Whole::Global { number })
            }
            Node::Operands { frame } => operands(listing(core, frame)?.operands),
            Node::Inputs => core.parts.inputs.iter().map(input).collect(),
            Node::Streams => streams(core),
            Node::Data(data) => self.handles.data(&data),
            Node::Value {
                of,
                frame,
                path,
                expression,
            } => {
                let expanded = expand(core, &of, frame, &path, from, count)?;
                let children = (from..).zip(expanded.children);
                children
                    .map(|(number, child)| {
                        let path = path.iter().copied().chain([number]).collect();
                        let expression = part_of(expression.as_deref(), &child.name);
                        self.child(
                            child,
                            Node::Value {
                                of: of.clone(),
                                frame,
                                path,
                                expression,
                            },
                        )
                    })
                    .collect()
            }
        };
        let variables: Vec<Variable> = variables;
        body(json!({ "variables": variables }))
    }

    /// Variables of a frame, or globals.
    fn listed(
        &mut self,
        core: &mut Core,
        listed: Vec<Listed>,
        frame: u32,
        of: impl Fn(u32) -> Whole,
    ) -> Vec<Variable> {
        let mut variables = Vec::new();
        for (number, listed) in (0..).zip(listed) {
            let mut variable = Variable {
                name: listed.name.clone(),
                value: listed.value,
                type_name: Some(listed.type_name),
                presentation_hint: Hint::read_only(),
                evaluate_name: Some(listed.name.clone()),
                ..Variable::default()
            };
            if !listed.children.is_empty() {
                let of = of(number);
                let about = expand(core, &of, frame, &[], 0, 0).ok();
                let count = about.as_ref().map_or(0, |about| about.count);
                variable.indexed_variables = indexed(count, listed.children.len() == LISTED);
                variable.memory_reference =
                    about.and_then(|about| code::memory_reference(about.memory, about.address));
                variable.variables_reference = self.handles.number(Node::Value {
                    of,
                    frame,
                    path: Vec::new(),
                    expression: Some(listed.name),
                });
            }
            variables.push(variable);
        }
        variables
    }

    fn child(&mut self, child: ChildListing, node: Node) -> Variable {
        let expression = match &node {
            Node::Value { expression, .. } => expression.clone(),
            _ => None,
        };
        Variable {
            name: child.name,
            value: child.value,
            type_name: Some(child.type_name),
            presentation_hint: Hint::read_only(),
            evaluate_name: expression,
            variables_reference: match child.count {
                0 => 0,
                _ => self.handles.number(node),
            },
            indexed_variables: indexed(child.count, true),
            memory_reference: code::memory_reference(child.memory, child.address),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, core: &mut Core, text: &str, frame: u32) -> Answer {
        let expression = text.to_owned();
        let Reply::Value {
            value, type_name, ..
        } = core.look(Look::Print { expression, frame })?
        else {
            return Err(Failure::new("this has no value"));
        };
        let of = Whole::Expression {
            text: text.to_owned(),
        };
        let about = expand(core, &of, frame, &[], 0, 0).ok();
        let count = about.as_ref().map_or(0, |about| about.count);
        body(Evaluated {
            result: value,
            type_name: Some(type_name),
            presentation_hint: Hint::read_only(),
            variables_reference: match count {
                0 => 0,
                _ => self.handles.number(Node::Value {
                    of,
                    frame,
                    path: Vec::new(),
                    expression: Some(text.to_owned()),
                }),
            },
            indexed_variables: indexed(count, true),
            memory_reference: about
                .and_then(|about| code::memory_reference(about.memory, about.address)),
        })
    }

    /// Has an input answer something else from here on. Nothing else can be set: what is shown is what the program did.
    pub(super) fn set_variable(&mut self, core: &mut Core, asked: &SetVariable) -> Answer {
        if !matches!(self.handles.node(asked.variables_reference)?, Node::Inputs) {
            return Err(Failure::shown(
                "only inputs can be set: they answer that from here on, in a universe of their own. The state of the program is \
                 what it came to, and stays",
            ));
        }
        let call = core
            .parts
            .inputs
            .iter()
            .find(|input| input.call == asked.name);
        let call = call.map(|input| input.call.clone());
        let call =
            call.ok_or_else(|| Failure::new(format!("there is no input '{}' here", asked.name)))?;
        let value = asked.value.trim();
        let act = match value {
            "" | LIVE => Act::Unmock {
                call: Some(call.clone()),
            },
            value => {
                // Read as 'mock …' is, so that both take the same.
                let line = format!("{call} = {value}");
                let mut cursor = Cursor::new(&line);
                mock(&mut cursor).map_err(|misread| Failure::shown(misread.message))?
            }
        };
        core.act(act).map_err(Failure::shown)?;
        let now = core.parts.inputs.iter().find(|input| input.call == call);
        let shown = now.map(input).unwrap_or_default();
        // The answer says it; the editor need not be told that something changed.
        self.inputs = core.parts.inputs_changed;
        body(json!({ "value": shown.value, "type": shown.type_name.unwrap_or_default() }))
    }

    /// What would have to be waited for to see writes of a variable.
    pub(super) fn data_info(&mut self, core: &mut Core, asked: &DataBreakpointInfo) -> Answer {
        let none = |why: &str| body(json!({ "dataId": null, "description": why }));
        if asked.as_address {
            let at = code::address(&asked.name)?;
            let range = format!("{at}, {}", asked.bytes.unwrap_or(1));
            let description = format!("memory at {range}");
            return body(json!({
                "dataId": range, "description": description, "accessTypes": ["write"], "canPersist": true,
            }));
        }
        let node = asked
            .variables_reference
            .map(|number| self.handles.node(number))
            .transpose()?;
        let (expression, is_global) = match node {
            None | Some(Node::Locals { .. }) => (Some(asked.name.clone()), false),
            Some(Node::Globals) => (Some(asked.name.clone()), true),
            Some(Node::Value { of, expression, .. }) => {
                let is_global = matches!(of, Whole::Global { .. });
                (part_of(expression.as_deref(), &asked.name), is_global)
            }
            Some(_) => (None, false),
        };
        let Some(expression) = expression else {
            return none("only variables of the program can be waited for");
        };
        if core.parts.frames.is_empty() && !is_global {
            return none("the program has ended: there is nothing that it could write");
        }
        body(json!({
            "dataId": expression,
            "description": format!("writes of {expression}"),
            "accessTypes": ["write"],
            "canPersist": is_global,
        }))
    }
}

/// The variables of a frame: those that everybody was told, or others.
fn listing(core: &mut Core, frame: u32) -> Result<VariableListing, Failure> {
    if let Some(told) = core
        .parts
        .variables
        .as_ref()
        .filter(|told| told.frame == frame)
    {
        return Ok(told.clone());
    }
    match core.look(Look::Variables { agent: None, frame })? {
        Reply::Variables(listing) => Ok(listing),
        _ => Err(Failure::new("there are no variables here")),
    }
}

fn expand(
    core: &mut Core,
    of: &Whole,
    frame: u32,
    path: &[u64],
    from: u64,
    count: u64,
) -> Result<ExpandedListing, Failure> {
    let look = Look::Expand {
        of: of.clone(),
        frame,
        path: path.to_vec(),
        from,
        count,
    };
    match core.look(look)? {
        Reply::Expanded(listing) => Ok(listing),
        _ => Err(Failure::new("nothing is in it")),
    }
}

/// How many numbered children there are, where that is so many that they are asked for in pieces.
fn indexed(count: u64, is_list: bool) -> Option<u64> {
    (is_list && count > INDEXED).then_some(count)
}

/// An expression for a part of what an expression comes to; nothing if there is none.
fn part_of(whole: Option<&str>, name: &str) -> Option<String> {
    let whole = whole?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |text: &str| {
        let mut letters = text.chars();
        let first = letters
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_');
        first && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if name == "*" {
        return Some(format!("(*{whole})"));
    }
    let index = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    if index.is_some_and(is_number) {
        return Some(format!("{whole}{name}"));
    }
    (is_name(name) || is_number(name)).then(|| format!("{whole}.{name}"))
}

fn operands(values: Vec<String>) -> Vec<Variable> {
    let numbered = (0..).zip(values);
    let variable = |(number, value): (u32, String)| Variable {
        name: format!("$stack{number}"),
        evaluate_name: Some(format!("$stack{number}")),
        value,
        presentation_hint: Hint::read_only(),
        ..Variable::default()
    };
    numbered.map(variable).collect()
}

/// An input: what stands in for it can be set.
fn input(input: &InputListing) -> Variable {
    let value = match &input.mock {
        None => LIVE.to_owned(),
        Some(MockValues::Sequence(values)) => values.join(", "),
        Some(MockValues::Then(values)) => format!("{} then live", values.join(", ")),
    };
    let mut about = input.codomain.clone();
    if let Some(last) = &input.last {
        about.push_str(&format!("; last {last}"));
    }
    if input.next {
        about.push_str("; read next");
    }
    Variable {
        name: input.call.clone(),
        value,
        type_name: Some(about),
        ..Variable::default()
    }
}

/// What a program of an operating system has written.
fn streams(core: &Core) -> Vec<Variable> {
    let Some(streams) = &core.parts.streams else {
        return Vec::new();
    };
    let code = streams
        .exit_code
        .map(|code| ("exit code", code.to_string()));
    let written = [
        ("stdout", streams.output.clone()),
        ("stderr", streams.error.clone()),
    ];
    let all = written.into_iter().chain(code);
    let variable = |(name, value): (&str, String)| Variable {
        name: name.to_owned(),
        value,
        presentation_hint: Hint::read_only(),
        ..Variable::default()
    };
    all.map(variable).collect()
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn parts_are_named_as_expressions_name_them() {
        let part = |whole, name| part_of(Some(whole), name);
        assert_eq!(part("p", "*").as_deref(), Some("(*p)"));
        assert_eq!(part("(*p)", "queue").as_deref(), Some("(*p).queue"));
        assert_eq!(part("a.b", "[3]").as_deref(), Some("a.b[3]"));
        assert_eq!(part("pair", "0").as_deref(), Some("pair.0"));
        assert_eq!(part("map", "[\"key\"]"), None);
        assert_eq!(part("x", "Base<int>"), None);
        assert_eq!(part_of(None, "x"), None);
    }
}
