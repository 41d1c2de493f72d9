//! Diagnostic codes: each is declared once, with a title, an explanation and an example.
//!
//! Every engine has a table of its codes (`codes.rs`). `stet explain CODE` prints an entry, SARIF takes its rules
//! from it, and `cargo xtask tidy` fails when a diagnostic uses a code that no table declares.

/// What a code stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// `area/kind`, lower case with dashes; stable across versions.
    pub id: &'static str,
    /// One line, without a full stop.
    pub title: &'static str,
    /// What it means and what to do about it, as one paragraph.
    pub explanation: &'static str,
    /// A program or command line that leads to it; may span lines.
    pub example: &'static str,
}

/// All tables of a program, for look-ups by code.
#[derive(Clone, Copy, Debug)]
pub struct Catalog(pub &'static [&'static [Code]]);

impl Catalog {
    /// The entry of a code.
    pub fn find(&self, id: &str) -> Option<&'static Code> {
        self.iter().find(|code| code.id == id)
    }

    /// All entries, table by table.
    pub fn iter(&self) -> impl Iterator<Item = &'static Code> + use<> {
        self.0.iter().flat_map(|table| table.iter())
    }
}
