//! Parts of libraries that a program's own objects do not name: code of shared libraries, and members of archives that the native program
//! does not need but its IR does (IR is made without optimisation, so a function that the compiler put in line everywhere is still
//! called there).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Members may need members that stand before them; no chain of that length was seen.
const MOST_ROUNDS: usize = 16;

/// Adds to a linked module what it lacks and libraries define.
pub(super) fn complete(
    linker: &Path,
    names_tool: &Path,
    whole: &Path,
    libraries: &[PathBuf],
) -> Result<(), String> {
    let mut members: Vec<PathBuf> = Vec::new();
    for library in libraries {
        members.extend(match is_shared(library) {
            true => super::marked(library)?,
            false => marks(library),
        });
    }
    if members.is_empty() {
        return Ok(());
    }
    let defined = names(names_tool, "--defined-only", &members);
    let mut before = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let missing = names(names_tool, "--undefined-only", &[whole.to_owned()]);
        let left: BTreeSet<String> = missing.intersection(&defined).cloned().collect();
        if left.is_empty() || left == before {
            break;
        }
        before = left;
        let mut link = Command::new(linker);
        link.arg("--only-needed").arg(whole).args(&members);
        super::run(link.arg("-o").arg(whole))?;
    }
    Ok(())
}

/// Whether a library is a shared one, by its name: `libx.so`, `libx.so.1.2`.
fn is_shared(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".so") || name.contains(".so.")
}

/// The names of functions and variables that files define or lack; none if the tool does not read them.
fn names(tool: &Path, which: &str, files: &[PathBuf]) -> BTreeSet<String> {
    let command = Command::new(tool).args([which, "-j"]).args(files).output();
    let text = command.map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let words = text.lines().map(str::trim);
    words
        .filter(|word| !word.is_empty() && !word.ends_with(':'))
        .map(str::to_owned)
        .collect()
}

/// The IR that the members of an archive name in their notes. A note is the path and a line end, alone in its section.
fn marks(archive: &Path) -> Vec<PathBuf> {
    let bytes = std::fs::read(archive).unwrap_or_default();
    let lines = bytes.split(|&byte| byte == b'\n' || byte == 0);
    let notes = lines.filter(|line| line.starts_with(b"/") && line.ends_with(b".o.bc"));
    let paths = notes.filter_map(|line| std::str::from_utf8(line).ok().map(PathBuf::from));
    paths.filter(|path| path.exists()).collect()
}

/// The libraries that a command links: those it names, and those of its own folders that `-l` stands for.
pub(super) fn named(arguments: &[String]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let value = |prefix: &str, rest: &mut std::slice::Iter<'_, String>| {
            let text = argument.strip_prefix(prefix)?;
            if text.is_empty() {
                return rest.next().cloned();
            }
            Some(text.to_owned())
        };
        if let Some(folder) = value("-L", &mut rest) {
            folders.push(PathBuf::from(folder));
        } else if let Some(name) = value("-l", &mut rest) {
            let files = [format!("lib{name}.a"), format!("lib{name}.so")];
            let mut files = folders
                .iter()
                .flat_map(|folder| files.iter().map(|file| folder.join(file)));
            found.extend(files.find(|file| file.exists()));
        } else if (argument.ends_with(".a") || is_shared(Path::new(argument)))
            && Path::new(argument).exists()
        {
            found.push(PathBuf::from(argument));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_named_or_looked_for_in_folders_of_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("libx.a");
        std::fs::write(&archive, "!<arch>\n").unwrap();
        let path = folder.path().display().to_string();
        let split = |text: &str| named(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for command in ["-o p p.o @/libx.a", "p.o -L@ -lx -lm", "p.o -L @ -l x"] {
            assert_eq!(
                split(&command.replace('@', &path)).as_slice(),
                std::slice::from_ref(&archive)
            );
        }
        assert!(split("p.o nothing.a").is_empty());
    }
}
