//! Where settings come from: flag, variable, `stet.toml`, user configuration, default.

use super::check;
use expect_test::expect;
use stet_tests::Sandbox;

/// The path of the store tells which setting won.
fn store(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let arguments = [&["cache", "path"], arguments].concat();
    let outcome = sandbox.run_in("a/b", &arguments);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome.stdout.trim().to_owned()
}

#[test]
fn each_source_beats_the_next() {
    let mut sandbox = Sandbox::new().file("a/b/here", "");
    assert_eq!(store(&sandbox, &[]), "[DIR]/.cache/stet/store.db");
    sandbox.write(".config/stet/config.toml", "store = \"user.db\"\n");
    assert_eq!(store(&sandbox, &[]), "[DIR]/.config/stet/user.db");
    sandbox.write(
        ".config/stet/config.toml",
        "store = \"u\"\n[cache]\nstore = \"user.db\"\n",
    );
    assert_eq!(store(&sandbox, &[]), "[DIR]/.config/stet/user.db");
    sandbox.write("stet.toml", "store = \"project.db\"\n");
    assert_eq!(store(&sandbox, &[]), "[DIR]/project.db");
    sandbox.write(
        "stet.toml",
        "store = \"p\"\n[cache]\nstore = \"project.db\"\n[verify]\nstore = \"v\"\n",
    );
    assert_eq!(store(&sandbox, &[]), "[DIR]/project.db");
    sandbox.write("a/stet.toml", "store = \"nearest.db\"\n");
    assert_eq!(store(&sandbox, &[]), "[DIR]/a/nearest.db");
    sandbox = sandbox.variable("STET_STORE", "/variable.db");
    assert_eq!(store(&sandbox, &[]), "/variable.db");
    assert_eq!(store(&sandbox, &["--store", "/flag.db"]), "/flag.db");
    sandbox = sandbox.variable("STET_STORE", "");
    assert_eq!(store(&sandbox, &[]), "[DIR]/a/nearest.db", "empty is unset");
}

#[test]
fn a_named_configuration_replaces_the_nearest() {
    let sandbox = Sandbox::new()
        .file("a/b/stet.toml", "store = \"nearest.db\"\n")
        .file("other.toml", "store = \"other.db\"\n");
    let path = sandbox.path("other.toml").display().to_string();
    let sandbox = sandbox.variable("STET_CONFIG", &path);
    assert_eq!(store(&sandbox, &[]), "[DIR]/other.db");
    let sandbox = sandbox.variable("STET_CONFIG", "");
    assert_eq!(store(&sandbox, &[]), "[DIR]/.cache/stet/store.db");
}

