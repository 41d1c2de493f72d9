//! Languages: Rust programs and packages, C++ with its library, projects by their list of commands.

use super::{clean, json};
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

/// The folder with the C library, or the user's cache folder where it would be; sandboxes have a home of their own.
fn runtime() -> Option<PathBuf> {
    let version = include_str!("../../../runtime/musl/VERSION").trim_ascii();
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let own = || Some(cache.or_else(home)?.join(format!("stet/runtime-{version}")));
    let folder = std::env::var_os("STET_RUNTIME").map(PathBuf::from);
    let folder = folder.or_else(own)?;
    folder.join("libc.ll").exists().then_some(folder)
}

/// A sandbox in which rustc and cargo of this machine work, with the C library; `None` if something is missing.
fn rust_sandbox() -> Option<Sandbox> {
    if !works("rustc") || !works("cargo") {
        return None;
    }
    let Some(runtime) = runtime() else {
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
    let Some(runtime) = runtime().filter(|folder| folder.join("cxx/version").exists()) else {
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
