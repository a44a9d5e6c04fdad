//! CaReDeb: the causal-consistent debugger of μOz. Its commands are read and carried out by `borges_languages`.

use borges_languages::muoz::caredeb::COMMANDS;

/// The section of `docs/commands.md`.
pub fn markdown() -> String {
    let mut text = String::from(
        "## CaReDeb: a session with a μOz program\n\n\
         Here the abbreviations are those of the original: small letters all.\n\n\
         | command | also | what it does |\n|---|---|---|\n",
    );
    for spec in COMMANDS {
        let usage = format!("{} {}", spec.name, spec.arguments);
        let usage = usage.trim_end().replace('|', "\\|");
        let short = if spec.short.is_empty() {
            String::new()
        } else {
            format!("`{}`", spec.short)
        };
        let help = spec.help.replace('<', "&lt;");
        text.push_str(&format!("| `{usage}` | {short} | {help} |\n"));
    }
    text
}
