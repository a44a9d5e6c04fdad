//! The rules: what an actor does next, and doing it.

use std::sync::Arc;

use super::birth::ActorId;
use super::code::{CodeId, Instr, Program, Selector, Symbol, TemplateId};
use super::passing::{apply, forwarded, renamed, send};
pub(super) use super::rule::{Effect, Operands, Process, Rule};
use super::state::{Actor, Frame, State, Stuck, Turn};
use super::syntax::{LiteralKind, Operator};
use super::value::{Entity, Future, Message, Object, Value};

/// The most calls within each other.
const MAX_FRAMES: usize = 1000;

/// The most objects of an actor.
const MAX_HEAP: usize = 1 << 16;

impl Program {
    /// The initial configuration: the main actor, about to initialise.
    pub(super) fn initial(&self) -> State {
        let actor = self.new_actor(ActorId::MAIN, Self::MAIN, &[], Vec::new());
        State {
            actors: Box::new([Arc::new(actor)]),
            channels: Box::new([]),
        }
    }

    /// An actor with one object and an empty inbox; initialising is its first action.
    fn new_actor(
        &self,
        id: ActorId,
        literal: TemplateId,
        captures: &[Value],
        copies: Vec<Object>,
    ) -> Actor {
        let mut actor = Actor {
            id,
            ..Actor::default()
        };
        let template = self.template(literal);
        let mut slots = captures.to_vec();
        slots.resize(template.slots.len(), Value::Null);
        // The own object gets the first name; what it captures is named after it.
        actor.allocate(Entity::Object(Object {
            template: literal,
            slots,
        }));
        let names = actor.unpack(copies);
        if let Some(object) = actor.object_mut(0) {
            for value in &mut object.slots {
                *value = renamed(*value, id, &names);
            }
        }
        actor.export(Value::Object(id, 0));
        actor.frames.push(Frame {
            code: template.init,
            pc: 0,
            me: 0,
            yields_me: true,
            values: vec![Value::Null; usize::from(self.code(template.init).locals)],
        });
        self.settle(&mut actor);
        self.seal(&mut actor);
        actor
    }

    /// Notes what is derived from an actor's content.
    pub(super) fn seal(&self, actor: &mut Actor) {
        actor.stuck = self.next_rule(actor).err();
        actor.digest();
    }

    /// The rule that applies next; none if the actor waits for a message.
    ///
    /// # Errors
    /// Why no rule applies and none ever will.
    pub(super) fn next_rule(&self, actor: &Actor) -> Result<Option<Rule>, Stuck> {
        if let Some(frame) = actor.frames.last() {
            let Some(instr) = self.code(frame.code).instrs.get(frame.pc as usize) else {
                return Ok(None);
            };
            return self.instruction(actor, frame, *instr).map(Some);
        }
        if let Some(message) = actor.outbox.first() {
            return Ok(Some(Rule::SendResult((**message).clone())));
        }
        let Some(message) = actor.inbox.first() else {
            return Ok(None);
        };
        self.processing(actor, message)
            .map(|process| Some(Rule::Process(process)))
    }

    fn instruction(&self, actor: &Actor, frame: &Frame, instr: Instr) -> Result<Rule, Stuck> {
        let operands = Operands(&frame.values);
        Ok(match instr {
            Instr::Let(slot) => Rule::Let(slot),
            Instr::Arithmetic(operator) => {
                let value = arithmetic(operator, operands.below_top(1), operands.below_top(0))?;
                Rule::Arithmetic(2, value)
            }
            Instr::Negate => {
                let value =
                    arithmetic(Operator::Subtract, Value::Integer(0), operands.below_top(0))?;
                Rule::Arithmetic(1, value)
            }
            Instr::If(otherwise) => match operands.below_top(0) {
                Value::Boolean(true) => Rule::If(frame.pc + 1),
                Value::Boolean(false) => Rule::If(otherwise),
                _ => return Err(Stuck::NoBoolean),
            },
            Instr::NewObject(template) => {
                room(actor, 1)?;
                let init = &self.template(template).kind;
                if *init != LiteralKind::Block && actor.frames.len() >= MAX_FRAMES {
                    return Err(Stuck::Deep);
                }
                Rule::NewObject(template)
            }
            Instr::NewActor(template) => {
                let child = actor.id.child(actor.children);
                Rule::NewActor(template, child.ok_or(Stuck::Generations)?)
            }
            Instr::Invoke(name, arguments) => {
                let arguments = usize::from(arguments);
                let (me, object) = own(actor, operands.below_top(arguments))?;
                let code = self.method(object, name, arguments)?;
                if actor.frames.len() >= MAX_FRAMES {
                    return Err(Stuck::Deep);
                }
                Rule::Invoke {
                    code,
                    me,
                    arguments,
                }
            }
            Instr::FieldAccess(name) => {
                let (_, object) = own(actor, operands.below_top(0))?;
                let slot = self.template(object.template).field(name);
                Rule::FieldAccess(object.slots[slot.ok_or(Stuck::NoField)?])
            }
            Instr::FieldUpdate(name) => {
                let (me, object) = own(actor, operands.below_top(1))?;
                let slot = self.template(object.template).field(name);
                Rule::FieldUpdate {
                    me,
                    slot: slot.ok_or(Stuck::NoField)?,
                }
            }
            Instr::MakeFuture => {
                room(actor, 1)?;
                Rule::MakeFuture
            }
            Instr::Send {
                site,
                selector,
                arguments,
                two_way,
            } => send(&operands, site, selector, usize::from(arguments), two_way)?,
            Instr::Println(arguments) => Rule::Println(usize::from(arguments)),
            // `settle` leaves no other instruction behind.
            _ => Rule::If(frame.pc + 1),
        })
    }

