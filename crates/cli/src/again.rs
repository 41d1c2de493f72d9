//! This executable started again, for servers: a call that crashes, hangs or takes too much memory harms nothing but itself.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a call looks whether it was taken back.
const TICK: Duration = Duration::from_millis(20);

/// What a call printed, and how it ended.
pub(crate) struct Printed {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// A command that starts this executable, without input.
pub(crate) fn stet() -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.stdin(Stdio::null());
    Ok(command)
}

/// Runs a command to its end; `None` if it was stopped because `is_cancelled` said so.
pub(crate) fn run(
    mut command: Command,
    is_cancelled: &dyn Fn() -> bool,
) -> std::io::Result<Option<Printed>> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let output = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let status = wait(&mut child, is_cancelled)?;
    let (output, errors) = (text(output), text(errors));
    Ok(status.map(|status| Printed {
        status,
        output,
        errors,
    }))
}

fn wait(child: &mut Child, is_cancelled: &dyn Fn() -> bool) -> std::io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if is_cancelled() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(TICK);
    }
}

fn reader<R: Read + Send + 'static>(pipe: Option<R>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read until a fault is what there is to show.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn text(reader: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
}
