//! KLEE's flags about errors and files, its tools, and the compiler wrapper.

use super::musl::runtime;
use stet_tests::Sandbox;

/// Forks once, reports its own error on one side, and fails an assumption on none.
const REPORTS: &str = r#"
@n = private constant [2 x i8] c"x\00"
@f = private constant [4 x i8] c"a.c\00"
@m = private constant [9 x i8] c"My error\00"
@s = private constant [7 x i8] c"my.err\00"
declare i32 @klee_int(ptr)
declare void @klee_report_error(ptr, i32, ptr, ptr)
define i32 @main() {
  %x = call i32 @klee_int(ptr @n)
  %c = icmp eq i32 %x, 7
  br i1 %c, label %bad, label %good
bad:
  call void @klee_report_error(ptr @f, i32 12, ptr @m, ptr @s)
  unreachable
good:
  ret i32 3
}
"#;

#[test]
fn an_error_of_the_program_keeps_its_place_and_suffix() {
    let sandbox = Sandbox::new().file("r.ll", REPORTS);
    let outcome = sandbox.run(&["klee", "--output-dir=out", "--write-paths", "r.ll"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.stderr.contains("KLEE: ERROR: a.c:12: My error\n"),
        "{outcome:?}"
    );
    let names: Vec<String> = std::fs::read_dir(sandbox.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(
        names
            .iter()
            .filter(|name| name.ends_with(".my.err"))
            .count(),
        1,
        "{names:?}"
    );
    assert_eq!(
        names.iter().filter(|name| name.ends_with(".path")).count(),
        2,
        "{names:?}"
    );
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap();
    assert!(exits.trim_end().ends_with(" 3"), "{exits}");
}

#[test]
fn istats_count_instructions_by_function_and_line() {
    let sandbox = Sandbox::new().file("r.ll", REPORTS);
    let outcome = sandbox.run(&["klee", "--output-dir=out", "r.ll"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let text = std::fs::read_to_string(sandbox.path("out/run.istats")).unwrap();
    // three instructions before the branch, two and one after it; the text has no places
    assert!(text.contains("events: Ir Icov\nsummary: 6 6\n"), "{text}");
    assert!(text.ends_with("fn=main\n0 6 6\n"), "{text}");
    sandbox.run(&["klee", "--output-dir=none", "--output-istats=false", "r.ll"]);
    assert!(!sandbox.path("none/run.istats").exists());
    assert!(sandbox.path("none/run.stats").exists());
}

#[test]
fn exit_on_error_shows_the_error_and_fails() {
    let sandbox = Sandbox::new().file("r.ll", REPORTS);
    let outcome = sandbox.run(&["klee", "--output-dir=out", "--exit-on-error", "r.ll"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(
        outcome
            .stderr
            .contains("EXITING ON ERROR:\nError: My error\n"),
        "{outcome:?}"
    );
    let other = sandbox.run(&[
        "klee",
        "--output-dir=out2",
        "--exit-on-error-type",
        "Ptr",
        "r.ll",
    ]);
    assert_eq!(
        other.code,
        Some(0),
        "another kind does not end the run: {other:?}"
    );
}

#[test]
fn what_is_no_flag_of_klee_is_refused_and_no_flag_swallows_the_program() {
    let sandbox = Sandbox::new().file("r.ll", REPORTS);
    let unknown = sandbox.run(&["klee", "--no-such-flag", "r.ll"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(
        unknown
            .stderr
            .contains("Unknown command line argument '--no-such-flag'"),
        "{unknown:?}"
    );
    let ignored = sandbox.run(&["klee", "--output-dir=out", "--write-sym-paths", "r.ll"]);
    assert_eq!(ignored.code, Some(0), "{ignored:?}");
    assert!(
        ignored
            .stderr
            .contains("ignoring the option --write-sym-paths"),
        "{ignored:?}"
    );
}

#[test]
fn tests_are_replayed_and_shown() {
    let sandbox = Sandbox::new().file("r.ll", REPORTS);
    sandbox.run(&["klee", "--output-dir=out", "--search=dfs", "r.ll"]);
    let replayed = sandbox.run(&[
        "klee",
        "--output-dir=again",
        "--replay-ktest-dir=out",
        "r.ll",
    ]);
    assert_eq!(
        replayed.stderr.matches("KLEE: replaying: ").count(),
        2,
        "{replayed:?}"
    );
    assert!(replayed.stderr.contains("My error"), "{replayed:?}");
    assert!(
        replayed.stderr.contains("completed paths = 1\n"),
        "{replayed:?}"
    );
    let error = std::fs::read_dir(sandbox.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.ends_with(".my.err"))
        .unwrap();
    let test = format!("out/{}", error.replace(".my.err", ".ktest"));
    let shown = sandbox.run(&["ktest-tool", &test]);
    assert!(shown.stdout.contains("object 0: name: 'x'\n"), "{shown:?}");
    assert!(shown.stdout.contains("object 0: int : 7\n"), "{shown:?}");
    let statistics = sandbox.run(&["klee-stats", "out", "again"]);
    assert_eq!(statistics.code, Some(0), "{statistics:?}");
    assert!(statistics.stdout.contains("Instrs"), "{statistics:?}");
}

#[test]
fn functions_take_the_place_of_others() {
    let program = include_str!("programs/klee_tools/functions_take_the_place_of_others.ll");
    let sandbox = Sandbox::new().file("a.ll", program);
    let run = |flag: &str, out: &str| {
        sandbox.run(&["klee", &format!("--output-dir={out}"), flag, "a.ll"])
    };
    let replaced = run("--function-alias=on.*:two", "o1");
    assert!(
        replaced
            .stderr
            .contains("replaced @one (matching 'on.*') with @two"),
        "{replaced:?}"
    );
    let exits = std::fs::read_to_string(sandbox.path("o1/exits.txt")).unwrap();
    assert_eq!(exits, "test000001 2\n");
    assert_eq!(run("--function-alias=one:three", "o2").code, Some(2));
    assert_eq!(run("--function-alias=one:one", "o3").code, Some(2));
}

#[test]
fn a_project_built_with_the_wrapper_is_explored_and_its_tests_run_natively() {
    let Some(runtime) = runtime() else {
        return;
    };
    let main = "#include <stdio.h>\nint check(const char *);\nint main(int c, char **v) { return c > 1 ? check(v[1]) : 9; }\n";
    let library =
        "#include <string.h>\nint check(const char *s) { return strcmp(s, \"ok\") ? 1 : 0; }\n";
    let sandbox = Sandbox::new()
        .file("main.c", main)
        .file("check.c", library)
        .variable("STET_RUNTIME", &runtime);
    for arguments in [
        &["cc", "-c", "-O2", "check.c", "-o", "check.o"][..],
        &["cc", "-c", "main.c"],
        &["cc", "main.o", "check.o", "-o", "prog"],
    ] {
        let outcome = sandbox.run(arguments);
        assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
    }
    let explored = sandbox.run(&[
        "explore",
        "prog",
        "--sym-args",
        "0",
        "1",
        "2",
        "--output-dir",
        "out",
    ]);
    assert_eq!(explored.code, Some(0), "{explored:?}");
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap();
    for line in exits.lines() {
        let (test, status) = line.split_once(' ').unwrap();
        let replayed = sandbox.run(&["klee-replay", "prog", &format!("out/{test}.ktest")]);
        let expected = match status {
            "0" => "EXIT STATUS: NORMAL".to_owned(),
            _ => format!("EXIT STATUS: ABNORMAL {status} "),
        };
        assert!(replayed.stderr.contains(&expected), "{line}: {replayed:?}");
    }
    for status in [" 0", " 1", " 9"] {
        assert!(exits.lines().any(|line| line.ends_with(status)), "{exits}");
    }
}

#[test]
fn a_report_names_the_object_and_how_to_see_the_error_again() {
    let program = "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(10);\n  p[12] = 1;\n  return 0;\n}\n";
    let Some(runtime) = runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &runtime);
    let outcome = sandbox.run(&["explore", "p.c", "--output-dir", "out"]);
    for part in [
        "access of 1 bytes at offset 12 of a heap object of 10 bytes, made in main at p.c:3",
        "stet replay p.c out/test000001.ktest",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {outcome:?}");
    }
    let twice = "#include <stdlib.h>\nint main(void) { char *p = malloc(3); free(p); free(p); return 0; }\n";
    let sandbox = Sandbox::new()
        .file("p.c", twice)
        .variable("STET_RUNTIME", &runtime);
    let outcome = sandbox.run(&["explore", "p.c"]);
    assert!(outcome.stdout.contains("double free"), "{outcome:?}");
}

const GREETING: &str = "#include <stdio.h>\n#include <string.h>\nint main(int c, char **v) {\n  char b[8] = {0};\n  if (c > 1 && !strcmp(v[1], \"-n\")) return 5;\n\
  if (!fgets(b, 8, stdin)) return 0;\n  return strcmp(b, \"key=1\\n\") ? 1 : 42;\n}\n";

/// A plain file is a seed for standard input: its path ends first, and all others follow.
#[test]
fn a_plain_file_is_a_seed_of_standard_input() {
    let Some(runtime) = runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", GREETING)
        .file("input.txt", "key=1\n")
        .variable("STET_RUNTIME", &runtime);
    let explore = |further: &[&str]| {
        let mut arguments = vec!["explore", "p.c", "--seed-file", "input.txt"];
        arguments.extend(further);
        sandbox.run(&arguments)
    };
    let outcome = explore(&["--sym-stdin", "6", "--output-dir", "all"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let exits = std::fs::read_to_string(sandbox.path("all/exits.txt")).unwrap();
    assert!(exits.starts_with("test000001 42\n"), "{exits}");
    assert!(exits.lines().count() > 2, "{exits}");
    let outcome = explore(&["--sym-stdin", "6", "--only-seed"]);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    assert!(
        outcome
            .stdout
            .contains("the paths of all seeds have ended: 1 paths"),
        "{outcome:?}"
    );
    let outcome = explore(&[]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stdout.contains("a plain file needs --sym-stdin"),
        "{outcome:?}"
    );
}

#[test]
fn a_concrete_run_is_the_seed_of_klee_zesti() {
    let Some(runtime) = runtime() else {
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.c", GREETING)
        .variable("STET_RUNTIME", &runtime);
    let outcome = sandbox.run(&[
        "klee-zesti",
        "--only-replay-seeds",
        "--output-dir=out",
        "p.c",
        "-n",
    ]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(
        outcome.stderr.contains("KLEE: done: completed paths = 1\n"),
        "{outcome:?}"
    );
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap();
    assert_eq!(exits, "test000001 5\n");
}
