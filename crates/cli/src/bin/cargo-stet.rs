//! `cargo stet COMMAND …` in a package is `stet COMMAND …` on its `Cargo.toml`: cargo calls this program for its command `stet`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // cargo repeats its command's name
    if arguments.first().is_some_and(|first| first == "stet") {
        arguments.remove(0);
    }
    if arguments.first().is_some_and(|first| first == "explore") {
        complete(&mut arguments);
    }
    match Command::new(beside_us()).args(&arguments).status() {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            ExitCode::from(code.unwrap_or(101))
        }
        Err(error) => {
            use std::io::Write;
            let line = format!(
                "cargo stet: cannot run `{}`: {error}\n",
                beside_us().display()
            );
            let _ = std::io::stderr().write_all(line.as_bytes());
            ExitCode::from(2)
        }
    }
}

/// The `stet` of the same installation, or else the one on the path.
fn beside_us() -> PathBuf {
    let name = format!("stet{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok();
    let beside = own.and_then(|own| Some(own.parent()?.join(&name)));
    beside
        .filter(|beside| beside.exists())
        .unwrap_or_else(|| PathBuf::from(name))
}

/// Names the package around the current directory, unless an input is named.
fn complete(arguments: &mut Vec<OsString>) {
    let is_input = |argument: &OsString| {
        let path = Path::new(argument);
        path.file_name().is_some_and(|name| name == "Cargo.toml")
            || path.extension().is_some_and(|extension| extension == "rs")
    };
    let asks_for_help = arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h");
    if asks_for_help || arguments.iter().any(is_input) {
        return;
    }
    let here = std::env::current_dir().unwrap_or_default();
    let manifests = here.ancestors().map(|folder| folder.join("Cargo.toml"));
    let found = manifests.into_iter().find(|manifest| manifest.is_file());
    arguments.insert(
        1,
        found.unwrap_or_else(|| PathBuf::from("Cargo.toml")).into(),
    );
}
