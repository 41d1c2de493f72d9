//! What compilers need beside plain IR: vector instructions of the processor, and functions of their support library. Explored, they
//! give what they give natively, and on symbolic numbers what they give on fixed ones.

use super::{clean, llvm, musl};
use std::process::Command;
use stet_tests::Sandbox;

const VECTORS: &str = include_str!("programs/vectors/vectors.c");
const COMPLEX: &str = include_str!("programs/vectors/complex.c");
const FLAGS: [&str; 2] = ["-msse4.2", "-mpclmul"];

fn sandbox(program: &str) -> Option<(Sandbox, String)> {
    let sandbox = Sandbox::new()
        .file("p.c", program)
        .variable("STET_RUNTIME", &musl::runtime()?);
    Some((sandbox, format!("clang{}", llvm()?)))
}

fn explored(sandbox: &Sandbox, flags: &[&str]) -> stet_tests::Outcome {
    let mut arguments = vec!["explore", "p.c", "--program-output", "--quiet"];
    for flag in flags {
        arguments.extend(["--cflag", flag]);
    }
    sandbox.run(&arguments)
}

fn same_as_native(program: &str, flags: &[&str], lines: usize) {
    let Some((sandbox, clang)) = sandbox(program) else {
        return;
    };
    let (source, binary) = (sandbox.path("p.c"), sandbox.path("p"));
    let built = Command::new(clang)
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .status();
    assert!(built.unwrap().success());
    let native = Command::new(binary).output().unwrap();
    let native = String::from_utf8(native.stdout).unwrap();
    assert_eq!(native.lines().count(), lines);
    let outcome = explored(&sandbox, flags);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for (native, explored) in native.lines().zip(outcome.stdout.lines()) {
        assert_eq!(native, explored);
    }
    assert_eq!(outcome.stdout.lines().count(), lines);
}

#[test]
fn vector_instructions_give_what_they_give_natively() {
    let is_supported = |name: &str| match name {
        "sse4.2" => std::arch::is_x86_feature_detected!("sse4.2"),
        _ => std::arch::is_x86_feature_detected!("pclmulqdq"),
    };
    if !is_supported("sse4.2") || !is_supported("pclmulqdq") {
        stet_testkit::skip("a processor with SSE4.2 and PCLMUL");
        return;
    }
    same_as_native(VECTORS, &FLAGS, 6300);
}

#[test]
fn vector_instructions_on_symbolic_numbers_give_what_they_give_on_fixed_ones() {
    let Some((sandbox, _)) = sandbox(VECTORS) else {
        return;
    };
    let [first, second] = FLAGS;
    let outcome = explored(&sandbox, &["-DSYMBOLIC", first, second]);
    clean(&outcome);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

#[test]
fn complex_numbers_are_multiplied_and_divided_as_natively() {
    same_as_native(COMPLEX, &[], 6562);
}
