//! Help, version, completions, manual page and wrong usage.

use super::check;
use expect_test::expect;
use stet_tests::Sandbox;

const COMMANDS: &[&str] = &[
    "explore",
    "verify",
    "run",
    "boogie",
    "klee",
    "replay",
    "cache",
    "bench",
    "completions",
    "man",
];

#[test]
fn the_top_level_help_lists_every_command() {
    let outcome = Sandbox::new().run(&["-h"]);
    assert_eq!(outcome.code, Some(0));
    for command in COMMANDS {
        let line = format!("\n  {command} ");
        assert!(outcome.stdout.contains(&line), "{command}");
    }
    assert!(!outcome.stdout.contains("debug"), "hidden");
    assert!(
        outcome
            .stdout
            .contains("Exit codes: 0 nothing found, 1 findings")
    );
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(
        lines.iter().all(|line| line.chars().count() <= 100),
        "{lines:#?}"
    );
}

#[test]
fn every_command_has_help() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        let outcome = sandbox.run(&["help", command]);
        assert_eq!(outcome.code, Some(0), "{command}");
        assert!(outcome.stderr.is_empty(), "{command}");
        let usage = format!("Usage: stet {command}");
        assert!(outcome.stdout.contains(&usage), "{}", outcome.stdout);
    }
    let outcome = sandbox.run(&["verify", "--help"]);
    assert!(
        outcome.stdout.contains("Common options:"),
        "{}",
        outcome.stdout
    );
}

/// `--help` works for the compatible commands, too, and every command's help fits a terminal.
#[test]
fn help_reads_well() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let outcome = sandbox.run(&[command, flag]);
            assert_eq!(outcome.code, Some(0), "{command} {flag}: {outcome:?}");
            assert!(outcome.stderr.is_empty(), "{command} {flag}");
            let widest = outcome
                .stdout
                .lines()
                .map(|line| line.chars().count())
                .max();
            assert!(widest <= Some(110), "{command} {flag}: {widest:?}");
        }
    }
    let groups = [
        (
            "explore",
            &["Input:", "Exploration:", "Queries:", "Limits:", "Output:"][..],
        ),
        (
            "verify",
            &["Verification:", "Limits:", "Prover:", "Output:"],
        ),
    ];
    for (command, headings) in groups {
        let outcome = sandbox.run(&[command, "-h"]);
        for heading in headings.iter().chain(&["Examples:", "Common options:"]) {
            let line = format!("\n{heading}\n");
            assert!(outcome.stdout.contains(&line), "{command} {heading}");
        }
    }
}

