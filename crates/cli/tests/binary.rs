//! The binary starts. (The tests of what it does are in the `tests` crate; this one also makes cargo build
//! the binary together with the tests of the workspace.)

#[test]
fn the_binary_starts() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_stet"))
        .arg("--version")
        .output()
        .expect("the binary was built");
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"stet "));
}
