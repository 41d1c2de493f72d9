//! What the server knows of files that no document shows: the folders that the editor has open, and projects.

use stet_verify::Options;

/// How the server gets at files beside the open documents.
pub trait Workspace: Send {
    /// The source files below a folder, by their paths; as many as one can look through while the user waits.
    fn files(&self, folder: &str) -> Vec<String>;

    /// The text of a file.
    fn text(&self, path: &str) -> Option<String>;

    /// Changes the options of verification to those of the project that a file belongs to.
    fn adapt(&self, path: &str, options: &mut Options);
}
