//! Dependencies between crates of Stet that nothing uses.

use std::path::Path;

/// One line per unused edge.
pub(super) fn problems(root: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for manifest in super::manifests(root) {
        let Some(folder) = manifest.parent() else {
            continue;
        };
        let text: String = super::rust_files_below(&[folder.to_owned()])
            .iter()
            .filter_map(|file| std::fs::read_to_string(file).ok())
            .collect();
        for dependency in super::stet_dependencies(&manifest) {
            let name = format!("stet_{}", dependency.replace('-', "_"));
            // The tree of `dafny` came before the reader that reports diagnostics.
            let expected = folder.ends_with("dafny") && name == "stet_diag";
            if !text.contains(&name) && !expected {
                let folder = folder.file_name().unwrap_or_default().to_string_lossy();
                problems.push(format!("crates/{folder}: does not use {name}"));
            }
        }
    }
    problems
}