#[test]
fn help_of_the_cache_commands() {
    check(
        &Sandbox::new().run(&["cache", "-h"]),
        &expect![[r#"
            exit 0
            --- stdout
            Inspect and maintain the store of verdicts

            Usage: stet cache [OPTIONS] <COMMAND>

            Commands:
              path    Print where the store is
              stats   Count what the store holds
              gc      Remove the verdicts not used for the longest time until the store is small enough
              verify  Check every verdict and the file itself; remove what is damaged
              clear   Remove all verdicts
              why     Explain the latest miss: which part of the key differed first
              export  Write the verdicts to a file for another machine
              import  Take over the verdicts of an exported file
              remote  Say which shared store is used and whether it answers
              push    Send the verdicts found on this machine to the shared store
              pull    Fetch verdicts of the shared store, for runs without a connection
              keys    Who signs verdicts, and who is believed
              help    Print this message or the help of the given subcommand(s)

            Options:
              -h, --help  Print help (see more with '--help')

            Common options:
                  --format <FORMAT>        How to print what was found [default: full] [possible values: full,
                                           concise, json, sarif, junit, markdown]
                  --cache <MODE>           What to do with stored verdicts [default: read-write] [possible
                                           values: read-write, read-only, enforce, off]
                  --store <PATH|URL>       The file of stored verdicts [default: stet/store.db in the user's
                                           cache directory], or the URL of a shared store
                  --store-limit <SIZE>     The size the file of stored verdicts is kept below, e.g. `500M`
                                           [default: 2G]
                  --check-cache[=<SHARE>]  Recompute reused verdicts and stop at a difference: all of them, or a
                                           random share (`sample:1%`) [default: off]
                  --jobs <N>               How many workers to use [default: one per processor]
                  --time-limit <SECONDS>   Stop after this many seconds with what was found so far
                  --memory-limit <SIZE>    Stop when Stet itself takes more memory, e.g. `4G` [default: nine
                                           tenths of the machine's]
                  --output <FILE>          Write results to this file instead of the standard output
                  --color <WHEN>           When to use colours [default: auto] [possible values: auto, always,
                                           never]
              -q, --quiet                  Print findings and asked-for answers only
              -v, --verbose...             Print more about what is done; twice for still more

            Shared store:
                  --remote <URL>           The store of the team: `redis://`, `s3://`, `https://` or `file://`
                                           (docs/SHARED.md)
                  --remote-role <ROLE>     What may be done with it [default: read-write with a signing key,
                                           else read-only] [possible values: read-only, write-only, read-write]
                  --remote-wait <SECONDS>  Go on without it after this many seconds without an answer [default:
                                           0.3]
                  --share <WHAT>           How evidence is sent: encrypted (`evidence=sealed`) or not at all
                                           (`evidence=none`) [default: evidence=sealed]
                  --keys <DIRECTORY>       Signing key and trusted keys [default: stet/keys in the user's
                                           configuration directory]

            Examples:
              stet cache stats                             what the store holds
              stet cache why program.bpl:Proc              why the latest verdict was not reused
              stet cache export verdicts.stet              to take elsewhere: stet cache import verdicts.stet
            More: docs/CACHE.md
        "#]],
    );
}

#[test]
fn the_version_tells_how_it_was_built() {
    let outcome = Sandbox::new().run(&["--version"]);
    assert_eq!(outcome.code, Some(0));
    let words: Vec<&str> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split([' ', ':']).next())
        .collect();
    assert_eq!(words, ["stet", "commit", "profile", "target", "rustc"]);
    let short = Sandbox::new().run(&["-V"]);
    assert_eq!(short.stdout.lines().count(), 1);
}

#[test]
fn wrong_usage() {
    let sandbox = Sandbox::new();
    check(
        &sandbox.run(&["frobnicate"]),
        &expect![[r#"
        exit 2
        --- stderr
        error: unrecognized subcommand 'frobnicate'

        Usage: stet [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    check(
        &sandbox.run(&["cache", "path", "--format", "html"]),
        &expect![[r#"
            exit 2
            --- stderr
            error: invalid value 'html' for '--format <FORMAT>'
              [possible values: full, concise, json, sarif, junit, markdown]

            For more information, try '--help'.
        "#]],
    );
    for arguments in [
        &[][..],
        &["cache"],
        &["verify"],
        &["cache", "why"],
        &["cache", "path", "--jobs", "0"],
        &["cache", "path", "--time-limit", "-1"],
        &["cache", "gc", "--max-size", "big"],
        &["cache", "path", "-q", "-v"],
        &["man", "frobnicate"],
        &["completions", "cobol"],
    ] {
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {outcome:?}");
        assert!(!outcome.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn completions_know_the_commands() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = sandbox.run(&["completions", shell]);
        assert_eq!(outcome.code, Some(0), "{shell}");
        for word in ["explore", "check-cache", "completions"] {
            assert!(outcome.stdout.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn manual_pages() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(&["man"]);
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.contains(".TH stet 1"), "{}", page.stdout);
    assert!(page.stdout.contains("time\\-limit"));
    for command in COMMANDS {
        let page = sandbox.run(&["man", command]);
        assert_eq!(page.code, Some(0), "{command}");
        let title = format!(".TH stet-{command} 1");
        assert!(page.stdout.contains(&title), "{command}");
    }
}

#[test]
fn a_benchmark_that_is_not_there_says_how_to_build_it() {
    // The binary alone in another directory has no benchmark programs beside it.
    let sandbox = Sandbox::new();
    let copy = sandbox.path("stet-copy");
    std::fs::copy(stet_tests::stet_binary(), &copy).unwrap();
    let output = std::process::Command::new(copy)
        .args(["bench", "store"])
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("cargo build --release --package stet-bench"),
        "{text}"
    );
}
