//! Languages: Rust programs and packages, C++ with its library, projects by their list of commands.

use super::{clean, json, prints_as_natively};
use std::path::{Path, PathBuf};
use std::process::Command;
use stet_tests::Sandbox;

/// Whether a tool can be run; says that a test is skipped otherwise.
fn works(tool: &str) -> bool {
    let version = Command::new(tool).arg("--version").output();
    let works = version.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: no {tool} on this machine");
    }
    works
}

/// A sandbox in which rustc and cargo of this machine work, with the C library; `None` if something is missing.
pub(super) fn rust_sandbox() -> Option<Sandbox> {
    if !works("rustc") || !works("cargo") {
        return None;
    }
    let Some(runtime) = stet_tests::c_library() else {
        println!("skipped: no C library (scripts/setup-musl)");
        return None;
    };
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let folder = |name: &str, default: &str| {
        let given = std::env::var(name).ok();
        given.unwrap_or_else(|| home.join(default).display().to_string())
    };
    let sandbox = Sandbox::new()
        .variable("RUSTUP_HOME", &folder("RUSTUP_HOME", ".rustup"))
        .variable("CARGO_HOME", &folder("CARGO_HOME", ".cargo"))
        .variable("CARGO_NET_OFFLINE", "true")
        .variable("STET_RUNTIME", &runtime.display().to_string());
    match std::env::var("RUSTUP_TOOLCHAIN") {
        Ok(toolchain) => Some(sandbox.variable("RUSTUP_TOOLCHAIN", &toolchain)),
        Err(_) => Some(sandbox),
    }
}

fn example(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("tests/ is in the workspace")
        .join("examples/explore")
        .join(path)
}

