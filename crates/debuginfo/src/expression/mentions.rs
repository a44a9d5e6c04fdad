//! The names in an expression, to ask for them before it is evaluated.

use super::{Expression, Node, NodeKind};

impl Expression {
    /// Every name in it that must mean something, as an expression of its own at the same column.
    pub fn names(&self) -> Vec<Expression> {
        let mut names = Vec::new();
        let mut stack = vec![&self.root];
        while let Some(node) = stack.pop() {
            match &node.kind {
                NodeKind::Name(name) => names.push(Expression {
                    text: name.clone(),
                    root: node.clone(),
                }),
                _ => stack.extend(node.children()),
            }
        }
        names
    }
}

impl Node {
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
            .names()
            .iter()
            .map(|name| name.text().to_owned())
            .collect();
        names.sort();
        assert_eq!(names, ["a", "c", "i", "p"]);
    }
}
