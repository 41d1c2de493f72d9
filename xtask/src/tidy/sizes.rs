//! The size report: how long files and functions are, against the targets of the style guide.

use crate::report;
use std::path::{Path, PathBuf};

/// Prints medians, high percentiles and the longest files and functions.
pub(crate) fn print(root: &Path, files: &[PathBuf]) {
    let mut file_sizes = Vec::new();
    let mut function_sizes = Vec::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let name = file
            .strip_prefix(root)
            .unwrap_or(file)
            .display()
            .to_string();
        function_sizes.extend(
            functions(&text)
                .into_iter()
                .map(|(line, size)| (size, format!("{name}:{line}"))),
        );
        file_sizes.push((text.lines().count(), name));
    }
    distribution("files", file_sizes);
    distribution("functions", function_sizes);
}

fn distribution(what: &str, mut sizes: Vec<(usize, String)>) {
    sizes.sort();
    let Some(last) = sizes.len().checked_sub(1) else {
        return;
    };
    let at = |percent: usize| sizes[last * percent / 100].0;
    report(&format!(
        "{what}: {} in all, median {}, p90 {}, p95 {}",
        sizes.len(),
        at(50),
        at(90),
        at(95)
    ));
    for (size, name) in sizes.iter().rev().take(8) {
        report(&format!("  {size:5} {name}"));
    }
}

/// First line and length of every function, judged by indentation (the tree is formatted by rustfmt).
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let is_function = [
            "fn ",
            "pub fn ",
            "pub(crate) fn ",
            "pub(super) fn ",
            "unsafe fn ",
            "const fn ",
        ];
        if !is_function.iter().any(|prefix| trimmed.starts_with(prefix))
            || trimmed.ends_with('}')
            || trimmed.ends_with(';')
        {
            continue;
        }
        let closing = format!("{}}}", " ".repeat(line.len() - trimmed.len()));
        if let Some(length) = lines[start..].iter().position(|line| *line == closing) {
            found.push((start + 1, length + 1));
        }
    }
    found
}
