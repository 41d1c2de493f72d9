//! Kinds of input: C, C++, bitcode, several files, Rust, old and new IR text.

use super::{clean, llvm};
use std::process::Command;
use stet_tests::Sandbox;

const HELPER: &str = "int twice(int x) { return 2 * x; }\n";
const MAIN: &str = "int twice(int);\nint main(int argc, char **argv) { return argc > 1 ? twice(argv[1][0]) : twice(4); }\n";

fn run(sandbox: &Sandbox, clang: &str, files: &[&str]) -> stet_tests::Outcome {
    let mut arguments = vec![
        "explore",
        "--libc",
        "none",
        "--clang",
        clang,
        "--output-dir",
        "out",
    ];
    arguments.extend(files);
    sandbox.run(&arguments)
}

/// C, C++ and bitcode, alone and linked with each other and with text.
#[test]
fn files_of_every_kind_are_linked() {
    let Some(suffix) = llvm() else { return };
    let clang = format!("clang{suffix}");
    let plus = "extern \"C\" int twice(int x);\nstruct Counter { int n; Counter(int k) : n(k) {} virtual int get() { return n; } virtual ~Counter() {} };\n\
        struct Double : Counter { Double(int k) : Counter(k) {} int get() override { return twice(n); } };\n\
        static Double global(4);\n\
        int main() { Counter *c = new Double(21); int r = c->get(); delete c; return r == 42 && global.get() == 8 ? 0 : 1; }\n";
    let sandbox = Sandbox::new()
        .file("helper.c", HELPER)
        .file("main.c", MAIN)
        .file("main.cpp", plus)
        .file(
            "helper.ll",
            "define i32 @twice(i32 %x) {\n  %r = shl i32 %x, 1\n  ret i32 %r\n}\n",
        );
    let bitcode = Command::new(&clang)
        .args(["-c", "-emit-llvm", "-O1", "helper.c", "-o", "helper.bc"])
        .current_dir(sandbox.path("."))
        .status();
    assert!(bitcode.unwrap().success());
    for files in [
        &["main.c", "helper.c"][..],
        &["main.c", "helper.bc"],
        &["main.c", "helper.ll"],
        &["main.cpp", "helper.c"],
        &["main.cpp", "helper.bc"],
        &["main.cpp", "helper.ll"],
    ] {
        let _ = std::fs::remove_dir_all(sandbox.path("out"));
        let outcome = run(&sandbox, &clang, files);
        clean(&outcome);
        // the destructor of the global object is registered with a C library that is not there
        let expected = if files[0] == "main.cpp" { 3 } else { 0 };
        assert_eq!(outcome.code, Some(expected), "{files:?}: {outcome:?}");
        assert!(sandbox.path("out/test000001.ktest").exists(), "{files:?}");
    }
    let _ = std::fs::remove_dir_all(sandbox.path("out"));
    let alone = run(&sandbox, &clang, &["main.c"]);
    assert_eq!(alone.code, Some(3), "{alone:?}");
    assert!(alone.stdout.contains("twice"), "{alone:?}");
}

/// C that does not compile is refused with the compiler's words.
#[test]
fn what_the_compiler_says_is_shown() {
    let Some(suffix) = llvm() else { return };
    let sandbox = Sandbox::new().file("bad.c", "int main(void) { return nothing; }\n");
    let outcome = run(&sandbox, &format!("clang{suffix}"), &["bad.c"]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(outcome.stdout.contains("nothing"), "{outcome:?}");
}

/// What rustc prints for a small program without its standard library.
#[test]
fn rust_programs_are_read() {
    let rust = "#![no_std]\n#![crate_type = \"lib\"]\n\
        extern \"C\" { fn klee_make_symbolic(p: *mut u8, n: usize, name: *const u8); fn abort() -> !; }\n\
        #[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { unsafe { abort() } }\n\
        #[derive(Clone, Copy)] enum Shape { Dot, Line(u8), Box { w: u8, h: u8 } }\n\
        fn area(s: Shape) -> u32 { match s { Shape::Dot => 0, Shape::Line(n) => n as u32, Shape::Box { w, h } => w as u32 * h as u32 } }\n\
        #[no_mangle] pub extern \"C\" fn main() -> i32 {\n\
        let mut b = [0u8; 3]; unsafe { klee_make_symbolic(b.as_mut_ptr(), 3, b\"b\\0\".as_ptr()) };\n\
        let s = match b[0] { 0 => Shape::Dot, 1 => Shape::Line(b[1]), _ => Shape::Box { w: b[1], h: b[2] } };\n\
        let table = [1u32, 2, 3, 4]; if area(s) == 35 { return table[(b[1] & 3) as usize] as i32 }\n\
        if b[2] == 200 { if b[1] > 3 { unsafe { abort() } } return table[(b[1] & 3) as usize] as i32 } 0 }\n";
    let sandbox = Sandbox::new().file("r.rs", rust);
    for level in ["0", "2"] {
        let built = Command::new("rustc")
            .args([
                "--edition",
                "2021",
                "--emit=llvm-ir",
                "-g",
                "-C",
                "panic=abort",
            ])
            .args(["-C", &format!("opt-level={level}"), "-o", "r.ll", "r.rs"])
            .current_dir(sandbox.path("."))
            .output();
        let Ok(built) = built else {
            stet_testkit::skip("rustc");
            return;
        };
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        let outcome = sandbox.run(&["explore", "r.ll", "--cache", "off"]);
        clean(&outcome);
        assert_eq!(outcome.code, Some(1), "{level}: {outcome:?}");
        assert!(
            outcome.stdout.contains("explore/abort"),
            "{level}: {outcome:?}"
        );
        assert!(
            !outcome.stdout.contains("explore/unsupported"),
            "{level}: {outcome:?}"
        );
    }
}

/// Linkers say nothing about a function that is declared in another way than it is defined.
#[test]
fn declarations_with_other_types_are_named() {
    let Some(suffix) = llvm() else { return };
    let clang = format!("clang{suffix}");
    let sandbox = Sandbox::new()
        .file(
            "a.c",
            "long f(int, int); int g(); void h(int);\nint main(void) { h(3); return (int)(f(1, 2) & 1) + g(3, 4); }\n",
        )
        .file(
            "b.c",
            "int f(long a) { return (int)a; }\nint g(int a, int b) { return a + b; }\nint h(int a) { return a; }\n",
        );
    let outcome = run(&sandbox, &clang, &["a.c", "b.c"]);
    let all = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(
        all.contains("`f` is declared as `i64 (i32, i32)` and defined as `i32 (i64)`"),
        "{all}"
    );
    assert!(all.contains("`h` is declared as `void (i32)`"), "{all}");
    assert!(
        !all.contains("`g` is declared"),
        "a declaration without a prototype: {all}"
    );
    assert_eq!(outcome.code, Some(0), "{all}");
}
