//! The configuration files: the nearest `stet.toml`, then the user's.

use crate::input;
use std::path::{Path, PathBuf};
use stet_base::{FileId, SourceMap, Span};
use stet_diag::Diagnostic;
use toml::de::{DeTable, DeValue};

/// One file and what it sets.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) settings: Vec<Setting>,
}

/// One key of a file.
#[derive(Debug)]
pub(super) struct Setting {
    /// The command and its sub-commands the setting is for; empty for all commands.
    pub(super) section: Vec<String>,
    /// The long name of the option.
    pub(super) name: String,
    pub(super) values: Vec<String>,
    pub(super) span: Span,
}

impl Setting {
    pub(super) fn is(&self, section: &[String], name: &str) -> bool {
        self.section == section && self.name == name
    }
}

/// The files there are, the one that counts more first.
pub(super) fn load(sources: &mut SourceMap) -> Result<Vec<ConfigFile>, Box<Diagnostic>> {
    let paths = [project_file(), user_file()];
    let present = paths.into_iter().flatten();
    present.map(|path| read(sources, path)).collect()
}

/// `$STET_CONFIG`, or the nearest `stet.toml` in the current directory and its parents.
fn project_file() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("STET_CONFIG") {
        return (!path.is_empty()).then(|| path.into());
    }
    let here = std::env::current_dir().ok()?;
    let candidates = here
        .ancestors()
        .map(|directory| directory.join("stet.toml"));
    candidates.into_iter().find(|path| path.is_file())
}

/// `stet/config.toml` in `$XDG_CONFIG_HOME` or `~/.config`, if it is there.
fn user_file() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let base = match set("XDG_CONFIG_HOME") {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(set("HOME")?).join(".config"),
    };
    Some(base.join("stet").join("config.toml")).filter(|path| path.is_file())
}

fn read(sources: &mut SourceMap, path: PathBuf) -> Result<ConfigFile, Box<Diagnostic>> {
    let text = input::read_text(&path)?;
    let file = sources
        .add(shown(&path), text.clone())
        .ok_or_else(|| Diagnostic::error("config/too-large", "the configuration is too large"))?;
    let table = DeTable::parse(&text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        Diagnostic::error("config/syntax", error.message().to_owned()).at(to_span(file, &span))
    })?;
    let mut settings = Vec::new();
    collect(file, table.get_ref(), &mut settings)?;
    Ok(ConfigFile { path, settings })
}

/// The path relative to the current directory where that is shorter to read.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Walks the tables with a list of its own: nesting cannot exhaust the stack.
fn collect(
    file: FileId,
    table: &DeTable<'_>,
    settings: &mut Vec<Setting>,
) -> Result<(), Box<Diagnostic>> {
    let mut pending = vec![(Vec::new(), table)];
    while let Some((section, table)) = pending.pop() {
        for (key, value) in table {
            let name = key.get_ref().to_string();
            if let DeValue::Table(inner) = value.get_ref() {
                let mut section: Vec<String> = section.clone();
                section.push(name);
                pending.push((section, inner));
                continue;
            }
            let span = to_span(file, &key.span());
            let values = scalars(value.get_ref()).ok_or_else(|| {
                Diagnostic::error(
                    "config/invalid-value",
                    format!(
                        "`{name}` must be a string, a number, a truth value or a list of these"
                    ),
                )
                .at(span)
            })?;
            settings.push(Setting {
                section: section.clone(),
                name,
                values,
                span,
            });
        }
    }
    Ok(())
}

fn scalars(value: &DeValue<'_>) -> Option<Vec<String>> {
    match value {
        DeValue::Array(items) => items.iter().map(|item| scalar(item.get_ref())).collect(),
        other => scalar(other).map(|value| vec![value]),
    }
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(truth) => Some(truth.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

fn to_span(file: FileId, range: &std::ops::Range<usize>) -> Span {
    let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span {
        file,
        start: clip(range.start),
        end: clip(range.end),
    }
}
