//! Included files: the text in the editor counts, also before it is saved.

use std::collections::BTreeMap;
use std::sync::Arc;
use stet_dafny::{Includes, Project};

/// Open documents by their path, before another source of files.
pub(crate) struct Overlay<'o> {
    pub(crate) open: BTreeMap<String, Arc<str>>,
    pub(crate) disk: &'o mut (dyn Includes + Send),
}

impl Includes for Overlay<'_> {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, Arc<str>), String> {
        let wanted = beside(from, path);
        if let Some(text) = self.open.get(&wanted) {
            return Ok((wanted, text.clone()));
        }
        match self.disk.load(from, path) {
            // Symbolic links: the name on disk may be that of an open document.
            Ok((name, text)) => match self.open.get(&name) {
                Some(text) => Ok((name, text.clone())),
                None => Ok((name, text)),
            },
            Err(error) => Err(error),
        }
    }

    fn project(&mut self, root: &str) -> Result<Project, String> {
        self.disk.project(root)
    }
}

/// The path of a file named relative to another one, without `.` and `..`.
pub(crate) fn beside(from: &str, path: &str) -> String {
    let base = match (path.starts_with('/'), from.rsplit_once('/')) {
        (true, _) | (false, None) => "",
        (false, Some((directory, _))) => directory,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') || base.starts_with('/') || from.starts_with('/') {
        "/"
    } else {
        ""
    };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn paths_beside_a_file() {
        assert_eq!(beside("/a/b/c.dfy", "d.dfy"), "/a/b/d.dfy");
        assert_eq!(beside("/a/b/c.dfy", "../d.dfy"), "/a/d.dfy");
        assert_eq!(beside("/c.dfy", "./x/../d.dfy"), "/d.dfy");
        assert_eq!(beside("/a/c.dfy", "/q/d.dfy"), "/q/d.dfy");
        assert_eq!(beside("c.dfy", "d.dfy"), "d.dfy");
    }
}
