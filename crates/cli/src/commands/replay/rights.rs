//! The rights of a replayed program: a test has the arguments that the explorer found, whatever they make the program do, and
//! programs of root can change the machine (`date -s`, `kill -1`). A replay by root therefore runs as the user `nobody`, unless
//! root wants it otherwise (`--as-root`).
//!
//! That user owns the folder and the files of the test, as the explored program does; what it could not reach (the executable, the
//! test) is copied.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user and group without rights, under its usual number.
const NOBODY: u32 = 65534;

/// Whose rights a replayed program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rights {
    /// Those of whoever replays.
    Own,
    Nobody,
}

impl Rights {
    /// Own rights for everybody but root, who has to ask for them.
    pub(crate) fn of_caller(as_root: bool) -> Self {
        // the owner of this folder is the effective user
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0);
        match is_root && !as_root {
            true => Rights::Nobody,
            false => Rights::Own,
        }
    }

    /// One line for the user, if a program does not run with the rights they have.
    pub(crate) fn note(self) -> Option<&'static str> {
        match self {
            Rights::Own => None,
            Rights::Nobody => Some(
                "the program runs as user `nobody`, not as root (--as-root keeps root's rights)",
            ),
        }
    }

    /// Gives a file or folder to the user the program runs as.
    pub(super) fn give(self, path: &Path) -> std::io::Result<()> {
        match self {
            Rights::Own => Ok(()),
            Rights::Nobody => std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)),
        }
    }

    /// A path under which the program's user finds a file: its own, or that of a copy in `folder`.
    pub(super) fn reachable(self, path: &Path, folder: &Path) -> std::io::Result<PathBuf> {
        if self == Rights::Own || is_open(path) {
            return Ok(path.to_owned());
        }
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?;
        let copy = folder.join(path.file_name().unwrap_or_default());
        std::fs::copy(path, &copy)?;
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755))?;
        Ok(copy)
    }

    pub(super) fn apply(self, command: &mut Command) {
        if self == Rights::Nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
    }
}

/// Whether everybody can get to a file and read it.
fn is_open(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else {
        return false;
    };
    let allows = |path: &Path, bits: u32| {
        std::fs::metadata(path).is_ok_and(|data| data.mode() & bits == bits)
    };
    allows(&path, 0o004) && path.ancestors().skip(1).all(|folder| allows(folder, 0o001))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_can_reach_is_copied() {
        let (hidden, open) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let closed = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(hidden.path(), closed).unwrap();
        let program = hidden.path().join("program");
        std::fs::write(&program, "x").unwrap();
        let reached = Rights::Nobody.reachable(&program, open.path()).unwrap();
        assert_eq!(reached, open.path().join("program"));
        assert_eq!(std::fs::read(&reached).unwrap(), b"x");
        let own = Rights::Own.reachable(&program, open.path()).unwrap();
        assert_eq!(own, program);
    }
}
