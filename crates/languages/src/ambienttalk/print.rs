//! The formatter.

use borges_multiverse::language::Span;

use super::error::ParseError;
use super::lex::{Token, tokens};
use super::parse::parse;
use super::syntax::{Expr, ExprKind, Item, LiteralKind, Name, Operator};
use crate::layout;

/// A program in the usual layout: two spaces a level, a statement a line. Comments and blank lines
/// between statements are kept.
///
/// # Errors
/// [`ParseError`] if the text is no program. Names are not checked.
pub fn format(text: &str) -> Result<String, ParseError> {
    layout::with_comments(text, &print(text)?, layout::C, words)
}

/// The places of all words but those that may be missing.
fn words(text: &str) -> Result<Vec<Span>, ParseError> {
    let all = tokens(text)?.into_iter();
    let words =
        all.filter(|(token, _)| !matches!(token, Token::Sign(";" | "(" | ")" | "|") | Token::End));
    Ok(words.map(|(_, span)| span).collect())
}

fn print(text: &str) -> Result<String, ParseError> {
    let items = parse(text)?;
    let mut printer = Printer {
        text: String::new(),
        level: 0,
    };
    for item in &items {
        printer.item(item);
        printer.text.push_str(";\n");
    }
    Ok(printer.text)
}

struct Printer {
    text: String,
    level: usize,
}

/// How tightly an expression binds: an operand must bind as tightly as its place asks.
fn binding(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Assign(..) | ExprKind::AssignField(..) => 0,
        ExprKind::Binary(operator, _) => operator_binding(*operator),
        ExprKind::Negate(_) => 4,
        ExprKind::Integer(number) if *number < 0 => 4,
        ExprKind::Send { .. } => 5,
        // What ends with a brace reads as a primary, but for a message to it in a row of them.
        _ => 6,
    }
}

