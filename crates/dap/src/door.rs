//! Who may use an adapter: everybody who started it, and of a server that listens who knows its secret.

use borges_hub::Token;

use crate::protocol::Failure;

/// The secret of a server that listens; who started an adapter for itself needs none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Door {
    secret: Option<Token>,
    is_open: bool,
}

impl Door {
    /// One that a secret opens.
    pub(crate) const fn locked(secret: Token) -> Self {
        Self {
            secret: Some(secret),
            is_open: false,
        }
    }

    /// Whether the secret was not said yet.
    pub(crate) const fn is_locked(&self) -> bool {
        self.secret.is_some() && !self.is_open
    }

    /// Lets in who says the secret, and who has said it.
    ///
    /// # Errors
    /// It was not said, or is another.
    pub(crate) fn enter(&mut self, said: Option<&str>) -> Result<(), Failure> {
        let Some(secret) = self.secret.as_ref().filter(|_| !self.is_open) else {
            return Ok(());
        };
        if !said.is_some_and(|said| secret.is(said)) {
            return Err(Failure::shown(
                "this server needs its token: give \"token\" as 'borges dap --listen' printed it",
            ));
        }
        self.is_open = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_secret_gets_in_and_then_stays() {
        let mut door = Door::locked(Token::given("0123456789abcdef").expect("long enough"));
        assert!(door.is_locked());
        for wrong in [
            None,
            Some(""),
            Some("0123456789abcde"),
            Some("0123456789abcdeF"),
        ] {
            assert!(door.enter(wrong).is_err(), "{wrong:?}");
        }
        assert!(door.enter(Some("0123456789abcdef")).is_ok());
        assert!(door.enter(None).is_ok() && !door.is_locked());
        assert!(Door::default().enter(None).is_ok());
    }
}
