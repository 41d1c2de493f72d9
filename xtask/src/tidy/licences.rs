//! Dependencies: from the public registry only, at given versions, under licences that allow Stet's own.

use std::path::Path;
use std::process::Command;

/// Licences a dependency may be used under; all are permissive.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-3-Clause",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// How the source of a package of the public registry ends.
const REGISTRY: &str = "/crates.io-index";

/// One line per package of the lock file with another source or licence, and per version that is not given.
pub(super) fn problems(root: &Path) -> Vec<String> {
    let metadata = match metadata(root) {
        Ok(metadata) => metadata,
        Err(error) => return vec![format!("Cargo.lock: {error}")],
    };
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut problems: Vec<String> = packages.flat_map(package_problems).collect();
    problems.sort();
    problems
}

fn metadata(root: &Path) -> Result<serde_json::Value, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn package_problems(package: &serde_json::Value) -> Vec<String> {
    let text = |name: &str| package[name].as_str().unwrap_or_default();
    let name = text("name");
    if package["source"].is_null() {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        return dependencies
            .filter(|dependency| dependency["source"].is_string() && dependency["req"] == "*")
            .map(|dependency| format!("{name}: any version of {}", dependency["name"]))
            .collect();
    }
    let mut problems = Vec::new();
    if !text("source").ends_with(REGISTRY) {
        problems.push(format!("{name}: comes from {}", text("source")));
    }
    if !is_allowed(text("license")) {
        problems.push(format!(
            "{name}: licence `{}` is not in xtask/src/tidy/licences.rs",
            text("license")
        ));
    }
    problems
}

/// Whether an SPDX expression (or the older form with slashes) can be met with allowed licences.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    either(&mut rest) && rest.is_empty()
}

fn either(words: &mut &[&str]) -> bool {
    let mut holds = both(words);
    while let [first, rest @ ..] = *words
        && *first == "OR"
    {
        *words = rest;
        holds |= both(words);
    }
    holds
}

fn both(words: &mut &[&str]) -> bool {
    let mut holds = licence(words);
    while let [first, rest @ ..] = *words
        && *first == "AND"
    {
        *words = rest;
        holds &= licence(words);
    }
    holds
}

fn licence(words: &mut &[&str]) -> bool {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let holds = either(words);
            let [")", rest @ ..] = *words else {
                return false;
            };
            *words = rest;
            holds
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            ALLOWED.contains(&format!("{name} WITH {exception}").as_str())
        }
        [name, rest @ ..] => {
            *words = rest;
            ALLOWED.contains(name)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_conjunction_all() {
        assert!(is_allowed("GPL-3.0 OR MIT"));
        assert!(is_allowed("MIT/GPL-3.0"));
        assert!(is_allowed("(GPL-3.0 OR Apache-2.0) AND Unicode-3.0"));
        assert!(is_allowed("Apache-2.0 WITH LLVM-exception"));
        assert!(!is_allowed("GPL-3.0 AND MIT"));
        assert!(!is_allowed("MIT AND (GPL-3.0 OR LGPL-2.1)"));
        assert!(!is_allowed("Apache-2.0 WITH other-exception"));
        assert!(!is_allowed(""));
        assert!(!is_allowed("(MIT"));
    }
}