const fn operator_binding(operator: Operator) -> u8 {
    match operator {
        Operator::Multiply => 3,
        Operator::Add | Operator::Subtract => 2,
        _ => 1,
    }
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(self.level));
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Variable { name, value } => {
                self.push("def ");
                self.push(&name.text);
                if let Some(value) = value {
                    self.push(" := ");
                    self.expr(value, 0);
                }
            }
            Item::Method { name, params, body } => {
                self.push("def ");
                self.push(&name.text);
                self.push("(");
                self.names(params);
                self.push(") ");
                self.braces(&[], body);
            }
            Item::Expr(expr) => self.expr(expr, 0),
        }
    }

    fn names(&mut self, names: &[Name]) {
        let names: Vec<_> = names.iter().map(|name| name.text.as_str()).collect();
        self.push(&names.join(", "));
    }

    fn braces(&mut self, names: &[Name], body: &[Item]) {
        self.push("{");
        if !names.is_empty() {
            self.push("|");
            self.names(names);
            self.push("|");
        }
        self.level += 1;
        for (nth, item) in body.iter().enumerate() {
            if nth > 0 {
                self.push(";");
            }
            self.line();
            self.item(item);
        }
        self.level -= 1;
        if !body.is_empty() {
            self.line();
        }
        self.push("}");
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        for (nth, expr) in exprs.iter().enumerate() {
            if nth > 0 {
                self.push(", ");
            }
            self.expr(expr, 0);
        }
    }

    /// An expression where only those may stand that bind at least as tightly as `tight`.
    fn expr(&mut self, expr: &Expr, tight: u8) {
        if binding(expr) < tight {
            self.push("(");
            self.bare(expr);
            self.push(")");
        } else {
            self.bare(expr);
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Null => self.push("null"),
            ExprKind::True => self.push("true"),
            ExprKind::False => self.push("false"),
            ExprKind::SelfRef => self.push("self"),
            ExprKind::Integer(number) => self.push(&number.to_string()),
            ExprKind::Text(text) => self.quoted(text),
            ExprKind::Name(name) => self.push(name),
            ExprKind::Binary(operator, operands) => {
                let tight = operator_binding(*operator);
                // Comparisons do not chain; sums and products do to the left.
                self.expr(&operands.0, tight + u8::from(tight == 1));
                self.push(&format!(" {} ", operator.symbol()));
                self.expr(&operands.1, tight + 1);
            }
            ExprKind::Negate(operand) => {
                self.push("-");
                // A literal would become one with its sign.
                let literal = matches!(operand.kind, ExprKind::Integer(_));
                self.expr(operand, if literal { 7 } else { 4 });
            }
            ExprKind::Assign(name, value) => {
                self.push(&name.text);
                self.push(" := ");
                self.expr(value, 0);
            }
            ExprKind::AssignField(parts, name) => {
                self.expr(&parts.0, 6);
                self.push(&format!(".{} := ", name.text));
                self.expr(&parts.1, 0);
            }
            ExprKind::Field(receiver, name) => {
                self.expr(receiver, 6);
                self.push(&format!(".{}", name.text));
            }
            ExprKind::Call(name, arguments) => {
                self.push(&name.text);
                self.arguments(arguments);
            }
            ExprKind::Invoke(receiver, name, arguments) => {
                self.expr(receiver, 6);
                self.push(&format!(".{}", name.text));
                self.arguments(arguments);
            }
            ExprKind::Send {
                receiver,
                selector,
                arguments,
                two_way,
            } => {
                self.expr(receiver, 5);
                self.push(&format!("<-{}", selector.text));
                self.arguments(arguments);
                if *two_way {
                    self.push("@FutureMessage");
                }
            }
            ExprKind::When(parts) => {
                self.push("when: ");
                self.expr(&parts.0, 1);
                self.push(" becomes: ");
                self.bare(&parts.1);
            }
            ExprKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.push("if: ");
                self.expr(condition, 1);
                self.push(" then: ");
                self.braces(&[], then);
                if let Some(otherwise) = otherwise {
                    self.push(" else: ");
                    self.braces(&[], otherwise);
                }
            }
            ExprKind::Literal { kind, names, body } => {
                self.push(match kind {
                    LiteralKind::Actor => "actor: ",
                    LiteralKind::Object => "object: ",
                    LiteralKind::Isolate => "isolate: ",
                    LiteralKind::Block => "",
                });
                self.braces(names, body);
            }
            ExprKind::Println(arguments) => {
                self.push("system.println");
                self.arguments(arguments);
            }
        }
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        self.push("(");
        self.exprs(arguments);
        self.push(")");
    }

    fn quoted(&mut self, text: &str) {
        let escaped = text
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        self.push(&format!("\"{escaped}\""));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use borges_multiverse::random::Random;

    use super::*;
    use crate::ambienttalk::{actors, damage};

    /// Lays a text out, if it is a program, and says whether it was.
    fn check(text: &str) -> bool {
        let Ok(tree) = parse(text) else {
            return false;
        };
        let formatted = format(text).unwrap();
        assert_eq!(parse(&formatted).as_ref(), Ok(&tree), "{text}\n{formatted}");
        assert_eq!(format(&formatted).unwrap(), formatted, "{text}");
        true
    }

    #[test]
    fn a_layout_is_the_same_tree_and_stays_as_it_is() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/math-actor");
        let example = std::fs::read_to_string(folder.join("math.at")).unwrap();
        let all = "def o := object: { def f := -1; def g(x, y) { self.f := (x + y) * -(2) - (3 - 4) } };\n\
            def i := isolate: { |o| def b := { |x| if: (x == 1) then: { o<-m(\"a\\n\\\"\") } else: { null } } };\n\
            when: (o<-g(1, 2)@FutureMessage)<-h()@FutureMessage becomes: { |v| (v := 1) + 2; o.f.g.h(-(-1)) };";
        assert!(check(&example) && check(all));
        let mut others = 0;
        for seed in 0..500 {
            let text = actors::Writer::program(seed);
            assert!(check(&text));
            for text in [&example, all, &text] {
                others += u32::from(check(&damage::damaged(text, &mut Random::from_seed(seed))));
            }
        }
        assert!(others > 100, "too few of them are programs: {others}");
    }
}
