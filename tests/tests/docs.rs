//! The console blocks of the tutorials show what the program prints.
//!
//! Every `console` block of `docs/tutorial/*.md` is run in an empty folder with the files of `files.toml`, and its output is
//! compared with what the page shows. `UPDATE_EXPECT=1` writes the pages anew.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::{Path, PathBuf};
use std::process::Command;
use stet_tests::Sandbox;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// The folder of a tutorial with its files.
fn sandbox(tutorial: &str) -> Sandbox {
    let text = std::fs::read_to_string(root().join("docs/tutorial/files.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let mut sandbox = Sandbox::new();
    if let Some(runtime) = stet_tests::c_library() {
        sandbox = sandbox.variable("STET_RUNTIME", &runtime.display().to_string());
    }
    for (name, content) in table[tutorial].as_table().unwrap() {
        let content = content.as_str().unwrap();
        sandbox = match content.strip_prefix('@') {
            Some(path) => sandbox.file(name, std::fs::read(root().join(path)).unwrap()),
            None => sandbox.file(name, content.trim_start()),
        };
    }
    sandbox
}

/// What a command line of a block prints, with everything that varies from run to run replaced.
fn output(sandbox: &Sandbox, line: &str) -> String {
    let words: Vec<&str> = line
        .split_whitespace()
        .map(|w| w.trim_matches('\''))
        .collect();
    let (stdout, stderr) = match words.split_first().unwrap() {
        (&"stet", arguments) => {
            let outcome = sandbox.run(arguments);
            (outcome.stdout, outcome.stderr)
        }
        (program, arguments) => {
            let mut command = Command::new(program);
            let output = command
                .args(arguments)
                .current_dir(sandbox.path("."))
                .output()
                .unwrap();
            (String::from_utf8(output.stdout).unwrap(), String::new())
        }
    };
    let text = format!("{stdout}{stderr}");
    // said to root only
    let lines = text
        .lines()
        .filter(|line| !line.contains("the program runs as user"));
    let stable: Vec<String> = lines.map(without_times).collect();
    stable.join("\n").trim_end().to_owned()
}

/// The line with dates, durations and speeds replaced.
fn without_times(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let bare = word.trim_matches(|c: char| !c.is_ascii_digit());
        let is_digest = bare_hex(word);
        let is_date = bare.len() == 10 && bare.matches('-').count() == 2;
        let is_clock = bare.len() == 8 && bare.matches(':').count() == 2;
        let after = words.last().map(String::as_str);
        let is_version = matches!(after, Some("verify" | "explore"))
            && word.trim_end_matches(',').parse::<u32>().is_ok();
        let is_seconds = words.last().is_some_and(|_| word == "s" || word == "s,");
        if word == "M/s)," {
            words.pop();
            words.push("(1.0".to_owned());
        }
        if is_digest {
            words.push("(digest)".to_owned());
        } else if is_date {
            words.push(word.replace(bare, "2026-11-16"));
        } else if is_version {
            words.push("N,".to_owned());
        } else if is_clock {
            words.push(word.replace(bare, "12:00:00"));
        } else {
            if is_seconds
                && let Some(last) = words.last_mut()
                && last.parse::<f64>().is_ok()
            {
                *last = "0.0".to_owned();
            }
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

/// Whether a word is a digest, which differs from one version of an engine to the next.
fn bare_hex(word: &str) -> bool {
    word.len() >= 16 && word.chars().all(|c| c.is_ascii_hexdigit())
}

/// The page with the output of every block as it is now.
fn rewritten(page: &str, sandbox: &Sandbox) -> String {
    let mut result = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        result += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        for line in lines.by_ref().take_while(|line| *line != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                result += &format!("$ {command}\n");
                let output = output(sandbox, command);
                if !output.is_empty() {
                    result += &format!("{output}\n");
                }
            }
        }
        result += "```\n";
    }
    result
}

fn check(tutorial: &str) {
    let path = root().join(format!("docs/tutorial/{tutorial}.md"));
    let page = std::fs::read_to_string(&path).unwrap();
    let now = rewritten(&page, &sandbox(tutorial));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &now).unwrap();
    } else if page != now {
        panic!(
            "docs/tutorial/{tutorial}.md shows other output than the program; UPDATE_EXPECT=1 writes it anew:\n{now}"
        );
    }
}

fn present(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        stet_testkit::skip(tool);
    }
    found
}

/// The quick start of the README shows the beginnings of lines that its commands print, in that order.
#[test]
fn quick_start_of_the_readme() {
    if !present("z3") || !present("clang-19") {
        return;
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut sandbox = Sandbox::new();
    let mut shown: Vec<(&str, Vec<String>)> = Vec::new();
    for line in readme.lines().filter_map(|line| line.strip_prefix("    ")) {
        match line.strip_prefix("$ ") {
            Some(command) => shown.push((command, Vec::new())),
            None => {
                if let Some((_, lines)) = shown.last_mut() {
                    lines.push(without_times(line)); // as `output` does
                }
            }
        }
    }
    for (command, _) in &shown {
        for file in command
            .split_whitespace()
            .filter(|word| word.starts_with("examples/"))
        {
            sandbox = sandbox.file(file, std::fs::read(root().join(file)).unwrap());
        }
    }
    assert!(shown.len() >= 7, "{shown:?}");
    for (command, lines) in shown {
        assert!(!lines.is_empty(), "README.md shows no output of {command}");
        let printed = output(&sandbox, command);
        let mut rest = printed.lines();
        for line in &lines {
            assert!(
                rest.any(|printed| printed.starts_with(line.as_str())),
                "README.md shows `{line}` for {command}, which prints:\n{printed}"
            );
        }
    }
}

#[test]
fn tutorial_of_verify() {
    if present("z3") {
        check("verify");
    }
}

#[test]
fn tutorial_of_explore() {
    if present("clang-19") {
        check("explore");
    }
}

#[test]
fn tutorial_of_run() {
    check("run");
}

#[test]
fn tutorial_of_dafny() {
    if present("z3") {
        check("dafny");
    }
}

#[test]
fn tutorial_of_programs() {
    if stet_tests::c_library().is_none() {
        stet_testkit::skip("musl as IR (`stet setup`)");
    } else if present("clang-19") {
        check("programs");
    }
}
