//! The names in an expression, to ask for them before it is evaluated.

use super::{Expression, ExpressionError, ExpressionErrorKind, Known, Node, NodeKind, WasmThing};
use crate::DebugInfo;

impl Expression {
    /// The names of variables in it, and the locals without a name as `$0`, each once.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for node in self.root.all() {
            let name = match &node.kind {
                NodeKind::Name(name) => name.clone(),
                NodeKind::Wasm(WasmThing::Local, index) => format!("${index}"),
                _ => continue,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Every name in it that must mean something, as an expression of its own at the same column.
    pub fn mentions(&self) -> Vec<Expression> {
        let all = self.root.all().into_iter();
        all.filter_map(|node| match &node.kind {
            NodeKind::Name(name) => Some(Expression {
                text: name.clone(),
                root: node.clone(),
            }),
            _ => None,
        })
        .collect()
    }

    /// The names of what is called in it, each as often as it is, and with how many arguments.
    pub fn calls(&self) -> Vec<(&str, usize)> {
        let all = self.root.all().into_iter();
        all.filter_map(|node| match &node.kind {
            NodeKind::Call(name, arguments) => Some((name.as_str(), arguments.len())),
            _ => None,
        })
        .collect()
    }
}

impl DebugInfo {
    /// Refuses an expression with a field that no value of the program can have: whatever is shown then, it has none.
    ///
    /// # Errors
    /// [`ExpressionErrorKind::UnknownField`], with the fields that are nearly called so.
    pub fn check_fields(&self, expression: &Expression) -> Result<(), ExpressionError> {
        for node in expression.root.all() {
            let NodeKind::Field(_, field) = &node.kind else {
                continue;
            };
            // A part of a tuple; or a global or an enumerator behind what it belongs to.
            let is_last = |name: &str| name.rsplit(['.', ':']).next() == Some(field);
            let is_known = field.bytes().all(|digit| digit.is_ascii_digit())
                || self.types().parts().any(|part| part == field)
                || self.types().has_enumerator(field)
                || self.globals().iter().any(|global| is_last(&global.name));
            if !is_known {
                return Err(ExpressionError {
                    column: node.column,
                    kind: ExpressionErrorKind::UnknownField {
                        field: field.clone(),
                        known: Known::near(field, self.types().parts()),
                    },
                });
            }
        }
        Ok(())
    }
}

impl Node {
    /// The node and all within it.
    pub(super) fn all(&self) -> Vec<&Node> {
        let mut all = vec![self];
        let mut next = 0;
        while let Some(node) = all.get(next) {
            all.extend(node.children());
            next += 1;
        }
        all
    }

    fn children(&self) -> Vec<&Node> {
        match &self.kind {
            NodeKind::Memory(_, inner)
            | NodeKind::Field(inner, _)
            | NodeKind::Cast(_, inner)
            | NodeKind::Unary(_, inner) => vec![inner],
            NodeKind::Index(a, b) | NodeKind::Binary(_, a, b) => vec![a, b],
            NodeKind::Range(inner, from, to) => {
                let ends = from.iter().chain(to).map(Box::as_ref);
                std::iter::once(inner.as_ref()).chain(ends).collect()
            }
            NodeKind::Call(_, arguments) => arguments.iter().collect(),
            // What it names may be a type.
            NodeKind::SizeOf(_) | NodeKind::SizeOfType(_) => Vec::new(),
            NodeKind::Int(_)
            | NodeKind::Float(_)
            | NodeKind::Text(_)
            | NodeKind::Name(_)
            | NodeKind::Wasm(..) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_field_is_one() {
        let parsed = Expression::parse("a.b[i + 1] > mem32[p] && !(c == 'x')");
        let mut names: Vec<String> = parsed
            .expect("an expression")
            .mentions()
            .iter()
            .map(|name| name.text().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["a", "c", "i", "p"]);
    }
}
