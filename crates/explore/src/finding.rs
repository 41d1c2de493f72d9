//! Findings as diagnostics: the error of a path with its calls and an input that leads there, and why a program cannot be
//! explored.

use crate::program::ProgramError;
use crate::report::{ErrorKind, Location, Outcome, PathEnd, TestObject};
use std::fmt::{Display, Formatter};
use stet_base::Span;
use stet_diag::Diagnostic;

/// Calls that a diagnostic lists.
const MOST_CALLS: usize = 20;
/// Bytes of an input that a diagnostic shows.
const MOST_BYTES: usize = 64;

impl PathEnd {
    /// The error that ended the path. `primary` is its place in a source file, if that is here to be shown; `inputs` are lines about its test.
    pub fn diagnostic(&self, primary: Option<Span>, inputs: Vec<String>) -> Option<Diagnostic> {
        let Outcome::Error(kind, message) = &self.outcome else {
            return None;
        };
        let diagnostic = match kind.is_unsupported() {
            true => Diagnostic::warning(kind.code(), message.clone()),
            false => Diagnostic::error(kind.code(), message.clone()),
        };
        let mut diagnostic = match primary {
            Some(span) => diagnostic.at(span),
            None => diagnostic,
        };
        if self.stack.len() > 1 || primary.is_none() {
            // How the standard library comes to end a panic is of no interest.
            let is_panic = *kind == ErrorKind::Panic;
            let of_library = |place: &Location| is_panic && place.file.starts_with("library/");
            let first = self.stack.iter().position(|place| !of_library(place));
            // Nor is what calls `main` in the model of the system.
            let is_own = |place: &Location| !place.function.starts_with("sx_");
            let last = self.stack.iter().rposition(is_own);
            let shown = &self.stack[..last.map_or(self.stack.len(), |last| last + 1)];
            for place in shown.iter().skip(first.unwrap_or(0)).take(MOST_CALLS) {
                diagnostic = diagnostic.with_note(format!("in {place}"));
            }
        }
        Some(inputs.into_iter().fold(diagnostic, Diagnostic::with_note))
    }
}

impl ProgramError {
    /// The error as a diagnostic, at its place if it has one.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error("explore/program", self.to_string());
        match self.place() {
            Some(place) => diagnostic.at(place),
            None => diagnostic,
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let function = readable(&self.function);
        match self.line {
            0 => f.write_str(&function),
            line => write!(f, "{function} at {}:{line}", self.file),
        }
    }
}

/// The name of a function as its source has it: Rust and C++ add types, paths and digests to the names that linkers see.
fn readable(name: &str) -> String {
    if !name.starts_with("_R") && !name.starts_with("_Z") {
        return name.to_owned();
    }
    if let Ok(found) = rustc_demangle::try_demangle(name) {
        // without its digest; C++ names have none, and look alike but for that
        let short = format!("{found:#}");
        if name.starts_with("_R") || short != found.to_string() {
            return short;
        }
    }
    let found = cpp_demangle::Symbol::new(name).ok();
    found
        .and_then(|symbol| symbol.demangle().ok())
        .unwrap_or_else(|| name.to_owned())
}

/// Text where it is text, a number where it may be one.
impl Display for TestObject {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let shown = &self.bytes[..self.bytes.len().min(MOST_BYTES)];
        let hex: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
        let more = match self.bytes.len() > MOST_BYTES {
            true => " …",
            false => "",
        };
        let character = |&byte: &u8| match byte {
            32..127 => byte as char,
            _ => '.',
        };
        let text: String = shown.iter().map(character).collect();
        let (name, len) = (&self.name, self.bytes.len());
        write!(f, "{name}[{len}] = {}{more} \"{text}\"", hex.join(" "))?;
        match len {
            1 | 2 | 4 | 8 => {
                let bytes = self.bytes.iter().rev();
                let value = bytes.fold(0u64, |n, &byte| n << 8 | u64::from(byte));
                let shift = 64 - 8 * len as u32;
                write!(f, " = {}", ((value << shift) as i64) >> shift)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_of_functions_are_as_in_the_source() {
        for (name, shown) in [
            ("main", "main"),
            ("_ZN2rp4main17h8d71d8bf9c89cc8eE", "rp::main"),
            (
                "_RNvNtCsjrHSEGnQ3l9_3std7process5abort",
                "std::process::abort",
            ),
            ("_ZN5Stack4pushEi", "Stack::push(int)"),
            ("_ZN1a1bE", "a::b"),
            ("_Znonsense", "_Znonsense"),
            ("_Reset", "_Reset"),
        ] {
            assert_eq!(readable(name), shown);
        }
    }
}
