//! Limits hold to the end of a run, and programs are found where links lead.

use super::{clean, llvm};
use std::process::Command;
use stet_tests::Sandbox;

/// 24 bytes that each fork: far more states than can be written in time.
const MANY: &str = "#include <klee/klee.h>\nint main(void) {\n  unsigned char b[24]; klee_make_symbolic(b, sizeof b, \"b\");\n\
    int n = 0;\n  for (int i = 0; i < 24; i++) if (b[i] > 100) n++;\n  return n;\n}\n";

/// A run that the time limit stops with many states reports what it has: tests of the states that are left are written for a while only.
#[test]
fn the_report_of_a_run_with_many_states_survives_the_time_limit() {
    let Some(suffix) = llvm() else { return };
    let clang = format!("clang{suffix}");
    let sandbox = Sandbox::new().file("many.c", MANY);
    let outcome = sandbox.run(&[
        "explore",
        "--libc",
        "none",
        "--clang",
        &clang,
        "--search",
        "bfs",
        "--time-limit",
        "3",
        "--cache",
        "off",
        "--output-dir",
        "out",
        "--format",
        "json",
        "many.c",
    ]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(3), "{outcome:?}");
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let dropped = json["result"]["paths"]["dropped"].as_u64().unwrap();
    let left_out = json["result"]["left_out"].as_array().unwrap().iter();
    let counted: u64 = left_out.filter_map(|entry| entry["count"].as_u64()).sum();
    assert!(dropped > 0 && dropped == counted, "{outcome:?}");
    assert!(json["result"]["complete"] == false);
    let tests = std::fs::read_dir(sandbox.path("out")).unwrap();
    let is_test = |name: std::ffi::OsString| name.to_string_lossy().ends_with(".ktest");
    let tests = tests.filter(|entry| is_test(entry.as_ref().unwrap().file_name()));
    assert_eq!(
        tests.count() as u64,
        json["result"]["tests"].as_u64().unwrap()
    );
}

/// `stet cc` keeps IR beside the program; a symbolic link and an installed copy mean the same program.
#[test]
fn links_to_and_copies_of_a_program_are_explored() {
    let Some(suffix) = llvm() else { return };
    let sandbox = Sandbox::new()
        .file("half.c", "int half(int x) { return x / 2; }\n")
        .file(
            "main.c",
            "int half(int);\nint main(int argc, char **argv) { return half(argc) == 0 ? 0 : 1; }\n",
        );
    let clang = format!("clang{suffix}");
    for arguments in [
        &["-c", "half.c"][..],
        &["-c", "main.c"],
        &["half.o", "main.o", "-o", "prog"],
    ] {
        let mut all = vec!["cc"];
        all.extend(arguments);
        let outcome = sandbox.run(&all);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
    std::fs::create_dir(sandbox.path("bin")).unwrap();
    std::os::unix::fs::symlink(sandbox.path("prog"), sandbox.path("bin/link")).unwrap();
    std::fs::copy(sandbox.path("prog"), sandbox.path("bin/copy")).unwrap();
    for program in ["prog", "bin/link", "bin/copy"] {
        let outcome = sandbox.run(&[
            "explore", "--libc", "none", "--clang", &clang, "--cache", "off", program,
        ]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(0), "{program}: {outcome:?}");
        assert!(outcome.stdout.contains("1 paths (1 normal"), "{outcome:?}");
    }
    let plain = Command::new(&clang)
        .args(["half.c", "main.c", "-o", "plain"])
        .current_dir(sandbox.path("."))
        .status();
    assert!(plain.unwrap().success());
    let outcome = sandbox.run(&["explore", "--libc", "none", "plain"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(
        outcome.stdout.contains("stet cc") || outcome.stderr.contains("stet cc"),
        "{outcome:?}"
    );
}

/// Two threads find the paths, the findings, the coverage and the totals of one.
#[test]
fn two_threads_report_what_one_does() {
    let Some(suffix) = llvm() else { return };
    let clang = format!("clang{suffix}");
    let source = "#include <klee/klee.h>\nint main(void) {\n  unsigned char b[6]; klee_make_symbolic(b, sizeof b, \"b\");\n  int n = 0;\n\
        for (int i = 0; i < 6; i++) if (b[i] > 100) n++;\n  int a[6] = {0};\n  return a[n];\n}\n";
    let sandbox = Sandbox::new().file("six.c", source);
    let run = |jobs: &str| {
        let out = format!("out{jobs}");
        let outcome = sandbox.run(&[
            "explore",
            "--libc",
            "none",
            "--clang",
            &clang,
            "--cache",
            "off",
            "--format",
            "json",
            "--jobs",
            jobs,
            "--output-dir",
            &out,
            "six.c",
        ]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
        let json: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        let tests = std::fs::read_dir(sandbox.path(&out)).unwrap();
        let is_test = |name: std::ffi::OsString| name.to_string_lossy().ends_with(".ktest");
        let tests = tests.filter(|entry| is_test(entry.as_ref().unwrap().file_name()));
        let counts =
            ["instructions", "forks", "blocks"].map(|name| json["statistics"][name].clone());
        assert!(json["statistics"]["queries"]["queries"].as_u64() > Some(0));
        (json["result"].clone(), counts, tests.count())
    };
    assert_eq!(run("1"), run("2"));
}

/// More memory than can be addressed is refused everywhere; more than the limit only here.
#[test]
fn an_allocation_beyond_the_address_space_fails_as_it_does_natively() {
    let Some(suffix) = llvm() else { return };
    let clang = format!("clang{suffix}");
    for (size, code) in [("1UL << 62", 0), ("1UL << 47", 0), ("1UL << 46", 3)] {
        let program = format!(
            "void *malloc(unsigned long);\nint main(void) {{ return malloc({size}) != 0; }}\n"
        );
        let sandbox = Sandbox::new().file("p.c", program);
        let outcome = sandbox.run(&["explore", "--libc", "none", "--clang", &clang, "p.c"]);
        assert_eq!(outcome.code, Some(code), "{size}: {outcome:?}");
    }
}
