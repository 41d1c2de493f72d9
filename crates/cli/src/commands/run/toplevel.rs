//! The interactive top level: queries, answers that read back as queries, `;` for more.
//!
//! On a terminal lines are edited and remembered, and Ctrl-C stops the goal, not the program. With input from
//! a pipe no prompt is printed; a line holding `;` asks for the next answer, any other line is a new query.

use super::host::Console;
use crate::interrupt;
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
    let mut editor = lock(console)
        .is_terminal()
        .then(|| rustyline::DefaultEditor::new().ok())
        .flatten();
    while let Some(text) = read_query(console, &mut editor) {
        if let Some(code) = answer(machine, &text, console, &mut editor, &current, outer) {
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
    console.write(text);
    console.flush();
}

/// Reads up to a full stop; `None` at the end of input.
fn read_query(
    console: &Mutex<Console>,
    editor: &mut Option<rustyline::DefaultEditor>,
) -> Option<String> {
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
                let _ = editor.add_history_entry(text.trim());
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
    editor: &mut Option<rustyline::DefaultEditor>,
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
                } else if wants_more(console, editor) {
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
fn wants_more(console: &Mutex<Console>, editor: &mut Option<rustyline::DefaultEditor>) -> bool {
    let more = match editor {
        Some(editor) => match editor.readline(" ") {
            Ok(line) => line.trim_start().starts_with([';', 'n', ' ']) || line == " ",
            Err(_) => false,
        },
        None => {
            let mut console = lock(console);
            match console.read_line() {
                Some(line) if line.trim() == ";" => true,
                Some(line) => {
                    console.unread_line(line);
                    false
                }
                None => false,
            }
        }
    };
    say(console, if more { " ;\n" } else { " .\n" });
    more
}
