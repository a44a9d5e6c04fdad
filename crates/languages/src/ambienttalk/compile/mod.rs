//! From the tree to code: names are resolved, captured values are laid out.

mod forgive;

use std::collections::HashMap;

use borges_multiverse::language::Span;

use super::code::{
    Code, CodeId, Instr, Program, Selector, Site, SiteId, Symbol, Template, TemplateId,
};
use super::error::{ParseError, ParseErrorKind};
use super::scope::{Captured, Meaning, Open, Scope, Scopes, Spot, Unknown};
use super::syntax::{Expr, ExprKind, Item, LiteralKind, Name};
use super::value::Value;
use crate::text::{Forgiving, Kind};

pub(super) use forgive::resolve;

type Compiled<T> = Result<T, ParseError>;

/// Compiles the body of the main actor.
pub(super) fn compile(items: &[Item], length: usize) -> Compiled<Program> {
    let mut compiler = Compiler {
        program: Program::default(),
        symbols: HashMap::new(),
        scopes: Scopes::default(),
        forgiving: None,
    };
    compiler.whole(items, length)?;
    Ok(compiler.program)
}

pub(super) struct Compiler {
    program: Program,
    symbols: HashMap<String, Symbol>,
    /// The literals around the place that is compiled, outermost first.
    scopes: Scopes,
    /// If it goes on after mistakes in names: what they are, and what it notes.
    forgiving: Option<Forgiving<ParseErrorKind>>,
}

fn fail<T>(kind: ParseErrorKind, span: Span) -> Compiled<T> {
    Err(ParseError { kind, span })
}

impl Compiler {
    fn whole(&mut self, items: &[Item], length: usize) -> Compiled<()> {
        self.symbol("apply");
        self.symbol("init");
        // Within u32: the parser limits texts.
        let span = Span {
            start: 0,
            end: length as u32,
        };
        self.literal(LiteralKind::Actor, &[], items, span)?;
        Ok(())
    }

    fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.symbols.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.program.symbols.len() as u32);
        self.program.symbols.push(text.to_owned());
        self.symbols.insert(text.to_owned(), symbol);
        symbol
    }

    /// Compiles a literal, and says where in the scope around it its captured values come from.
    fn literal(
        &mut self,
        kind: LiteralKind,
        names: &[Name],
        body: &[Item],
        span: Span,
    ) -> Compiled<(TemplateId, Vec<Spot>)> {
        let template = TemplateId(self.program.templates.len() as u32);
        self.program.templates.push(Template {
            kind,
            slots: Vec::new(),
            captures: 0,
            methods: Vec::new(),
            init: CodeId(0),
        });
        let mut scope = Scope {
            kind,
            captures: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            meanings: Vec::new(),
            code: None,
        };
        if kind != LiteralKind::Block {
            self.take_in(&mut scope, names)?;
            self.declare(&mut scope, body)?;
        }
        self.scopes.0.push(scope);
        let (methods, init) = if kind == LiteralKind::Block {
            let code = self.code(Program::APPLY, names, body, span)?;
            (vec![(Program::APPLY, code)], code)
        } else {
            let mut methods = Vec::new();
            for item in body {
                if let Item::Method { name, params, body } = item {
                    let symbol = self.symbol(&name.text);
                    methods.push((symbol, self.code(symbol, params, body, name.span)?));
                }
            }
            (methods, self.code(Program::INIT, &[], body, span)?)
        };
        // Balanced with the push above; the code between returns early on errors only, and then
        // nothing is compiled further.
        let Some(scope) = self.scopes.0.pop() else {
            return fail(ParseErrorKind::Deep, span);
        };
        let self_symbol = self.symbol("self");
        let slots = scope
            .captures
            .iter()
            .map(|(captured, _)| match captured {
                Captured::Variable(symbol) => *symbol,
                Captured::SelfOf(_) => self_symbol,
            })
            .chain(scope.fields.iter().copied())
            .collect();
        let captures = u16::try_from(scope.captures.len());
        let finished = &mut self.program.templates[template.0 as usize];
        finished.captures = captures.or_else(|_| fail(ParseErrorKind::ManyArguments, span))?;
        finished.slots = slots;
        finished.methods = methods;
        finished.init = init;
        let sources = scope.captures.into_iter().map(|(_, source)| source);
        Ok((template, sources.collect()))
    }

    /// What `|…|` of an actor or isolate takes from around it.
    fn take_in(&mut self, scope: &mut Scope, names: &[Name]) -> Compiled<()> {
        for name in names {
            let symbol = self.symbol(&name.text);
            if scope
                .captures
                .iter()
                .any(|(c, _)| *c == Captured::Variable(symbol))
            {
                self.forgive(ParseErrorKind::Twice(name.text.clone()), name.span)?;
                continue;
            }
            let Some(around) = self.scopes.0.len().checked_sub(1) else {
                return fail(ParseErrorKind::UnknownName(name.text.clone()), name.span);
            };
            let place = match self.scopes.resolve(around, symbol) {
                Ok(Meaning::Value(place)) => place,
                // A field is read when the literal is evaluated: into a variable of its own.
                Ok(Meaning::Field(place)) => {
                    let slot = self.hidden(name.span)?;
                    self.place(place, name.span);
                    self.emit(Instr::FieldAccess(symbol), name.span);
                    self.emit(Instr::Let(slot), name.span);
                    self.emit(Instr::Pop, name.span);
                    Spot::Local(slot)
                }
                Ok(Meaning::Method(..)) => {
                    self.forgive(ParseErrorKind::Method(name.text.clone()), name.span)?;
                    continue;
                }
                Err(unknown) => {
                    self.unknown(name, &unknown)?;
                    continue;
                }
            };
            self.note_use(around, symbol, name.span);
            self.notes(|notes| notes.taken.extend(notes.uses.last()));
            scope.captures.push((Captured::Variable(symbol), place));
        }
        Ok(())
    }

    /// The fields and methods of an object: they are known everywhere in it.
    fn declare(&mut self, scope: &mut Scope, body: &[Item]) -> Compiled<()> {
        for item in body {
            let name = match item {
                Item::Variable { name, .. } | Item::Method { name, .. } => name,
                Item::Expr(_) => continue,
            };
            let symbol = self.symbol(&name.text);
            let twice = scope.fields.contains(&symbol)
                || scope.methods.iter().any(|(method, _)| *method == symbol)
                || scope
                    .captures
                    .iter()
                    .any(|(c, _)| *c == Captured::Variable(symbol));
            if twice {
                self.forgive(ParseErrorKind::Twice(name.text.clone()), name.span)?;
                continue;
            }
            let meaning = match item {
                Item::Method { params, .. } => {
                    scope.methods.push((symbol, params.len()));
                    self.note(Kind::Method, name, None)
                }
                Item::Variable { value, .. } => {
                    scope.fields.push(symbol);
                    self.note(Kind::Field, name, value.as_ref())
                }
                Item::Expr(_) => continue,
            };
            self.notes(|notes| notes.meaning(meaning).is_member = true);
            scope.meanings.push((symbol, meaning));
        }
        Ok(())
    }

    fn unknown(&mut self, name: &Name, unknown: &Unknown) -> Compiled<()> {
        let text = name.text.clone();
        let kind = match unknown {
            Unknown::Nowhere => ParseErrorKind::UnknownName(text),
            Unknown::Outside(LiteralKind::Isolate) => ParseErrorKind::Outside(text, "isolate"),
            Unknown::Outside(_) => ParseErrorKind::Outside(text, "actor"),
        };
        self.forgive(kind, name.span)
    }

    /// Compiles a method, a block or (with the name `init`) an initialiser.
    fn code(
        &mut self,
        name: Symbol,
        params: &[Name],
        body: &[Item],
        span: Span,
    ) -> Compiled<CodeId> {
        let mut open = Open::default();
        let around = self.scopes.0.last().map(|scope| scope.kind);
        let kind = match around == Some(LiteralKind::Block) {
            true => Kind::Given,
            false => Kind::Parameter,
        };
        for param in params {
            let symbol = self.symbol(&param.text);
            if open.names.contains(&symbol) {
                self.forgive(ParseErrorKind::Twice(param.text.clone()), param.span)?;
            }
            // A block of `when:` has a parameter also where the text has none.
            if !param.text.is_empty() {
                let meaning = self.note(kind, param, None);
                open.meanings.push((open.names.len() as u16, meaning));
            }
            open.visible.push((symbol, open.names.len() as u16));
            open.names.push(symbol);
        }
        let depth = self.scopes.0.len() - 1;
        self.scopes.0[depth].code = Some(open);
        let is_init = name == Program::INIT;
        self.items(body, is_init, span)?;
        self.emit(Instr::Return, span);
        let Some(open) = self.scopes.0[depth].code.take() else {
            return fail(ParseErrorKind::Deep, span);
        };
        let changed = open
            .assigned
            .iter()
            .find(|(slot, _)| open.captured.contains(slot));
        if let Some((slot, at)) = changed {
            let name = self.program.name(open.names[usize::from(*slot)]).to_owned();
            self.forgive(ParseErrorKind::Captured(name), *at)?;
        }
        let id = CodeId(self.program.codes.len() as u32);
        self.program.codes.push(Code {
            name,
            params: params.len() as u16,
            locals: open.names.len() as u16,
            instrs: open.instrs,
            spans: open.spans,
            local_names: open.names,
        });
        Ok(id)
    }

    /// Statements; the value of the last is their value.
    fn items(&mut self, items: &[Item], is_init: bool, span: Span) -> Compiled<()> {
        let statements: Vec<_> = items
            .iter()
            .filter(|item| !(is_init && matches!(item, Item::Method { .. })))
            .filter(|item| !(is_init && matches!(item, Item::Variable { value: None, .. })))
            .collect();
        if statements.is_empty() {
            self.emit(Instr::Const(Value::Null), span);
        }
        for (nth, item) in statements.iter().enumerate() {
            if nth > 0 {
                self.emit(Instr::Pop, span);
            }
            match item {
                Item::Expr(expr) => self.expr(expr)?,
                Item::Method { name, .. } => {
                    self.forgive(ParseErrorKind::StrayMethod, name.span)?
                }
                Item::Variable { name, value } if is_init => {
                    let symbol = self.symbol(&name.text);
                    self.emit(Instr::Me, name.span);
                    if let Some(value) = value {
                        self.expr(value)?;
                    }
                    self.emit(Instr::FieldUpdate(symbol), name.span);
                }
                Item::Variable { name, value } => self.variable(name, value.as_ref())?,
            }
        }
        Ok(())
    }

    /// `def x := e` in a method or block.
    fn variable(&mut self, name: &Name, value: Option<&Expr>) -> Compiled<()> {
        let symbol = self.symbol(&name.text);
        match value {
            Some(value) => self.expr(value)?,
            None => self.emit(Instr::Const(Value::Null), name.span),
        }
        let slot = self.slot(symbol, name.span)?;
        let seen = &self.open().visible;
        if seen.iter().any(|(known, _)| *known == symbol) {
            self.forgive(ParseErrorKind::Twice(name.text.clone()), name.span)?;
        }
        let meaning = self.note(Kind::Variable, name, value);
        let open = self.open();
        open.meanings.push((slot, meaning));
        open.visible.push((symbol, slot));
        self.emit(Instr::Let(slot), name.span);
        Ok(())
    }

    fn slot(&mut self, symbol: Symbol, span: Span) -> Compiled<u16> {
        let open = self.open();
        let slot = u16::try_from(open.names.len());
        open.names.push(symbol);
        slot.or_else(|_| fail(ParseErrorKind::ManyArguments, span))
    }

    /// A variable without a name.
    fn hidden(&mut self, span: Span) -> Compiled<u16> {
        let symbol = self.symbol("");
        self.slot(symbol, span)
    }

    fn open(&mut self) -> &mut Open {
        let scope = self
            .scopes
            .0
            .last_mut()
            .and_then(|scope| scope.code.as_mut());
        scope.expect("expressions are compiled within code")
    }

    fn emit(&mut self, instr: Instr, span: Span) {
        let open = self.open();
        open.instrs.push(instr);
        open.spans.push(span);
    }

    /// Reserves a jump; [`Compiler::land`] says where it leads.
    fn jump(&mut self, instr: Instr, span: Span) -> usize {
        self.emit(instr, span);
        self.open().instrs.len() - 1
    }

    fn land(&mut self, jump: usize) {
        let open = self.open();
        let here = open.instrs.len() as u32;
        match &mut open.instrs[jump] {
            Instr::Jump(to) | Instr::If(to) => *to = here,
            _ => {}
        }
    }

    fn place(&mut self, place: Spot, span: Span) {
        let instr = match place {
            Spot::Local(slot) => Instr::Load(slot),
            Spot::Capture(slot) => Instr::Capture(slot),
            Spot::Me => Instr::Me,
        };
        self.emit(instr, span);
    }

    fn expr(&mut self, expr: &Expr) -> Compiled<()> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Null => self.emit(Instr::Const(Value::Null), span),
            ExprKind::True => self.emit(Instr::Const(Value::Boolean(true)), span),
            ExprKind::False => self.emit(Instr::Const(Value::Boolean(false)), span),
            ExprKind::Integer(n) => self.emit(Instr::Const(Value::Integer(*n)), span),
            ExprKind::Text(text) => {
                let known = self.program.texts.iter().position(|known| known == text);
                let number = known.unwrap_or_else(|| {
                    self.program.texts.push(text.clone());
                    self.program.texts.len() - 1
                });
                self.emit(Instr::Const(Value::Text(number as u32)), span);
            }
            ExprKind::SelfRef => {
                let place = self.scopes.self_place(self.scopes.0.len() - 1);
                self.place(place, span);
            }
            ExprKind::Name(text) => self.named(text, span)?,
            ExprKind::Binary(operator, operands) => {
                self.expr(&operands.0)?;
                self.expr(&operands.1)?;
                self.emit(Instr::Arithmetic(*operator), span);
            }
            ExprKind::Negate(operand) => {
                self.expr(operand)?;
                self.emit(Instr::Negate, span);
            }
            ExprKind::Assign(name, value) => self.assign(name, value, span)?,
            ExprKind::AssignField(parts, name) => {
                self.expr(&parts.0)?;
                self.expr(&parts.1)?;
                let symbol = self.symbol(&name.text);
                self.note_selector(name);
                self.emit(Instr::FieldUpdate(symbol), span);
            }
            ExprKind::Field(receiver, name) => {
                self.note_selector(name);
                self.expr(receiver)?;
                let symbol = self.symbol(&name.text);
                self.emit(Instr::FieldAccess(symbol), span);
            }
            ExprKind::Call(name, arguments) => self.call(name, arguments, span)?,
            ExprKind::Invoke(receiver, name, arguments) => {
                self.note_selector(name);
                self.expr(receiver)?;
                self.exprs(arguments)?;
                let symbol = self.symbol(&name.text);
                self.emit(Instr::Invoke(symbol, arguments.len() as u8), span);
            }
            ExprKind::Send {
                receiver,
                selector,
                arguments,
                two_way,
            } => {
                self.expr(receiver)?;
                self.exprs(arguments)?;
                let symbol = self.symbol(&selector.text);
                self.note_selector(selector);
                let selector = Selector::Method(symbol);
                self.send(symbol, selector, arguments.len() as u8, *two_way, span);
            }
            ExprKind::When(parts) => {
                self.expr(&parts.0)?;
                self.callback(&parts.1)?;
                let symbol = self.symbol("when");
                let head = Span {
                    end: parts.0.span.end,
                    ..span
                };
                self.send(symbol, Selector::Register, 1, true, head);
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then, otherwise.as_deref(), span)?,
            ExprKind::Literal { kind, names, body } => self.make(*kind, names, body, span)?,
            ExprKind::Println(arguments) => {
                self.exprs(arguments)?;
                self.emit(Instr::Println(arguments.len() as u8), span);
            }
        }
        Ok(())
    }

    fn make(
        &mut self,
        kind: LiteralKind,
        names: &[Name],
        body: &[Item],
        span: Span,
    ) -> Compiled<()> {
        self.notes(|notes| notes.literals.push((kind.made(), span)));
        let (template, sources) = self.literal(kind, names, body, span)?;
        for source in sources {
            self.place(source, span);
        }
        let instr = match kind {
            LiteralKind::Actor => Instr::NewActor(template),
            _ => Instr::NewObject(template),
        };
        self.emit(instr, span);
        Ok(())
    }

    /// The block of `when:`. It is given the value, also if it has no name for it.
    fn callback(&mut self, block: &Expr) -> Compiled<()> {
        match &block.kind {
            ExprKind::Literal { kind, names, body } if names.is_empty() => {
                let unnamed = Name {
                    text: String::new(),
                    span: block.span,
                };
                self.make(*kind, &[unnamed], body, block.span)
            }
            _ => self.expr(block),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Compiled<()> {
        exprs.iter().try_for_each(|expr| self.expr(expr))
    }

    fn send(&mut self, name: Symbol, selector: Selector, arguments: u8, two_way: bool, span: Span) {
        let site = SiteId(self.program.sites.len() as u32);
        self.program.sites.push(Site {
            span,
            selector: name,
        });
        if two_way {
            self.emit(Instr::MakeFuture, span);
        }
        self.emit(
            Instr::Send {
                site,
                selector,
                arguments,
                two_way,
            },
            span,
        );
    }

    /// What a name means, which is noted; nothing after a mistake that was forgiven.
    fn meaning(&mut self, text: &str, span: Span) -> Compiled<Option<(Symbol, Meaning)>> {
        let symbol = self.symbol(text);
        let here = self.scopes.0.len() - 1;
        match self.scopes.resolve(here, symbol) {
            Ok(meaning) => {
                self.note_use(here, symbol, span);
                Ok(Some((symbol, meaning)))
            }
            Err(unknown) => {
                let text = text.to_owned();
                self.unknown(&Name { text, span }, &unknown)?;
                Ok(None)
            }
        }
    }

    fn named(&mut self, text: &str, span: Span) -> Compiled<()> {
        let Some((symbol, meaning)) = self.meaning(text, span)? else {
            return Ok(());
        };
        match meaning {
            Meaning::Value(place) => self.place(place, span),
            Meaning::Field(place) => {
                self.place(place, span);
                self.emit(Instr::FieldAccess(symbol), span);
            }
            Meaning::Method(..) => self.forgive(ParseErrorKind::Method(text.to_owned()), span)?,
        }
        Ok(())
    }

    fn assign(&mut self, name: &Name, value: &Expr, span: Span) -> Compiled<()> {
        let Some((symbol, meaning)) = self.meaning(&name.text, name.span)? else {
            return self.expr(value);
        };
        match meaning {
            Meaning::Value(Spot::Local(slot)) => {
                self.expr(value)?;
                self.open().assigned.push((slot, name.span));
                self.emit(Instr::Let(slot), span);
            }
            Meaning::Value(_) => {
                self.forgive(ParseErrorKind::Captured(name.text.clone()), name.span)?;
                self.expr(value)?;
            }
            Meaning::Field(place) => {
                self.place(place, span);
                self.expr(value)?;
                self.emit(Instr::FieldUpdate(symbol), span);
            }
            Meaning::Method(..) => {
                self.forgive(ParseErrorKind::Method(name.text.clone()), name.span)?;
                self.expr(value)?;
            }
        }
        Ok(())
    }

    /// `m(e)`: a method of this object or of one around it, or a block in a variable.
    fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Compiled<()> {
        let Some((symbol, meaning)) = self.meaning(&name.text, name.span)? else {
            return self.exprs(arguments);
        };
        let given = arguments.len();
        if let Meaning::Method(_, takes) = meaning
            && takes != given
        {
            let name = name.text.clone();
            self.forgive(ParseErrorKind::Arity { name, takes, given }, span)?;
        }
        let method = match meaning {
            Meaning::Method(place, _) => {
                self.place(place, span);
                symbol
            }
            Meaning::Value(place) => {
                self.place(place, span);
                Program::APPLY
            }
            Meaning::Field(place) => {
                self.place(place, span);
                self.emit(Instr::FieldAccess(symbol), span);
                Program::APPLY
            }
        };
        self.exprs(arguments)?;
        self.emit(Instr::Invoke(method, given as u8), span);
        Ok(())
    }

    fn conditional(
        &mut self,
        condition: &Expr,
        then: &[Item],
        otherwise: Option<&[Item]>,
        span: Span,
    ) -> Compiled<()> {
        self.expr(condition)?;
        let head = Span {
            end: condition.span.end,
            ..span
        };
        let to_else = self.jump(Instr::If(0), head);
        self.branch(then, span)?;
        let to_end = self.jump(Instr::Jump(0), span);
        self.land(to_else);
        self.branch(otherwise.unwrap_or_default(), span)?;
        self.land(to_end);
        Ok(())
    }

    /// Statements whose variables are seen by themselves only.
    fn branch(&mut self, items: &[Item], span: Span) -> Compiled<()> {
        let seen = self.open().visible.len();
        self.items(items, false, span)?;
        self.open().visible.truncate(seen);
        Ok(())
    }
}