    fn method(&self, object: &Object, name: Symbol, arguments: usize) -> Result<CodeId, Stuck> {
        let code = self.template(object.template).method(name);
        let code = code.ok_or(Stuck::NoMethod)?;
        if usize::from(self.code(code).params) == arguments {
            Ok(code)
        } else {
            Err(Stuck::Arity)
        }
    }

    fn processing(&self, actor: &Actor, message: &Message) -> Result<Process, Stuck> {
        room(actor, message.copies.len())?;
        Ok(match (message.receiver, message.selector) {
            (Value::Resolver(_, future), _) => Process::Resolve { future },
            (Value::Future(_, future), _) => match actor.future(future) {
                Some(Future::Pending(_)) => Process::Store { future },
                Some(Future::Resolved(value)) => {
                    forwarded(message, *value)?;
                    Process::Forward { value: *value }
                }
                None => return Err(Stuck::NoObject),
            },
            (Value::Object(_, me), Selector::Register) => {
                match message.arguments.first().copied() {
                    Some(Value::Object(owner, block)) if owner == actor.id => {
                        let object = actor.object(block).ok_or(Stuck::NoObject)?;
                        let code = self.method(object, Self::APPLY, 1)?;
                        Process::Callback { code, block, me }
                    }
                    _ => Process::FarCallback { me },
                }
            }
            (Value::Object(_, me), Selector::Method(name)) => {
                let object = actor.object(me).ok_or(Stuck::NoObject)?;
                let code = self.method(object, name, message.arguments.len())?;
                Process::Method { code, me }
            }
            _ => return Err(Stuck::NoObject),
        })
    }

    /// Takes one rule, and what leads to the next without a rule.
    pub(super) fn take(&self, actor: &mut Actor, rule: Rule, numbered: bool) -> Option<Effect> {
        let effect = match rule {
            Rule::Process(process) => {
                self.process(actor, process, numbered);
                None
            }
            Rule::SendResult(message) => {
                actor.outbox.remove(0);
                actor.send(self, message)
            }
            Rule::Send {
                message,
                operands,
                value,
            } => {
                actor.finish(operands, value);
                actor.send(self, message)
            }
            Rule::NewActor(template, child) => {
                let captures = usize::from(self.template(template).captures);
                let mut values = actor.top(captures).to_vec();
                let mut copies = Vec::new();
                actor.pack(self, &mut values, &mut copies);
                actor.children += 1;
                actor.finish(captures, Value::Object(child, 0));
                let created = self.new_actor(child, template, &values, copies);
                Some(Effect::Create(Box::new(created)))
            }
            local => {
                self.local(actor, local);
                None
            }
        };
        self.settle(actor);
        effect
    }