/// The seeded error (an index that may be the length) is found; without it the run ends.
#[test]
fn a_rust_panic_is_a_finding_with_message_file_and_line() {
    let Some(sandbox) = rust_sandbox() else {
        return;
    };
    let program = |bound: &str| {
        format!(
            "fn pick(items: &[u32], index: usize) -> u32 {{\n    items[index]\n}}\nfn main() {{\n    let index: u8 = stet::symbolic();\n    \
             stet::assume(index <= {bound});\n    let items = vec![1u32, 2, 3, 4];\n    println!(\"{{}}\", pick(&items, index as usize));\n}}\n"
        )
    };
    let sandbox = sandbox
        .file("broken.rs", program("4"))
        .file("clean.rs", program("3"));
    let (code, document) = json(&sandbox, &["clean.rs"]);
    assert_eq!(code, Some(0), "{document:#}");
    assert_eq!(document["result"]["complete"], true);
    let outcome = sandbox.run(&["explore", "broken.rs"]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    for text in [
        "explore/panic",
        "broken.rs:2",
        "index out of bounds: the len is 4 but the index is 4",
    ] {
        assert!(outcome.stdout.contains(text), "no {text}: {outcome:?}");
    }
}

/// Overflow, `unwrap` on `None`, failed assertions and refused arguments of marked functions; a clean one beside them.
#[test]
fn marked_functions_are_explored_like_tests() {
    let Some(sandbox) = rust_sandbox() else {
        return;
    };
    let sandbox = sandbox.file(
        "lib.rs",
        "use stet::symbolic;\nmod inner {\n    #[stet::explore]\n    fn overflow() {\n        let x: u8 = stet::symbolic();\n        \
         std::hint::black_box(x + 1);\n    }\n}\n#[stet::explore]\nfn nothing() {\n    let x: Option<u8> = symbolic();\n    x.unwrap();\n}\n\
         #[stet::explore]\nfn clean() -> Result<(), String> {\n    let (x, y): (u8, bool) = symbolic();\n    stet::assume(x > 3 && y);\n    \
         stet::assert(x != 3);\n    Ok(())\n}\n#[stet::explore]\nfn failed() -> Result<(), u32> {\n    match symbolic::<char>() {\n        'ß' => Err(7),\n        _ => Ok(()),\n    }\n}\n",
    );
    let (code, document) = json(&sandbox, &["lib.rs"]);
    assert_eq!(code, Some(1), "{document:#}");
    let functions = document["result"]["functions"].as_array().unwrap();
    let verdicts: Vec<(&str, &str)> = functions
        .iter()
        .map(|function| {
            let text = |key: &str| function[key].as_str().unwrap();
            (text("name"), text("status"))
        })
        .collect();
    let expected = [
        ("explored::clean", "clean"),
        ("explored::failed", "findings"),
        ("explored::inner::overflow", "findings"),
        ("explored::nothing", "findings"),
    ];
    assert_eq!(verdicts, expected, "{document:#}");
    let text = document.to_string();
    for message in [
        "attempt to add with overflow",
        "Option::unwrap()",
        "returned an error: 7",
    ] {
        assert!(text.contains(message), "no {message}: {text}");
    }
    let outcome = sandbox.run(&["explore", "lib.rs", "--entry", "clean"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

/// A package around one of the examples: errors seeded in it are found, and without them everything is explored.
fn check_package(name: &str, messages: &[&str]) {
    let Some(sandbox) = rust_sandbox() else {
        return;
    };
    let source = example(&format!("rust/{name}.rs"));
    sandbox.write("src/lib.rs", std::fs::read(source).unwrap());
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n"
    );
    sandbox.write("Cargo.toml", manifest);
    let (code, document) = json(&sandbox, &["Cargo.toml"]);
    assert_eq!(code, Some(0), "{document:#}");
    assert_eq!(document["result"]["complete"], true, "{document:#}");
    let (code, document) = json(&sandbox, &[".", "--cflag", "--cfg=seeded"]);
    assert_eq!(code, Some(1), "{document:#}");
    let text = document.to_string();
    for message in messages {
        assert!(text.contains(message), "no {message}: {text}");
    }
}

#[test]
fn errors_seeded_in_a_rust_parser_are_found() {
    check_package(
        "parser",
        &["index out of bounds", "attempt to multiply with overflow"],
    );
}

#[test]
fn errors_seeded_in_a_rust_container_are_found() {
    check_package("container", &["index out of bounds", "insertion index"]);
}

#[test]
fn errors_seeded_in_a_rust_codec_are_found() {
    check_package(
        "codec",
        &["attempt to shift left with overflow", "index out of bounds"],
    );
}

/// The three C++ programs: errors seeded in them are found, and without them everything is explored.
fn check_cxx(name: &str, code_of_error: &str) {
    let Some(runtime) =
        stet_tests::c_library().filter(|folder| folder.join("cxx/version").exists())
    else {
        println!("skipped: no C++ library (scripts/setup-cxx)");
        return;
    };
    let sandbox = Sandbox::new().variable("STET_RUNTIME", &runtime.display().to_string());
    let program = example(&format!("cxx/{name}.cpp")).display().to_string();
    let (code, document) = json(&sandbox, &[&program]);
    assert_eq!(code, Some(0), "{document:#}");
    assert_eq!(document["result"]["complete"], true, "{document:#}");
    let (code, document) = json(&sandbox, &[&program, "--cflag", "-DSEEDED"]);
    assert_eq!(code, Some(1), "{document:#}");
    let kinds = &document["result"]["findings_by_kind"];
    assert!(kinds[code_of_error].as_u64() > Some(0), "{document:#}");
}

/// What the C++ runtime throws itself, pointers to exceptions, virtual bases, and errors shown in handlers.
#[test]
fn the_cxx_runtime_throws_and_hands_on_exceptions() {
    let Some(runtime) =
        stet_tests::c_library().filter(|folder| folder.join("cxx/version").exists())
    else {
        println!("skipped: no C++ library (scripts/setup-cxx)");
        return;
    };
    let program = r#"
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <typeinfo>
#include <vector>
struct Top { virtual ~Top() {} int top = 7; };
struct Left : virtual Top { int left = 1; };
struct Right : virtual Top { int right = 2; };
struct Bottom : Left, Right { int bottom = 3; };
static int destroyed = 0;
struct Counted : std::runtime_error { using runtime_error::runtime_error; Counted(const Counted &) = default; ~Counted() { destroyed++; } };
struct Guard { ~Guard() { if (std::uncaught_exceptions() != 1) throw 1; } };
static int act(int x) {
  Bottom bottom;
  Top *top = &bottom;
  switch (x) {
  case 0: dynamic_cast<std::exception &>(*top); return 90;
  case 1: { Top *none = nullptr; return typeid(*none).name()[0]; }
  case 2: { std::vector<char> v; v.reserve(1ul << 45); return 91; }
  case 3: throw bottom;
  case 4: { Guard guard; throw std::out_of_range("far"); }
  case 5: { volatile long n = -1; delete[] new int[n]; return 92; }
  default: return dynamic_cast<Bottom *>(top)->bottom + dynamic_cast<Right *>(top)->right + dynamic_cast<Left *>(static_cast<Right *>(&bottom))->left;
  }
}
static int kept() {
  std::exception_ptr first;
  try { throw Counted("kept"); } catch (...) { first = std::current_exception(); }
  if (destroyed) return 1;
  try { std::rethrow_exception(first); } catch (Counted &e) { if (e.what() != std::string("kept")) return 2; }
  if (destroyed) return 3;
  first = nullptr;
  if (destroyed != 1) return 4;
  try { std::rethrow_exception(std::make_exception_ptr(5)); } catch (int five) { if (five != 5) return 5; }
  try { try { throw 1; } catch (...) { std::throw_with_nested(std::runtime_error("outer")); } }
  catch (const std::exception &e) { try { std::rethrow_if_nested(e); return 6; } catch (int one) { return one - 1; } }
  return 7;
}
int main(int argc, char **argv) {
  if (int wrong = kept()) return 100 + wrong;
  try { return act(argv[1][0] & 7); }
  catch (std::bad_cast &) { return 10; }
  catch (std::bad_typeid &) { return 11; }
  catch (std::bad_array_new_length &) { return 15; }
  catch (std::bad_alloc &) { return 12; }
  catch (Top &top) { return 6 + top.top; }
  catch (const std::exception &e) { std::cerr << e.what() << std::endl; return 14; }
}
"#;
    let sandbox = Sandbox::new()
        .file("p.cpp", program)
        .variable("STET_RUNTIME", &runtime.display().to_string());
    let out = sandbox.run(&["explore", "p.cpp", "--sym-arg", "1", "--output-dir", "out"]);
    assert_eq!(out.code, Some(3), "an allocation was refused: {out:?}");
    assert!(out.stdout.contains("0 errors, 0 unsupported"), "{out:?}");
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap_or_default();
    let statuses = exits.lines().filter_map(|line| line.split(' ').nth(1));
    let mut statuses: Vec<u32> = statuses.filter_map(|text| text.parse().ok()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    // clang leaves the bad length of an array to `new`, which has no memory
    assert_eq!(statuses, [6, 10, 11, 12, 13, 14], "{out:?}");
}

/// Tests of marked functions of a file and of a package, and of a program with `main`, run natively to the predicted end.
#[test]
fn tests_of_rust_programs_are_replayed() {
    let Some(sandbox) = rust_sandbox() else {
        return;
    };
    let marked = "#[stet::explore]\nfn ok() { let x: u8 = stet::symbolic(); stet::assume(x > 3); assert!(x != 0); }\n\
                  #[stet::explore]\nfn ok_or_not() { let x: u8 = stet::symbolic(); if x == 77 { panic!(\"seventy-seven\") } }\n";
    let sandbox = sandbox
        .file("file.rs", marked)
        .file("main.rs", "fn main() { let x: u16 = stet::symbolic(); if x == 513 { std::process::exit(9) } }\n")
        .file("pack/src/lib.rs", format!("#[cfg(stet)] mod checks {{ {marked} }}"))
        .file(
            "pack/Cargo.toml",
            "[package]\nname = \"two-words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        );
    let cases = [
        ("file.rs", "f", "explored.ok", 0, "exit status 0"),
        ("file.rs", "f", "explored.ok_or_not", 1, "seventy-seven"),
        ("pack", "p", "two_words.checks.ok", 0, "exit status 0"),
        (
            "pack/Cargo.toml",
            "p",
            "two_words.checks.ok_or_not",
            1,
            "seventy-seven",
        ),
        ("main.rs", "m", "", 0, "exit status 9, as predicted"),
    ];
    for (program, out, function, code, said) in cases {
        if !sandbox.path(out).exists() {
            sandbox.run(&["explore", program, "--output-dir", out]);
        }
        let folder = sandbox.path(out).join(function);
        let mut tests: Vec<String> = std::fs::read_dir(&folder)
            .map(|files| {
                files
                    .flatten()
                    .map(|file| file.path().display().to_string())
                    .collect()
            })
            .unwrap_or_default();
        tests.retain(|test| test.ends_with(".ktest"));
        let mut arguments = vec!["replay", program];
        arguments.extend(tests.iter().map(String::as_str));
        let replayed = sandbox.run(&arguments);
        assert_eq!(
            replayed.code,
            Some(code),
            "{program} {function}: {replayed:?}"
        );
        let all = format!("{}{}", replayed.stdout, replayed.stderr);
        assert!(all.contains(said), "{program} {function}: {replayed:?}");
    }
}

/// The arguments of a Rust program are in its tests, so that they can be run natively.
#[test]
fn tests_of_rust_programs_hold_the_arguments() {
    let Some(sandbox) = rust_sandbox() else {
        return;
    };
    let program = "fn main() { if std::env::args_os().nth(1).is_some_and(|a| a == \"x\") { std::process::exit(7) } }";
    let sandbox = sandbox.file("main.rs", program);
    let out = sandbox.run(&[
        "explore",
        "main.rs",
        "--sym-arg",
        "1",
        "--output-dir",
        "out",
    ]);
    clean(&out);
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap_or_default();
    let seven = exits.lines().find(|line| line.ends_with(" 7"));
    let test = seven
        .and_then(|line| line.split(' ').next())
        .unwrap_or("missing");
    let built = Command::new("rustc")
        .args(["-o", "native", "main.rs"])
        .current_dir(sandbox.path("."))
        .output();
    assert!(built.is_ok_and(|built| built.status.success()));
    let test = format!("out/{test}.ktest");
    let replayed = sandbox.run(&["klee-replay", "native", &test]);
    assert!(replayed.stderr.contains("ABNORMAL 7"), "{replayed:?}");
}

#[test]
fn an_error_with_cxx_streams_and_vectors_is_found() {
    check_cxx("calculator", "explore/assertion");
}

#[test]
fn an_error_with_cxx_maps_and_exceptions_is_found() {
    check_cxx("accounts", "explore/assertion");
}

#[test]
fn an_error_with_cxx_sets_and_algorithms_is_found() {
    check_cxx("schedule", "explore/use-after-free");
}

/// A program of C++ prints what it prints natively.
fn same_as_native(program: &str, lines: usize) {
    let runtime = stet_tests::c_library().filter(|folder| folder.join("cxx/version").exists());
    let Some(runtime) = runtime else {
        stet_testkit::skip("libc++ as IR (`stet setup --cxx`)");
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.cpp", program)
        .variable("STET_RUNTIME", &runtime.display().to_string());
    prints_as_natively(&sandbox, "p.cpp", ("g++", &["-std=c++20"]), lines);
}

#[test]
fn handlers_catch_the_types_that_they_catch_natively() {
    same_as_native(include_str!("programs/languages/catches.cpp"), 49);
}

#[test]
fn the_library_of_cxx_works_as_natively() {
    same_as_native(include_str!("programs/languages/library.cpp"), 26);
}

#[test]
fn a_project_is_explored_with_the_flags_of_its_build() {
    if !works("clang-19") && !works("clang") {
        return;
    }
    let commands = r#"[
        { "directory": "build", "file": "../src/a.c", "command": "gcc -O2 -I../include -DLIMIT=\"(3)\" -o a.o -c ../src/a.c" },
        { "directory": "build", "file": "../src/b.c", "arguments": ["gcc", "-I../include", "-c", "../src/b.c"] }
    ]"#;
    let sandbox = Sandbox::new()
        .file("compile_commands.json", commands)
        .file("include/own.h", "int twice(int);\n")
        .file("build/stamp", "")
        .file(
            "src/a.c",
            "#include \"own.h\"\n#include <klee/klee.h>\nint main(void) {\n  unsigned char x;\n  klee_make_symbolic(&x, 1, \"x\");\n  klee_assume(x <= LIMIT);\n  klee_assert(twice(x) < 6);\n  return 0;\n}\n",
        )
        .file("src/b.c", "#include \"own.h\"\nint twice(int x) { return 2 * x; }\n");
    let (code, document) = json(&sandbox, &["compile_commands.json", "--libc", "none"]);
    assert_eq!(code, Some(1), "{document:#}");
    let kinds = &document["result"]["findings_by_kind"];
    assert_eq!(kinds["explore/assertion"], 1, "{document:#}");
    sandbox.write("compile_commands.json", "[]");
    let outcome = sandbox.run(&["explore", "compile_commands.json"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
}

/// A project of C and C++ built with `stet cc` and `stet c++`: the IR is that of the library which is explored.
#[test]
fn a_project_of_c_and_cxx_is_explored_as_it_runs() {
    let Some(runtime) =
        stet_tests::c_library().filter(|folder| folder.join("cxx/version").exists())
    else {
        println!("skipped: no C++ library (scripts/setup-cxx)");
        return;
    };
    if !works("clang++-19") && !works("clang++") {
        return;
    }
    let main = r#"
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
extern "C" int weight(int c);
static int check(const std::string &text) {
  std::map<char, int> counts;
  for (char c : text) counts[c] += weight(c);
  if (counts.size() == 2 && counts.begin()->second == 7) throw std::runtime_error("seven");
  return static_cast<int>(counts.size());
}
int main() {
  std::string text;
  for (int c; text.size() < 2 && (c = std::cin.get()) != EOF;) text += static_cast<char>(c);
  try { return check(text); } catch (const std::exception &e) { std::cout << e.what() << std::endl; return 40; }
}
"#;
    let sandbox = Sandbox::new()
        .file("main.cc", main)
        .file(
            "weight.c",
            "int weight(int c) { return c == 'x' ? 7 : 1; }\n",
        )
        .variable("STET_RUNTIME", &runtime.display().to_string());
    let steps: [&[&str]; 3] = [
        &["c++", "-std=c++17", "-O1", "-c", "main.cc"],
        &["cc", "-c", "weight.c"],
        &["c++", "main.o", "weight.o", "-o", "prog"],
    ];
    for step in steps {
        let outcome = sandbox.run(step);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(!outcome.stderr.contains("no IR"), "{outcome:?}");
    }
    let (_, document) = json(
        &sandbox,
        &["prog", "--sym-stdin", "2", "--output-dir", "out"],
    );
    assert_eq!(document["result"]["findings"], 0, "{document:#}");
    assert_eq!(document["result"]["complete"], true, "{document:#}");
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap();
    let mut seven = 0;
    for line in exits.lines() {
        let (test, status) = line.split_once(' ').unwrap();
        let file = format!("out/{test}.ktest");
        let replayed = sandbox.run(&["klee-replay", "--as-root", "prog", &file]);
        let said = match status {
            "0" => replayed.stderr.contains("EXIT STATUS: NORMAL"),
            _ => replayed.stderr.contains(&format!("ABNORMAL {status} ")),
        };
        assert!(said, "{line}: {replayed:?}");
        seven += usize::from(status == "40");
    }
    assert!(seven > 0, "{exits}");
}

/// Two symbolic bytes of a file, read by lines: total lengths from 0 to 2.
#[test]
fn file_streams_and_folders_of_cxx_are_those_of_the_model() {
    let has_files = |folder: &std::path::PathBuf| {
        let site = std::fs::read_to_string(folder.join("cxx/v1/__config_site"));
        site.is_ok_and(|text| !text.contains("HAS_NO_FILESYSTEM"))
    };
    let Some(runtime) = stet_tests::c_library().filter(has_files) else {
        println!("skipped: no C++ library with file systems (scripts/setup-cxx)");
        return;
    };
    let sandbox = Sandbox::new()
        .file("p.cpp", include_str!("programs/languages/files.cpp"))
        .variable("STET_RUNTIME", &runtime.display().to_string());
    let out = sandbox.run(&[
        "explore",
        "p.cpp",
        "--sym-file",
        "A=2",
        "--output-dir",
        "out",
    ]);
    assert!(
        out.stdout.contains("4 normal, 0 errors, 0 unsupported"),
        "{out:?}"
    );
    let exits = std::fs::read_to_string(sandbox.path("out/exits.txt")).unwrap_or_default();
    let statuses = exits.lines().filter_map(|line| line.split(' ').nth(1));
    let mut statuses: Vec<&str> = statuses.collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["10", "11", "11", "12"], "{exits}");
    let assumed = std::fs::read_to_string(sandbox.path("out/assumed.txt")).unwrap_or_default();
    assert_eq!(assumed.lines().count(), 4, "which files exist: {assumed}");
}
