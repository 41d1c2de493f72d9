//! What compilers need beside plain IR: vector instructions of the processor, and functions of their support library. Explored, they
//! give what they give natively, and on symbolic numbers what they give on fixed ones.

use super::{clean, llvm, musl, prints_as_natively};
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

fn same_as_native(program: &str, flags: &[&str], lines: usize) {
    if let Some((sandbox, clang)) = sandbox(program) {
        prints_as_natively(&sandbox, "p.c", (&clang, flags), lines);
    }
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
    let mut arguments = vec!["explore", "p.c", "--cflag", "-DSYMBOLIC"];
    for flag in FLAGS {
        arguments.extend(["--cflag", flag]);
    }
    let outcome = sandbox.run(&arguments);
    clean(&outcome);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

#[test]
fn complex_numbers_are_multiplied_and_divided_as_natively() {
    same_as_native(COMPLEX, &[], 6562);
}
