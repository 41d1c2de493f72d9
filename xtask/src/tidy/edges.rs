//! Dependencies that nothing uses: of a crate, and of the workspace's list of versions.

use std::collections::BTreeSet;
use std::path::Path;

const SECTIONS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// One line per dependency that its crate never names, or that no crate takes from the workspace's list.
pub(super) fn problems(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let mut taken = BTreeSet::new();
    let mut manifests = super::manifests(root);
    manifests
        .extend(["bench", "fuzz", "tests", "xtask"].map(|name| root.join(name).join("Cargo.toml")));
    for manifest in manifests.iter().filter(|path| path.exists()) {
        let Some(folder) = manifest.parent() else {
            continue;
        };
        let text: String = super::rust_files_below(&[folder.to_owned()])
            .iter()
            .filter_map(|file| std::fs::read_to_string(file).ok())
            .collect();
        for dependency in SECTIONS.iter().flat_map(|section| names(manifest, section)) {
            if !text.contains(&dependency.replace('-', "_")) {
                let folder = folder.strip_prefix(root).unwrap_or(folder).display();
                problems.push(format!("{folder}: does not use {dependency}"));
            }
            taken.insert(dependency);
        }
    }
    for listed in workspace_list(root) {
        if !taken.contains(&listed) {
            problems.push(format!("Cargo.toml: no crate uses {listed}"));
        }
    }
    problems
}

/// The names in one section of a manifest.
fn names(manifest: &Path, section: &str) -> Vec<String> {
    table(manifest)
        .get(section)
        .and_then(toml::Value::as_table)
        .map_or_else(Vec::new, |section| section.keys().cloned().collect())
}

/// The names in the workspace's list of dependencies.
fn workspace_list(root: &Path) -> Vec<String> {
    let table = table(&root.join("Cargo.toml"));
    let list = table.get("workspace").and_then(|w| w.get("dependencies"));
    list.and_then(toml::Value::as_table)
        .map_or_else(Vec::new, |list| list.keys().cloned().collect())
}

fn table(manifest: &Path) -> toml::Table {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    text.parse().unwrap_or_default()
}