#[test]
fn options_of_commands_and_flags_can_be_set() {
    let sandbox = Sandbox::new().file(
        "stet.toml",
        "format = \"json\"\nquiet = true\n[cache.gc]\nmax-size = \"wrong\"\n",
    );
    assert_eq!(sandbox.run(&["cache", "path"]).json()["command"], "cache");
    let quietly = sandbox.run(&["cache", "path", "--format", "full"]);
    assert_eq!(
        quietly.stdout, "[DIR]/.cache/stet/store.db\n",
        "{quietly:?}"
    );
    let wrong = sandbox.run(&["cache", "gc"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("stet.toml:4:1"), "{}", wrong.stderr);
    let sandbox = sandbox.variable("STET_CACHE_GC_MAX_SIZE", "1M");
    assert_eq!(sandbox.run(&["cache", "gc"]).code, Some(0));
    let sandbox = sandbox
        .variable("STET_QUIET", "0")
        .variable("STET_FORMAT", "full");
    assert!(!sandbox.run(&["cache", "clear"]).stdout.is_empty());
    let sandbox = sandbox.variable("STET_QUIET", "yes");
    assert!(sandbox.run(&["cache", "clear"]).stdout.is_empty());
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let run = |text: &str| {
        Sandbox::new()
            .file("stet.toml", text)
            .run(&["cache", "path"])
    };
    check(
        &run("format = \"full\"\n[verify]\njops = 3\n"),
        &expect![[r#"
            exit 2
            --- stderr
            error[config/unknown]: there is no option `jops`
             --> stet.toml:3:1
              |
            3 | jops = 3
              | ^^^^
              = note: the options of a command are listed by `stet COMMAND --help`
        "#]],
    );
    check(
        &run("jobs = -1\n"),
        &expect![[r#"
        exit 2
        --- stderr
        error[config/invalid-value]: wrong value for `jobs` in `[DIR]/stet.toml`
         --> stet.toml:1:1
          |
        1 | jobs = -1
          | ^^^^
          = note: invalid value '-1' for '--jobs <N>': invalid digit found in string
    "#]],
    );
    check(
        &run("[frobnicate]\njobs = 1\n"),
        &expect![[r#"
        exit 2
        --- stderr
        error[config/unknown]: there is no command `frobnicate`
         --> stet.toml:2:1
          |
        2 | jobs = 1
          | ^^^^
          = note: the options of a command are listed by `stet COMMAND --help`
    "#]],
    );
    check(
        &run("format = full\n"),
        &expect![[r#"
        exit 2
        --- stderr
        error[config/syntax]: invalid boolean, expected `false`
         --> stet.toml:1:10
          |
        1 | format = full
          |          ^^^^
    "#]],
    );
    check(
        &run("format = [[1]]\n"),
        &expect![[r#"
        exit 2
        --- stderr
        error[config/invalid-value]: `format` must be a string, a number, a truth value or a list of these
         --> stet.toml:1:1
          |
        1 | format = [[1]]
          | ^^^^^^
    "#]],
    );
    let outcome = Sandbox::new()
        .variable("STET_JOBS", "many")
        .run(&["cache", "path"]);
    check(
        &outcome,
        &expect![[r#"
        exit 2
        --- stderr
        error[config/invalid-value]: wrong value for `jobs` in the environment variable STET_JOBS
          = note: invalid value 'many' for '--jobs <N>': invalid digit found in string
    "#]],
    );
    let not_text = Sandbox::new()
        .file("stet.toml", b"\xff")
        .run(&["cache", "path"]);
    assert_eq!(not_text.code, Some(2));
    // Help must work whatever the files say.
    let outcome = Sandbox::new().file("stet.toml", "[x").run(&["--help"]);
    assert_eq!(outcome.code, Some(0));
}

#[test]
fn any_bytes_for_a_configuration_give_an_answer_or_a_diagnostic() {
    const SEED: &str = "format = \"full\"\nquiet = true\nstore = 'a.db' # here\n[verify]\njobs = 2\nprover = \"z3\"\n\
        [cache.gc]\nmax-size = \"1G\"\n[explore]\nsearch = [\"dfs\", \"bfs\"]\n";
    const PIECES: [&[u8]; 12] = [
        b"[[",
        b"]",
        b"{",
        b"\"\"\"",
        b"=",
        b"\xff",
        b"\n",
        b"\0",
        b"1e999",
        b"-0x",
        b"[cache]",
        "é".as_bytes(),
    ];
    let mut random = stet_testkit::Random::new(1);
    let mut below = |limit: usize| random.below(limit);
    let sandbox = Sandbox::new();
    let mut refused = 0;
    for _ in 0..120 {
        let mut text = SEED.as_bytes().to_vec();
        for _ in 0..=below(4) {
            let at = below(text.len() + 1);
            match below(3) {
                0 => drop(text.splice(at..at, PIECES[below(PIECES.len())].iter().copied())),
                1 => text.truncate(at),
                _ => drop(text.drain(at..(at + 1 + below(6)).min(text.len()).max(at))),
            }
        }
        sandbox.write("stet.toml", &text);
        let outcome = sandbox.run(&["cache", "path"]);
        assert!(
            matches!(outcome.code, Some(0 | 2)),
            "{}\n{outcome:?}",
            String::from_utf8_lossy(&text)
        );
        refused += usize::from(outcome.code == Some(2));
    }
    assert!((10..120).contains(&refused), "{refused} refused");
}

#[test]
fn misspelt_variables_are_warned_about() {
    let sandbox = Sandbox::new()
        .variable("STET_JOB", "2")
        .variable("STET_VERIFY_ERROR_LIMIT", "3")
        .variable("STET_CACHE_GC_MAX_SIZE", "1G")
        .variable("STET_Z3", "/nowhere/z3")
        .variable("STET_FORMATT", "");
    let outcome = sandbox.run(&["cache", "path"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let warning = "warning[config/unknown-variable]";
    assert_eq!(outcome.stderr.matches(warning).count(), 1, "{outcome:?}");
    assert!(outcome.stderr.contains("`STET_JOB`"), "{outcome:?}");
    assert!(
        outcome.stderr.contains("there is `STET_JOBS`"),
        "{outcome:?}"
    );
}
