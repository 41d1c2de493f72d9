//! All diagnostic codes: those of the engines and front ends, and those of the command line itself.

use stet_diag::Catalog;

/// Every code a command can report.
pub(crate) const CATALOG: Catalog = Catalog(&[
    stet_explore::codes::CODES,
    stet_llvm::codes::CODES,
    stet_verify::codes::CODES,
    stet_boogie::codes::CODES,
    stet_dafny::codes::CODES,
    stet_run::codes::CODES,
    stet_prolog::codes::CODES,
    stet_store::codes::CODES,
    crate::codes::CODES,
]);

#[cfg(test)]
mod tests {
    use super::*;
    use stet_diag::Code;

    /// Whoever copies an example gets what it is an example of, not a message about a wrong option.
    #[test]
    fn commands_in_explanations_exist() {
        let mut tried = 0;
        for code in CATALOG.iter() {
            let quoted = code.explanation.split('`').skip(1).step_by(2);
            let texts = code.example.lines().chain(quoted);
            let commands = texts.flat_map(|line| line.split(['#', ';', '|', '&']));
            // COMMAND stands for any
            let is_command = |text: &&str| text.starts_with("stet ") && !text.contains("COMMAND");
            for command in commands.map(str::trim).filter(is_command) {
                let stet = <crate::options::Stet as clap::CommandFactory>::command();
                let parsed = stet.try_get_matches_from(command.split_whitespace());
                let unknown = parsed.err().filter(|error| {
                    use clap::error::ErrorKind::{InvalidSubcommand, UnknownArgument};
                    matches!(error.kind(), UnknownArgument | InvalidSubcommand)
                });
                assert!(unknown.is_none(), "{}: `{command}`", code.id);
                tried += 1;
            }
        }
        assert!(tried > 40, "{tried} commands");
    }

    #[test]
    fn every_code_is_declared_once_and_explained() {
        let mut seen: Vec<&str> = CATALOG.iter().map(|code| code.id).collect();
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), all, "a code is declared twice");
        for Code {
            id,
            title,
            explanation,
            example,
        } in CATALOG.iter()
        {
            let (area, kind) = id.split_once('/').expect("area/kind");
            assert!(!area.is_empty() && !kind.is_empty(), "{id}");
            assert!(!title.is_empty() && !title.ends_with('.'), "{id}: {title}");
            assert!(explanation.ends_with('.'), "{id}: {explanation}");
            assert!(!example.is_empty(), "{id}");
        }
    }
}
