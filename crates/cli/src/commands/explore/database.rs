//! `compile_commands.json`: which files a project has, and how each is compiled.
//!
//! ```json
//! [{ "directory": "/project/build", "file": "../src/a.c", "arguments": ["cc", "-I../include", "-c", "../src/a.c"] }]
//! ```
//!
//! Flags that say what is compiled where, how it is optimised or for which processor are left out: Stet has its own.

use super::toolchain::{Prepared, problem};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a file is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    pub(super) file: PathBuf,
    pub(super) directory: PathBuf,
    pub(super) flags: Vec<String>,
}

/// Whether a file is such a list, by its name.
pub(super) fn is_database(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| name == "compile_commands.json")
}

/// The units of a list.
pub(super) fn read(path: &Path) -> Prepared<Vec<Unit>> {
    let text = crate::input::read_text(path)?;
    let fault = |why: &str| format!("`{}` {why}", path.display());
    let entries: Vec<Value> = match serde_json::from_str(&text) {
        Ok(Value::Array(entries)) => entries,
        Ok(_) => return problem("explore/input", fault("is not a list of commands")),
        Err(error) => return problem("explore/input", fault(&format!("is not JSON: {error}"))),
    };
    let beside = path.parent().unwrap_or(Path::new(""));
    let mut units: Vec<Unit> = Vec::new();
    for entry in &entries {
        let Some(unit) = unit(entry, beside) else {
            let why = "has an entry without `file` and `arguments` or `command`";
            return problem("explore/input", fault(why));
        };
        if !units.iter().any(|known| known.file == unit.file) {
            units.push(unit);
        }
    }
    match units.is_empty() {
        true => problem("explore/input", fault("lists no files")),
        false => Ok(units),
    }
}

fn unit(entry: &Value, beside: &Path) -> Option<Unit> {
    let directory = beside.join(entry["directory"].as_str().unwrap_or_default());
    let named = entry["file"].as_str()?;
    let arguments: Vec<String> = match (&entry["arguments"], entry["command"].as_str()) {
        (Value::Array(list), _) => {
            let texts = list.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<_>>()?
        }
        (_, Some(command)) => words(command),
        _ => return None,
    };
    let file = directory.join(named);
    Some(Unit {
        file: file.canonicalize().unwrap_or(file),
        flags: kept_flags(&arguments, named),
        directory,
    })
}

/// The flags that matter for what a file means.
fn kept_flags(arguments: &[String], file: &str) -> Vec<String> {
    const WITH_VALUE: &[&str] = &["-o", "-MF", "-MT", "-MQ", "-arch", "--target", "-target"];
    const WITHOUT: &[&str] = &[
        "-c",
        "-S",
        "-E",
        "-pipe",
        "--",
        "-fsanitize=address",
        "-Werror",
    ];
    const STARTS: &[&str] = &[
        "-O",
        "-g",
        "-M",
        "-flto",
        "-march=",
        "-mtune=",
        "-mcpu=",
        "-fprofile",
        "--coverage",
        "--target=",
        "-W",
    ];
    let mut kept = Vec::new();
    let mut rest = arguments.iter().skip(1);
    while let Some(argument) = rest.next() {
        if WITH_VALUE.contains(&argument.as_str()) {
            rest.next();
            continue;
        }
        let is_dropped = argument == file
            || WITHOUT.contains(&argument.as_str())
            || STARTS.iter().any(|start| argument.starts_with(start));
        if !is_dropped {
            kept.push(argument.clone());
        }
    }
    kept
}

/// The words of a command line, quoted as for a shell.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == character => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(characters.next()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_apart_as_by_a_shell() {
        let text = r#"cc -DNAME='"a b"' -I "x y" a\ b.c ''"#;
        let expected = ["cc", "-DNAME=\"a b\"", "-I", "x y", "a b.c", ""];
        assert_eq!(words(text), expected);
    }

    #[test]
    fn flags_about_output_and_processors_are_left_out() {
        let given = [
            "gcc",
            "-O2",
            "-Iinclude",
            "-MF",
            "a.d",
            "-o",
            "a.o",
            "-c",
            "a.c",
            "-DX=1",
            "-march=native",
            "-std=c11",
        ];
        let given: Vec<String> = given.iter().map(|&flag| flag.to_owned()).collect();
        assert_eq!(
            kept_flags(&given, "a.c"),
            ["-Iinclude", "-DX=1", "-std=c11"]
        );
    }
}