    /// The rules that nobody else notices.
    fn local(&self, actor: &mut Actor, rule: Rule) {
        let top = actor.top(1).first().copied().unwrap_or(Value::Null);
        match rule {
            Rule::Let(slot) => {
                if let Some(frame) = actor.frames.last_mut() {
                    frame.values[usize::from(slot)] = top;
                    frame.pc += 1;
                }
            }
            Rule::Arithmetic(operands, value) => actor.finish(operands, value),
            Rule::If(to) => {
                if let Some(frame) = actor.frames.last_mut() {
                    frame.values.pop();
                    frame.pc = to;
                }
            }
            Rule::FieldAccess(value) => actor.finish(1, value),
            Rule::FieldUpdate { me, slot } => {
                if let Some(object) = actor.object_mut(me) {
                    object.slots[slot] = top;
                }
                actor.finish(2, top);
            }
            Rule::MakeFuture => {
                let future = actor.allocate(Entity::Future(Future::Pending(Vec::new())));
                let value = Value::Future(actor.id, future);
                actor.finish(0, value);
            }
            Rule::Println(arguments) => {
                let words: Vec<_> = actor.top(arguments).iter().map(|v| self.text(*v)).collect();
                actor.output.push(words.concat().into());
                actor.finish(arguments, Value::Null);
            }
            Rule::NewObject(literal) => self.new_object(actor, literal),
            Rule::Invoke {
                code,
                me,
                arguments,
            } => {
                let values = actor.top(arguments).to_vec();
                if let Some(frame) = actor.frames.last_mut() {
                    let rest = frame.values.len() - arguments - 1;
                    frame.values.truncate(rest);
                    frame.pc += 1;
                }
                self.call(actor, code, me, values);
            }
            // The others are taken by `take`.
            Rule::NewActor(..) | Rule::Send { .. } | Rule::SendResult(_) | Rule::Process(_) => {}
        }
    }

    /// A new object or isolate: its fields are null, then it is initialised.
    fn new_object(&self, actor: &mut Actor, literal: TemplateId) {
        let template = self.template(literal);
        let captures = usize::from(template.captures);
        let mut slots = actor.top(captures).to_vec();
        slots.resize(template.slots.len(), Value::Null);
        let me = actor.allocate(Entity::Object(Object {
            template: literal,
            slots,
        }));
        if template.kind == LiteralKind::Block {
            actor.finish(captures, Value::Object(actor.id, me));
            return;
        }
        if let Some(frame) = actor.frames.last_mut() {
            let rest = frame.values.len() - captures;
            frame.values.truncate(rest);
            frame.pc += 1;
        }
        self.call(actor, template.init, me, Vec::new());
        if let Some(frame) = actor.frames.last_mut() {
            frame.yields_me = true;
        }
    }

    fn call(&self, actor: &mut Actor, code: CodeId, me: u32, mut values: Vec<Value>) {
        values.resize(usize::from(self.code(code).locals), Value::Null);
        actor.frames.push(Frame {
            code,
            pc: 0,
            me,
            yields_me: false,
            values,
        });
    }

    /// Takes the oldest message from the inbox.
    fn process(&self, actor: &mut Actor, process: Process, numbered: bool) {
        let message = Arc::unwrap_or_clone(actor.inbox.remove(0));
        actor.taken += u32::from(numbered);
        let mut turn = Turn {
            site: message.site,
            code: None,
            resolver: None,
        };
        match process {
            Process::Store { future } => {
                if let Some(Future::Pending(queue)) = actor.future_mut(future) {
                    queue.push(message);
                }
            }
            Process::Forward { value } => {
                actor
                    .outbox
                    .extend(forwarded(&message, value).ok().map(Arc::new));
            }
            Process::Resolve { future } => actor.resolve(future, message),
            Process::Method { code, me } => {
                turn.code = Some(code);
                turn.resolver = message.resolver;
                let names = actor.unpack(message.copies);
                let id = actor.id;
                let arguments = message.arguments.into_iter();
                let values = arguments.map(|value| renamed(value, id, &names)).collect();
                self.call(actor, code, me, values);
            }
            Process::Callback { code, block, me } => {
                turn.code = Some(code);
                turn.resolver = message.resolver;
                let argument = Value::Object(actor.id, me);
                self.call(actor, code, block, vec![argument]);
            }
            Process::FarCallback { me } => {
                let callback = message.arguments.first().copied().unwrap_or(Value::Null);
                let argument = Value::Object(actor.id, me);
                let apply = apply(&message, callback, argument);
                actor.outbox.push(Arc::new(apply));
            }
        }
        actor.turn = Some(turn);
    }

