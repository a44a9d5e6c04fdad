//! Expressions that the prompt shows at every stop.

use borges_session::command::{Flow, Look, Reply};
use serde_json::{Value, json};

use crate::paint::{Paint, Role, printable};

use super::backend::Backend;

/// Most expressions that are watched at once.
const MOST: usize = 64;

/// A watched expression with its value at the last stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    expression: String,
    /// Or why it has none.
    value: String,
    /// At the stop before, if it was another one.
    before: Option<String>,
}

/// The expressions, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Watches(Vec<Watched>);

impl Watched {
    /// `expression = value (was value)`.
    pub(super) fn text(&self, paint: &Paint) -> String {
        let role = match self.before {
            Some(_) => Role::Changed,
            None => Role::Value,
        };
        let was = match &self.before {
            Some(before) => format!(" (was {})", paint.fit(before, 30)),
            None => String::new(),
        };
        let (watch, name) = (paint.dim("watch"), paint.name(&self.expression));
        let value = paint.paint(role, &self.value);
        format!("{watch} {name} = {value}{}\n", paint.dim(was))
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "event": "watch",
            "expression": self.expression,
            "value": self.value,
            "before": self.before,
        })
    }
}

impl Watches {
    /// Adds an expression, which need not have a value here, unless there are too many.
    pub(super) fn add(
        &mut self,
        expression: &str,
        session: &mut dyn Backend,
        frame: u32,
    ) -> Result<(), String> {
        if self.0.iter().any(|one| one.expression == expression) {
            return Ok(());
        }
        if self.0.len() >= MOST {
            let removes = "'unwatch' removes one";
            return Err(format!("{MOST} expressions are watched already: {removes}"));
        }
        let value = value(expression, session, frame);
        self.0.push(Watched {
            expression: expression.to_owned(),
            value,
            before: None,
        });
        Ok(())
    }

    /// Removes an expression that is watched, or all.
    pub(super) fn remove(&mut self, expression: Option<&str>) -> Result<String, String> {
        let Some(expression) = expression else {
            self.0.clear();
            return Ok("nothing is watched any more\n".to_owned());
        };
        let before = self.0.len();
        self.0.retain(|one| one.expression != expression);
        if self.0.len() < before {
            return Ok(format!("{} is watched no longer\n", printable(expression)));
        }
        let known: Vec<&str> = self.0.iter().map(|one| one.expression.as_str()).collect();
        Err(match known.is_empty() {
            true => "nothing is watched".to_owned(),
            false => format!(
                "'{expression}' is not watched; there is {}",
                known.join(", ")
            ),
        })
    }

    /// This one, or all.
    pub(super) fn listed(&self, expression: Option<&str>) -> Vec<Watched> {
        let wanted = |one: &&Watched| expression.is_none_or(|wanted| one.expression == wanted);
        self.0.iter().filter(wanted).cloned().collect()
    }

    /// Looks at all again, at a new stop.
    pub(super) fn update(&mut self, session: &mut dyn Backend, frame: u32) -> Vec<Watched> {
        for one in &mut self.0 {
            let now = value(&one.expression, session, frame);
            let before = std::mem::replace(&mut one.value, now);
            one.before = Some(before).filter(|before| *before != one.value);
        }
        self.0.clone()
    }
}

/// The value of an expression, or why it has none.
fn value(expression: &str, session: &mut dyn Backend, frame: u32) -> String {
    let print = Look::Print {
        expression: expression.to_owned(),
        frame,
    };
    match session.execute(print.into(), &mut |_| Flow::Continue) {
        Ok(Reply::Value { value, .. }) => value,
        Ok(_) => String::new(),
        Err(error) => {
            let text = error.to_string();
            let quoted = format!("'{}': ", expression.trim_start_matches('/'));
            format!("<{}>", text.strip_prefix(&quoted).unwrap_or(&text))
        }
    }
}

#[cfg(test)]
mod tests {
    use borges_session::Observer;
    use borges_session::command::Command;
    use borges_session::listing::PlaceView;

    use super::*;

    /// A session in which everything is 7.
    struct Sevens;

    impl Backend for Sevens {
        fn execute(&mut self, _: Command, _: Observer<'_>) -> Result<Reply, String> {
            Err("7".to_owned())
        }

        fn here(&self) -> PlaceView {
            unreachable!("a watch does not ask where it is")
        }
    }

    #[test]
    fn so_many_expressions_are_watched() {
        let mut watches = Watches::default();
        let add =
            |watches: &mut Watches, nth: usize| watches.add(&format!("x{nth}"), &mut Sevens, 0);
        for nth in 0..MOST {
            assert_eq!(add(&mut watches, nth), Ok(()));
        }
        // One that is there is not added again.
        assert_eq!(add(&mut watches, 0), Ok(()));
        let refused = add(&mut watches, MOST).expect_err("there are enough");
        assert!(refused.starts_with("64 expressions"), "{refused}");
        assert!(watches.remove(Some("x0")).is_ok());
        assert_eq!(add(&mut watches, MOST), Ok(()));
    }
}
