//! Callers use the one entry of each engine: what they may not reach for, and what to call instead.

/// Who is held to the entries.
const CALLERS: &[&str] = &[
    "crates/cli/src/",
    "crates/lsp/src/",
    "bench/src/explore",
    "bench/src/bin/explore",
    "tests/",
    "crates/explore/tests/",
];

/// A path, what of it is allowed all the same, and the entry.
const RULES: &[(&str, &[&str], &str)] = &[
    (
        "stet_llvm::",
        &["codes::"],
        "stet_explore::Input and stet_explore::Engine",
    ),
    (
        "stet_solve::",
        &["pipe::"],
        "stet_explore::Engine or stet_verify::Engine",
    ),
    ("stet_term::", &[], "the entry of an engine"),
    (
        "stet_explore::query::",
        &[
            "CacheMode",
            "Config",
            "Naming",
            "Narrowing",
            "Statistics",
            "Mismatch",
            "{",
        ],
        "stet_explore::Engine",
    ),
];

/// What only the crate of an engine may say, the folders, and the entry.
const OWN: &[(&str, &[&str], &str)] = &[(
    "Machine::new(",
    &["crates/run/src/"],
    "stet_run::run or stet_run::open",
)];

/// The entry that a line of a caller reaches around, if it does.
pub(super) fn reached_around(file: &str, line: &str) -> Option<String> {
    for (word, folders, entry) in OWN {
        // this file names them
        let is_own = folders.iter().any(|folder| file.starts_with(folder));
        if line.contains(word) && !is_own && !file.starts_with("xtask/") {
            return Some(format!(
                "{word}…) reaches around the engine's entry; call {entry}"
            ));
        }
    }
    if !CALLERS.iter().any(|caller| file.starts_with(caller)) || line.trim_start().starts_with("//")
    {
        return None;
    }
    RULES.iter().find_map(|(path, allowed, entry)| {
        let mut uses = line
            .match_indices(path)
            .map(|(at, _)| &line[at + path.len()..]);
        let is_wrong = uses.any(|rest| !allowed.iter().any(|name| rest.starts_with(name)));
        is_wrong.then(|| format!("{path} reaches around the engine's entry; call {entry}"))
    })
}

#[cfg(test)]
mod tests {
    use super::reached_around;

    #[test]
    fn callers_may_not_assemble_an_engine() {
        let cli = "crates/cli/src/commands/explore.rs";
        assert!(reached_around(cli, "let module = stet_llvm::read(&text, file)?;").is_some());
        assert!(reached_around(cli, "use stet_solve::InProcess;").is_some());
        assert!(reached_around(cli, "let machine = Machine::new(config, host);").is_some());
        assert!(reached_around("bench/src/bin/explore.rs", "use stet_term::Terms;").is_some());
    }

    #[test]
    fn entries_and_tables_of_codes_are_allowed() {
        let cli = "crates/cli/src/catalog.rs";
        assert_eq!(reached_around(cli, "    stet_llvm::codes::CODES,"), None);
        assert_eq!(
            reached_around(cli, "use stet_solve::pipe::{self, ProverKind};"),
            None
        );
        assert_eq!(reached_around(cli, "use stet_explore::Engine;"), None);
        assert_eq!(
            reached_around("crates/explore/src/entry.rs", "use stet_llvm::Module;"),
            None
        );
    }
}
