//! One key from the terminal, without Enter.

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io::Read;

/// Waits for a key; `None` at the end of input, on an interrupt, or if the terminal cannot be switched.
pub(super) fn next_key() -> Option<u8> {
    let stdin = std::io::stdin();
    let before = tcgetattr(&stdin).ok()?;
    let mut single = before.clone();
    // Signals stay on: Ctrl-C reaches its handler and ends the wait.
    single.local_modes &= !(LocalModes::ICANON | LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Now, &single).ok()?;
    let mut key = [0];
    let count = stdin.lock().read(&mut key);
    // The line editor switches the terminal on its own; nothing is lost if this fails.
    let _ = tcsetattr(&stdin, OptionalActions::Now, &before);
    match count {
        Ok(1) => Some(key[0]),
        _ => None,
    }
}
