//! Records how this binary was built, for `stet --version`. Works outside a git checkout too.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    set("STET_RUSTC", output_of(&rustc, &["--version"]));
    set(
        "STET_COMMIT",
        output_of("git", &["rev-parse", "--short=12", "HEAD"]),
    );
    set("STET_TARGET", std::env::var("TARGET").ok());
    set("STET_PROFILE", std::env::var("PROFILE").ok());
    emit("cargo::rerun-if-changed=build.rs");
    // The log grows with every commit and checkout, in worktrees too.
    if let Some(log) = output_of("git", &["rev-parse", "--git-path", "logs/HEAD"])
        && std::path::Path::new(&log).exists()
    {
        emit(&format!("cargo::rerun-if-changed={log}"));
    }
}

fn set(name: &str, value: Option<String>) {
    let value = value.unwrap_or_else(|| "unknown".to_owned());
    emit(&format!("cargo::rustc-env={name}={value}"));
}

/// The first line a program prints, if it runs and succeeds.
fn output_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}

fn emit(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
