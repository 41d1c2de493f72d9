//! The interactive top level: queries, answers that read back as queries, `;` for more.
//!
//! On a terminal lines are edited, completed and remembered ([`editor`]), one key decides whether there is another
//! answer ([`keys`]), and Ctrl-C stops the goal, not the program. With input from a pipe no prompt is printed; a line
//! holding `;` asks for the next answer, any other line is a new query.

mod editor;
mod keys;

use super::host::Console;
use crate::interrupt;
use editor::LineEditor;
use rustyline::error::ReadlineError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stet_base::Budget;
use stet_run::{Answer, Machine, Solution};

/// Runs until the end of input or `halt`; the exit code.
pub(super) fn run(machine: &mut Machine, console: &Arc<Mutex<Console>>, outer: &Budget) -> u8 {
    let current: Arc<Mutex<Option<Budget>>> = Arc::default();
    let goal_budget = current.clone();
    let terminal = lock(console).is_terminal();
    interrupt::divert(Some(Box::new(move || {
        match &*goal_budget.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(budget) => {
                budget.cancel();
                true
            }
            // Pressed as the goal came to its end: the prompt stays.
            None => terminal,
        }
    })));
    lock(console).share_input();
    // Answers are kept for `$X` in later queries.
    let _ = machine.perform("nb_setval('$answers', [])");
    if terminal {
        // The tracer asks at every port what to do.
        let _ = machine.perform("nb_setval('$interactive', true)");
    }
    let mut editor = match lock(console).is_terminal() {
        true => LineEditor::new(),
        false => None,
    };
    loop {
        if let Some(editor) = &mut editor {
            editor.set_words(machine.predicate_names());
        }
        let Some(text) = read_query(console, &mut editor) else {
            break;
        };
        let is_terminal = editor.is_some();
        if let Some(code) = answer(machine, &text, console, is_terminal, &current, outer) {
            return code;
        }
    }
    0
}

fn lock(console: &Mutex<Console>) -> MutexGuard<'_, Console> {
    console.lock().unwrap_or_else(PoisonError::into_inner)
}

fn say(console: &Mutex<Console>, text: &str) {
    let mut console = lock(console);
    // Without a reader the top level ends at the end of its input.
    let _ = console.write(text);
    let _ = console.flush();
}

/// Reads up to a full stop; `None` at the end of input.
fn read_query(console: &Mutex<Console>, editor: &mut Option<LineEditor>) -> Option<String> {
    let mut text = String::new();
    loop {
        let prompt = if text.is_empty() { "?- " } else { "|    " };
        let line = match editor {
            Some(editor) => match editor.readline(prompt) {
                Ok(line) => format!("{line}\n"),
                Err(ReadlineError::Interrupted) => {
                    text.clear();
                    continue;
                }
                Err(_) => {
                    say(console, "\n");
                    return None;
                }
            },
            None => match lock(console).read_line() {
                Some(line) => line,
                None if text.trim().is_empty() => return None,
                None => return Some(text),
            },
        };
        if text.is_empty() && line.trim().is_empty() {
            continue;
        }
        text.push_str(&line);
        if stet_prolog::has_full_stop(&text, 0) {
            if let Some(editor) = editor {
                editor.remember(text.trim());
            }
            return Some(text);
        }
    }
}

/// Runs one query and prints its answers; an exit code if the program called `halt`.
fn answer(
    machine: &mut Machine,
    text: &str,
    console: &Mutex<Console>,
    is_terminal: bool,
    current: &Mutex<Option<Budget>>,
    outer: &Budget,
) -> Option<u8> {
    let mut query = match machine.query(text) {
        Ok(query) => query,
        Err(message) => {
            say(console, &format!("ERROR: syntax error: {message}\n"));
            return None;
        }
    };
    loop {
        // Each run has a flag of its own, so that Ctrl-C stops this goal only.
        let budget = match outer.remaining() {
            Some(time) => Budget::unlimited().limited_to(time),
            None => Budget::unlimited(),
        };
        machine.set_budget(budget.clone());
        *current.lock().unwrap_or_else(PoisonError::into_inner) = Some(budget);
        let answer = machine.next_answer(&mut query);
        *current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        match answer {
            Answer::True(solution) => {
                say(console, &show(&solution));
                if !solution.more {
                    say(console, ".\n");
                } else if wants_more(console, is_terminal) {
                    continue;
                }
                machine.finish(&query);
                return None;
            }
            Answer::False => {
                say(console, "false.\n");
                return None;
            }
            Answer::Exception { message, .. } => {
                say(console, &format!("ERROR: {message}\n"));
                return None;
            }
            Answer::Halt(code) => return Some(code as u8),
        }
    }
}

fn show(solution: &Solution) -> String {
    if solution.goals.is_empty() {
        return "true".to_owned();
    }
    solution.goals.join(",\n")
}

/// Asks whether the next answer is wanted and prints how the answer ends.
fn wants_more(console: &Mutex<Console>, is_terminal: bool) -> bool {
    let more = if is_terminal {
        say(console, " ");
        loop {
            match keys::next_key() {
                Some(b';' | b'n' | b'r' | b' ' | b'\t') => break true,
                Some(b'h' | b'?') => say(
                    console,
                    "\n  ; n space  another answer\n  . Enter    enough\nAction? ",
                ),
                _ => break false,
            }
        }
    } else {
        let mut console = lock(console);
        match console.read_line() {
            Some(line) if line.trim() == ";" => true,
            Some(line) => {
                console.unread_line(line);
                false
            }
            None => false,
        }
    };
    let end = match (is_terminal, more) {
        (true, true) => ";\n",
        (true, false) => ".\n",
        (false, true) => " ;\n",
        (false, false) => " .\n",
    };
    say(console, end);
    more
}
