//! `stet ktest-tool`: show test files, in the form KLEE's tool of that name has.

use crate::exit::ExitStatus;
use crate::input;
use crate::session::Session;
use std::path::PathBuf;
use stet_diag::Diagnostic;
use stet_explore::KTest;

/// Options of `stet ktest-tool`.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// The test files.
    #[arg(required = true, value_name = "TEST")]
    tests: Vec<PathBuf>,
    /// Leave out zeros at the end of objects.
    #[arg(long)]
    trim_zeros: bool,
    /// Write each object's bytes into a file `TEST.NAME`; may be repeated.
    #[arg(long, value_name = "NAME")]
    extract: Vec<String>,
}

/// Carries out the command.
pub(crate) fn execute(session: &mut Session, options: &Options) -> ExitStatus {
    for (number, path) in options.tests.iter().enumerate() {
        let test = match input::read_test(path) {
            Ok(test) => test,
            Err(diagnostic) => {
                session.report(*diagnostic);
                return ExitStatus::Usage;
            }
        };
        if !options.extract.is_empty() {
            if let Err(message) = extract(options, path, &test) {
                session.report(Diagnostic::error("explore/output", message));
                return ExitStatus::Usage;
            }
            continue;
        }
        if number > 0 {
            session.output.line("");
        }
        session
            .output
            .line(show(&path.display().to_string(), &test, options.trim_zeros).trim_end());
    }
    ExitStatus::Clean
}

fn extract(options: &Options, path: &std::path::Path, test: &KTest) -> Result<(), String> {
    for name in &options.extract {
        let Some(object) = test.objects.iter().find(|object| object.name == *name) else {
            return Err(format!("`{}` has no object `{name}`", path.display()));
        };
        let mut target = path.as_os_str().to_owned();
        target.push(format!(".{name}"));
        std::fs::write(&target, &object.bytes)
            .map_err(|error| format!("cannot write `{}`: {error}", target.to_string_lossy()))?;
    }
    Ok(())
}

fn show(name: &str, test: &KTest, trim: bool) -> String {
    let args: Vec<String> = test.args.iter().map(|arg| format!("'{arg}'")).collect();
    let mut text = format!(
        "ktest file : '{name}'\nargs       : [{}]\nnum objects: {}\n",
        args.join(", "),
        test.objects.len()
    );
    for (k, object) in test.objects.iter().enumerate() {
        let mut bytes = &object.bytes[..];
        while let (true, Some((0, rest))) = (trim, bytes.split_last()) {
            bytes = rest;
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        text += &format!("object {k}: name: '{}'\n", object.name);
        text += &format!("object {k}: size: {}\n", object.bytes.len());
        text += &format!("object {k}: data: {}\n", python_bytes(bytes));
        text += &format!("object {k}: hex : 0x{hex}\n");
        if let 1 | 2 | 4 | 8 = bytes.len() {
            let value = bytes
                .iter()
                .rev()
                .fold(0u64, |n, &byte| n << 8 | u64::from(byte));
            let shift = 64 - 8 * bytes.len() as u32;
            text += &format!("object {k}: int : {}\n", ((value << shift) as i64) >> shift);
            text += &format!("object {k}: uint: {value}\n");
        }
        let plain = |&byte: &u8| match byte {
            b' '..=b'~' => char::from(byte),
            _ => '.',
        };
        text += &format!(
            "object {k}: text: {}\n",
            bytes.iter().map(plain).collect::<String>()
        );
    }
    text
}

/// Bytes as Python writes them.
fn python_bytes(bytes: &[u8]) -> String {
    let quote = match bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        true => '"',
        false => '\'',
    };
    let one = |&byte: &u8| match byte {
        b'\\' => "\\\\".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\'' if quote == '\'' => "\\'".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!(
        "b{quote}{}{quote}",
        bytes.iter().map(one).collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stet_explore::TestObject;

    #[test]
    fn objects_are_shown_as_klees_tool_shows_them() {
        let test = KTest {
            args: vec!["p.bc".into(), "--sym-arg".into()],
            symbolic_args: (0, 0),
            objects: vec![TestObject {
                name: "x".into(),
                bytes: vec![b'a', 0, 0xff, 0xff],
            }],
        };
        let expected = "ktest file : 't'\nargs       : ['p.bc', '--sym-arg']\nnum objects: 1\n\
            object 0: name: 'x'\nobject 0: size: 4\nobject 0: data: b'a\\x00\\xff\\xff'\nobject 0: hex : 0x6100ffff\n\
            object 0: int : -65439\nobject 0: uint: 4294901857\nobject 0: text: a...\n";
        assert_eq!(show("t", &test, false), expected);
    }
}
