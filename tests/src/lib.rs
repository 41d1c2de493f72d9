//! End-to-end tests that drive the built `stet` binary; helpers live here, the tests under `tests/`.
//!
//! A [`Sandbox`] is a fresh directory that is also home, cache and configuration directory of the runs in
//! it, so that nothing of the user's machine leaks in. [`Sandbox::run`] gives an [`Outcome`] whose
//! [`Outcome::summary`] can be compared with a snapshot: the sandbox's path reads `[DIR]`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Once, OnceLock};
use std::time::Duration;

/// The binary under test: `$STET_BIN`, or the one of this workspace, built if it is not up to date.
pub fn stet_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("STET_BIN") {
        Some(path) => path.into(),
        None => build(),
    })
}

/// The path of the binary with the profile of this test program; builds it unless it is up to date.
fn build() -> PathBuf {
    let test_program = std::env::current_exe().expect("a test program has a path");
    // target/PROFILE/deps/TEST
    let directory = test_program
        .parent()
        .and_then(Path::parent)
        .expect("test programs are in a target directory");
    let binary = directory.join(format!("stet{}", std::env::consts::EXE_SUFFIX));
    if is_up_to_date(&binary) {
        return binary; // as after `cargo test --workspace`, which builds it with other features
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "stet-cli", "--bin", "stet"]);
    if directory.ends_with("release") {
        command.arg("--release");
    }
    let built = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .is_ok_and(|status| status.success());
    assert!(built, "building the `stet` binary failed");
    binary
}

/// Whether no source of any crate is newer. (Cargo's own list beside the binary may be of an earlier build.)
fn is_up_to_date(binary: &Path) -> bool {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let crates = workspace
        .expect("tests/ is in the workspace")
        .join("crates");
    let modified = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified());
    let Ok(built) = modified(binary) else {
        return false;
    };
    let mut pending = vec![crates];
    while let Some(directory) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            return false;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
            } else if !modified(&path).is_ok_and(|changed| changed <= built) {
                return false;
            }
        }
    }
    true
}

/// The folder with the C library as IR that the set-up made, which a sandbox of its own home does not find by itself.
pub fn c_library() -> Option<PathBuf> {
    let below = |name: &str, rest: &str| Some(PathBuf::from(std::env::var_os(name)?).join(rest));
    let version = include_str!("../../runtime/musl/VERSION").trim_ascii();
    let folder = format!("stet/runtime-{version}");
    let place = below("STET_RUNTIME", "")
        .or_else(|| below("XDG_CACHE_HOME", &folder))
        .or_else(|| below("HOME", &format!(".cache/{folder}")))?;
    place.join("libc.ll").exists().then_some(place)
}

/// Longer than any test program takes on a slow, busy machine.
const PATIENCE: Duration = Duration::from_secs(20 * 60);

/// Ends this test program when it hangs, so that a hang is a failure with a name and not a silent stop of everything.
fn watch_over_this_program() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            let minutes = PATIENCE.as_secs() / 60;
            let _ = writeln!(
                std::io::stderr(),
                "a test hangs: this test program has run for {minutes} minutes and is ended; see above which test was slow"
            );
            std::process::abort();
        });
    });
}

/// A fresh directory to run `stet` in.
pub struct Sandbox {
    directory: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// An empty sandbox.
    pub fn new() -> Self {
        watch_over_this_program();
        Sandbox {
            directory: tempfile::tempdir().expect("a temporary directory can be made"),
            variables: Vec::new(),
        }
    }

    /// With an environment variable.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The path of the sandbox or of something in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// With a file, its directories made as needed.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file, its directories made as needed.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        let parent = path.parent().expect("a file has a directory");
        std::fs::create_dir_all(parent).expect("directories can be made in a sandbox");
        std::fs::write(&path, content).expect("files can be written in a sandbox");
    }

    /// A command with these arguments, in the sandbox and with its environment only.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(stet_binary());
        command.args(arguments).env_clear();
        command.current_dir(self.directory.path());
        for name in ["PATH", "LD_LIBRARY_PATH", "SYSTEMROOT"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("HOME", self.directory.path());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    /// Runs `stet` to its end.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_in(".", arguments)
    }

    /// Runs `stet` in a directory of the sandbox.
    pub fn run_in(&self, directory: &str, arguments: &[&str]) -> Outcome {
        let output = self
            .command(arguments)
            .current_dir(self.path(directory))
            .output()
            .expect("the binary under test starts");
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let path = self.directory.path().display().to_string();
            text.replace(&path, "[DIR]")
        };
        Outcome {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Starts `stet` with its output collected, to be signalled or killed.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary under test starts")
    }
}

/// What a run did.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl Outcome {
    /// Everything in one text, for snapshots.
    pub fn summary(&self) -> String {
        let code = self
            .code
            .map_or_else(|| "signal".to_owned(), |c| c.to_string());
        let mut text = format!("exit {code}\n");
        for (title, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                text += &format!("--- {title}\n{stream}");
                if !stream.ends_with('\n') {
                    text.push('\n');
                }
            }
        }
        text
    }

    /// The JSON report on the standard output.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.summary()))
    }
}
