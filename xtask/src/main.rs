//! Chores of the repository: `cargo xtask tidy` checks what the compiler does not.

mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["tidy"] => tidy::run(false),
        ["tidy", "--sizes"] => tidy::run(true),
        _ => {
            report("usage: cargo xtask tidy [--sizes]");
            ExitCode::from(2)
        }
    }
}

/// Prints a line; the one place of this tool that does.
fn report(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
