//! The secret of a server.

use std::io;

/// The secret that lets in whoever knows it: in a page's address, or said by an editor.
#[derive(Clone, Debug)]
pub struct Token(String);

impl Token {
    /// A new one: 128 random bits, in hexadecimal.
    ///
    /// # Errors
    /// The operating system has no random numbers.
    pub fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// One that was agreed on, of at least 16 letters and digits; nothing if it is no such text.
    #[must_use]
    pub fn given(text: &str) -> Option<Self> {
        let fits = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        fits.then(|| Self(text.to_owned()))
    }

    /// As it is said.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is it. Compares without telling by its duration where the difference is.
    #[must_use]
    pub fn is(&self, other: &str) -> bool {
        let same_length = self.0.len() == other.len();
        let differences = self.0.bytes().zip(other.bytes());
        same_length && differences.fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_compared_in_full() {
        let token = Token::given("0123456789abcdef").expect("long enough");
        assert!(token.is("0123456789abcdef"));
        for wrong in [
            "",
            "0123456789abcde",
            "0123456789abcdeF",
            "0123456789abcdef0",
        ] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert!(Token::given("short").is_none());
        assert!(Token::given("0123456789abcd/f").is_none());
        let (a, b) = (
            Token::random().expect("random"),
            Token::random().expect("random"),
        );
        assert!(a.text().len() == 32 && !a.is(b.text()));
    }
}
