//! The input of a path as a person would give it to the program: arguments, standard input, files and variables, and
//! then the symbolic objects that the program made itself.

use super::environment::values_of;
use crate::commands::replay::native::NativeRun;
use stet_explore::{KTest, TestObject};

/// Lines about a test of the program that was explored with these arguments.
pub(crate) fn described(args: &[String], objects: &[TestObject]) -> Vec<String> {
    let is_modelled = args.iter().skip(1).any(|arg| values_of(arg).is_some());
    if !is_modelled {
        return objects.iter().map(named).collect();
    }
    let test = KTest {
        args: args.to_vec(),
        objects: objects.to_vec(),
        ..KTest::default()
    };
    let run = NativeRun::of(&test);
    let mut lines = Vec::new();
    let symbolic = args.iter().any(|arg| arg.starts_with("--sym-arg"));
    if symbolic || !run.args.is_empty() {
        let words: Vec<String> = run.args.iter().map(|arg| quoted(arg)).collect();
        lines.push(match words.is_empty() {
            true => "input: no arguments".to_owned(),
            false => format!("input: arguments {}", words.join(" ")),
        });
    }
    for (name, value) in &run.variables {
        lines.push(format!("input: variable {name}={}", quoted(value)));
    }
    if let Some(bytes) = &run.input {
        lines.push(format!("input: standard input {}", quoted(bytes)));
    }
    if run.needs_terminal {
        lines.push("input: a terminal as standard input or output".to_owned());
    }
    for (name, bytes, mode) in &run.files {
        let bytes = quoted(bytes);
        lines.push(format!("input: file {name} {bytes}, permissions {mode:o}"));
    }
    for name in &run.failures {
        lines.push(format!("input: an operation that fails ({name})"));
    }
    let own = objects.iter().filter(|object| !is_of_model(&run, object));
    lines.extend(own.map(named));
    lines
}

fn named(object: &TestObject) -> String {
    format!("input {object}")
}

/// Whether the model of the system made an object.
fn is_of_model(run: &NativeRun, object: &TestObject) -> bool {
    let name = object.name.as_str();
    let is_number = |text: &str| text.len() >= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_file = |name: &str| matches!(name, "stdin" | "stdout") || name.ends_with("-data");
    let range = name.strip_prefix("n_args");
    name == "stdin"
        || name == "model_version"
        || range.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        || name.strip_prefix("arg").is_some_and(is_number)
        || name.ends_with("-data")
        || name.strip_suffix("-stat").is_some_and(is_file)
        || run.failures.iter().any(|known| known == name)
        || run.variables.iter().any(|(known, _)| known == name)
}

/// Bytes as the shell reads them.
fn quoted(bytes: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=+:,@%".contains(byte);
    let is_text = |byte: &u8| (32..127).contains(byte) && *byte != b'\'';
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    if bytes.iter().all(is_text) {
        return format!("'{}'", String::from_utf8_lossy(bytes));
    }
    // three digits, so that a digit that follows is not taken for one of them
    let shown = |&byte: &u8| match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\'' | b'\\' => format!("\\{}", byte as char),
        32..127 => (byte as char).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    format!("$'{}'", bytes.iter().map(shown).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str, bytes: &[u8]) -> TestObject {
        TestObject {
            name: name.into(),
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn the_environment_is_told_as_a_command_line() {
        let args = ["p", "--sym-args", "0", "2", "3", "--sym-stdin", "3"].map(String::from);
        let objects = [
            object("n_args", &[2, 0, 0, 0]),
            object("arg00", b"-0\0x"),
            object("arg01", b"a 'b"),
            object("stdin", &[0, b'1', b'\n']),
            object("stdin-stat", &[0; 144]),
            object("x", &[1]),
            object("user-stat", &[2]),
        ];
        assert_eq!(
            described(&args, &objects),
            [
                "input: arguments -0 $'a \\'b'",
                "input: standard input $'\\0001\\n'",
                "input x[1] = 01 \".\" = 1",
                "input user-stat[1] = 02 \".\" = 2",
            ]
        );
    }

    #[test]
    fn other_programs_have_objects_only() {
        let objects = [object("stdin", b"a")];
        let args = ["p".to_owned()];
        assert_eq!(
            described(&args, &objects),
            ["input stdin[1] = 61 \"a\" = 97"]
        );
    }

    #[test]
    fn a_call_without_arguments_says_so() {
        let args = ["p", "--sym-arg", "2"].map(String::from);
        let empty = [object("arg00", &[0, 0])];
        assert_eq!(described(&args, &empty), ["input: arguments ''"]);
        let args = ["p", "--sym-args", "0", "1", "2"].map(String::from);
        let none = [object("n_args", &[0; 4])];
        assert_eq!(described(&args, &none), ["input: no arguments"]);
    }
}
