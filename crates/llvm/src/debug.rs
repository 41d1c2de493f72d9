//! Source locations: `!DILocation` and the scopes above it, decoded from the text when asked for.

use std::sync::Arc;

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file as the compiler was given it.
    pub file: String,
    /// The folder it was compiled in.
    pub directory: String,
    /// The line, from one; 0 if unknown.
    pub line: u32,
    /// The column, from one; 0 if unknown.
    pub column: u32,
}

/// Where the metadata of a module is.
#[derive(Clone, Debug)]
pub struct DebugInfo {
    pub(crate) text: Arc<str>,
    positions: Vec<u32>,
}

impl Default for DebugInfo {
    fn default() -> Self {
        DebugInfo {
            text: Arc::from(""),
            positions: Vec::new(),
        }
    }
}

impl DebugInfo {
    pub(crate) fn define(&mut self, number: u32, position: u32) {
        let index = number as usize;
        if index > 1 << 26 {
            return;
        }
        if index >= self.positions.len() {
            self.positions.resize(index + 1, u32::MAX);
        }
        self.positions[index] = position;
    }

    /// The place of a location or subprogram.
    pub fn place(&self, number: u32) -> Option<Place> {
        let node = self.node(number)?;
        let line = number_field(node, "line:").unwrap_or(0);
        let column = number_field(node, "column:").unwrap_or(0);
        let file = self.file_of(number)?;
        let node = self.node(file)?;
        Some(Place {
            file: string_field(node, "filename:")?.to_owned(),
            directory: string_field(node, "directory:").unwrap_or("").to_owned(),
            line,
            column,
        })
    }

    /// The location an inlined location was inlined at.
    pub fn inlined_at(&self, number: u32) -> Option<u32> {
        reference_field(self.node(number)?, "inlinedAt:")
    }

    /// The name of the function a location or subprogram is in, as the source spells it.
    pub fn function_name(&self, mut number: u32) -> Option<&str> {
        for _ in 0..1000 {
            let node = self.node(number)?;
            if node.contains("DISubprogram(") {
                return string_field(node, "name:");
            }
            number = reference_field(node, "scope:")?;
        }
        None
    }

    /// Whether the compile unit of a subprogram says that it was optimised; `None` if nothing is said.
    pub fn is_optimized(&self, subprogram: u32) -> Option<bool> {
        let unit = reference_field(self.node(subprogram)?, "unit:")?;
        let said = field(self.node(unit)?, "isOptimized:")?;
        Some(said.starts_with("true"))
    }

    fn file_of(&self, mut number: u32) -> Option<u32> {
        for _ in 0..1000 {
            let node = self.node(number)?;
            if let Some(file) = reference_field(node, "file:") {
                return Some(file);
            }
            number = reference_field(node, "scope:")?;
        }
        None
    }

    fn node(&self, number: u32) -> Option<&str> {
        let start = *self.positions.get(number as usize)? as usize;
        let rest = self.text.get(start..)?;
        let end = rest.find('\n').unwrap_or(rest.len());
        Some(&rest[..end])
    }
}

/// What follows a field name that stands at the start or after a separator.
fn field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(found) = node[from..].find(name) {
        let at = from + found;
        let before = node[..at].chars().next_back();
        if matches!(before, Some('(' | ' ')) {
            return Some(node[at + name.len()..].trim_start());
        }
        from = at + name.len();
    }
    None
}

fn number_field(node: &str, name: &str) -> Option<u32> {
    let rest = field(node, name)?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn reference_field(node: &str, name: &str) -> Option<u32> {
    let rest = field(node, name)?.strip_prefix('!')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

fn string_field<'a>(node: &'a str, name: &str) -> Option<&'a str> {
    let rest = field(node, name)?.strip_prefix('"')?;
    rest.split('"').next()
}
