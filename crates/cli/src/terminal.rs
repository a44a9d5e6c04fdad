//! What only a terminal knows: whether it shows colours, and how wide it is.

use std::io::IsTerminal as _;

use borges_commands::paint::Paint;
use terminal_size::terminal_size_of;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// How to paint standard output.
    pub(crate) fn for_stdout(self) -> Paint {
        let out = std::io::stdout();
        let columns = terminal_size_of(&out).map(|(width, _)| width.0);
        Paint::on(self.decide(out.is_terminal()), columns)
    }

    /// How to paint standard error.
    pub(crate) fn for_stderr(self) -> Paint {
        let err = std::io::stderr();
        let columns = terminal_size_of(&err).map(|(width, _)| width.0);
        Paint::on(self.decide(err.is_terminal()), columns)
    }

    /// An option on the command line beats the environment, as no-color.org asks.
    fn decide(self, terminal: bool) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                terminal
                    && !set("NO_COLOR")
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}
