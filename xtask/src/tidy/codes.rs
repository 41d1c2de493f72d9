//! Diagnostic codes that are used but declared in no table.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How a diagnostic with a literal code is made.
const MAKERS: &[&str] = &[
    "Diagnostic::error(",
    "Diagnostic::warning(",
    "Diagnostic::note(",
];

/// One line per code without a declaration.
pub(super) fn problems(root: &Path, files: &[PathBuf]) -> Vec<String> {
    let mut declared = BTreeSet::new();
    let mut used: Vec<(String, String)> = Vec::new();
    for file in files {
        let name = file
            .strip_prefix(root)
            .unwrap_or(file)
            .display()
            .to_string();
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        if name.ends_with("codes.rs") && name.starts_with("crates/") {
            declared.extend(after_each(&text, "id: ").map(str::to_owned));
        } else if name.starts_with("crates/") && !name.contains("test") {
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for maker in MAKERS {
                used.extend(after_each(text, maker).map(|code| (name.clone(), code.to_owned())));
            }
        }
    }
    let undeclared = used
        .into_iter()
        .filter(|(_, code)| !declared.contains(code));
    undeclared
        .map(|(name, code)| format!("{name}: the code `{code}` is declared in no codes.rs"))
        .collect()
}

/// The string literals that follow a word, white space aside.
fn after_each<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(word).filter_map(move |(at, _)| {
        let rest = text[at + word.len()..].trim_start().strip_prefix('"')?;
        rest.split('"').next()
    })
}