    /// Takes everything that is no rule, up to the next rule or the end of the turn.
    fn settle(&self, actor: &mut Actor) {
        while let Some(frame) = actor.frames.last_mut() {
            let code = self.code(frame.code);
            let me = Value::Object(actor.id, frame.me);
            let instr = code.instrs.get(frame.pc as usize).copied();
            match instr.unwrap_or(Instr::Return) {
                Instr::Const(value) => frame.values.push(value),
                Instr::Load(slot) => frame.values.push(frame.values[usize::from(slot)]),
                Instr::Me => frame.values.push(me),
                Instr::Capture(slot) => {
                    let own = frame.me;
                    let object = actor.object(own).map(|object| &object.slots);
                    let value = object.and_then(|slots| slots.get(usize::from(slot)).copied());
                    if let Some(frame) = actor.frames.last_mut() {
                        frame.values.push(value.unwrap_or(Value::Null));
                        frame.pc += 1;
                    }
                    continue;
                }
                Instr::Pop => {
                    frame.values.pop();
                }
                Instr::Jump(to) => {
                    frame.pc = to;
                    continue;
                }
                Instr::Return => {
                    self.end_call(actor);
                    continue;
                }
                _ => return,
            }
            frame.pc += 1;
        }
        if actor.outbox.is_empty() {
            actor.turn = None;
            actor.collect();
        }
    }

    /// The innermost call is a value; the outermost one's is the result of the message.
    fn end_call(&self, actor: &mut Actor) {
        let Some(frame) = actor.frames.pop() else {
            return;
        };
        let value = if frame.yields_me {
            Value::Object(actor.id, frame.me)
        } else {
            frame.values.last().copied().unwrap_or(Value::Null)
        };
        if let Some(caller) = actor.frames.last_mut() {
            caller.values.push(value);
            return;
        }
        if let Some(turn) = &mut actor.turn
            && let Some(resolver) = turn.resolver.take()
        {
            actor.outbox.push(Arc::new(Message {
                site: turn.site,
                receiver: resolver,
                selector: Selector::Resolve,
                arguments: vec![value],
                resolver: None,
                copies: Vec::new(),
                forwarded: false,
            }));
        }
    }

    /// A value as it is printed.
    pub(super) fn text(&self, value: Value) -> String {
        match value {
            Value::Null => "null".to_owned(),
            Value::Boolean(value) => value.to_string(),
            Value::Integer(value) => value.to_string(),
            Value::Text(text) => self.texts.get(text as usize).cloned().unwrap_or_default(),
            Value::Object(..) => "<object>".to_owned(),
            Value::Future(..) => "<future>".to_owned(),
            Value::Resolver(..) => "<resolver>".to_owned(),
            Value::Copy(_) => "<isolate>".to_owned(),
        }
    }
}

impl Actor {
    fn top(&self, count: usize) -> &[Value] {
        let frame = self.frames.last();
        frame.map_or(&[], |frame| {
            &frame.values[frame.values.len().saturating_sub(count)..]
        })
    }

    /// Ends an instruction: its operands become its value.
    fn finish(&mut self, operands: usize, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            let rest = frame.values.len().saturating_sub(operands);
            frame.values.truncate(rest);
            frame.values.push(value);
            frame.pc += 1;
        }
    }
}

/// The object behind a reference, which must belong to the actor.
fn own(actor: &Actor, value: Value) -> Result<(u32, &Object), Stuck> {
    match value {
        Value::Object(owner, name) if owner == actor.id => {
            let object = actor.object(name).ok_or(Stuck::NoObject)?;
            Ok((name, object))
        }
        Value::Object(..) | Value::Future(..) => Err(Stuck::Far),
        _ => Err(Stuck::NoObject),
    }
}

fn room(actor: &Actor, needed: usize) -> Result<(), Stuck> {
    if actor.heap.len() + needed > MAX_HEAP {
        return Err(Stuck::Heap);
    }
    Ok(())
}

fn arithmetic(operator: Operator, left: Value, right: Value) -> Result<Value, Stuck> {
    match operator {
        Operator::Equal => return Ok(Value::Boolean(left == right)),
        Operator::Unequal => return Ok(Value::Boolean(left != right)),
        _ => {}
    }
    let (Value::Integer(left), Value::Integer(right)) = (left, right) else {
        return Err(Stuck::NoInteger);
    };
    let number = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        Operator::Less => return Ok(Value::Boolean(left < right)),
        Operator::LessEqual => return Ok(Value::Boolean(left <= right)),
        Operator::Greater => return Ok(Value::Boolean(left > right)),
        Operator::GreaterEqual => return Ok(Value::Boolean(left >= right)),
        Operator::Equal | Operator::Unequal => return Ok(Value::Boolean(left == right)),
    };
    number.map(Value::Integer).ok_or(Stuck::Overflow)
}
