//! Queries from the host: a goal as text, answers one at a time.

use crate::cell::Cell;
use crate::code::{Op, word_imm};
use crate::emulate::Outcome;
use crate::flat::Flat;
use crate::machine::{Machine, code_at};
use crate::memory::Memory;
use stet_base::FastMap;
use stet_prolog::{WriteOptions, atom, needs_no_quotes};

const NO_ROOM: &str = "the query does not fit into memory";

/// What a query answers.
#[derive(Debug)]
pub enum Answer {
    /// True, with bindings; `more` if there may be further answers.
    True(Solution),
    /// No (more) answers.
    False,
    /// An uncaught exception: the ball as text, and a message for people.
    Exception {
        /// The ball, quoted.
        ball: String,
        message: String,
    },
    /// `halt/1` was called.
    Halt(i32),
}

/// The bindings of an answer.
#[derive(Debug, Default)]
pub struct Solution {
    /// Equations and residual goals, each of which reads back as a goal.
    pub goals: Vec<String>,
    /// Whether there may be further answers.
    pub more: bool,
}

/// A query under way. Only the newest query of a machine may be asked for answers.
#[derive(Debug)]
pub struct Query {
    names: Vec<String>,
    started: bool,
    first_handle: usize,
    base_heap: usize,
}

impl Memory {
    /// Gives names to terms that contain themselves: that of a query variable, or a new one, which is returned
    /// with the term. `None` if there are too many.
    fn name_loops(
        &self,
        variables: &[(String, Cell)],
        names: &mut FastMap<Cell, String>,
    ) -> Option<Vec<(String, Cell)>> {
        const MOST: usize = 1000;
        let mut heads = Vec::new();
        for (_, cell) in variables {
            if self.may_be_cyclic(*cell) {
                self.loop_heads(*cell, MOST, &mut heads);
            }
        }
        if heads.len() >= MOST {
            return None;
        }
        let mut found = Vec::new();
        for head in heads {
            let own = variables.iter().find(|(_, cell)| self.deref(*cell) == head);
            match own {
                Some((name, _)) => {
                    names.insert(head, name.clone());
                }
                None => {
                    let name = format!("_S{}", found.len() + 1);
                    names.insert(head, name.clone());
                    found.push((name, head));
                }
            }
        }
        Some(found)
    }

    fn shallow_copy(&mut self, cell: Cell) -> Cell {
        let Some((name, arity, args)) = self.compound(cell) else {
            return cell;
        };
        let args: Vec<Cell> = (0..arity).map(|i| self.heap.cell(args + i)).collect();
        match self.need(arity + 1) {
            Ok(()) => self.new_term(name, &args),
            Err(_) => cell,
        }
    }
}

impl Machine {
    /// Starts a query; the text must be one term, its full stop may be missing.
    pub fn query(&mut self, text: &str) -> Result<Query, String> {
        self.reset_stacks();
        self.start_tabling();
        self.control.deadline_hits = 0;
        self.control.uncatchable = false;
        self.control.time_limits.clear();
        self.mem.handles.clear();
        let base_heap = self.mem.h;
        let parsed = self.parse_query(text.trim().trim_end_matches('.'))?;
        let goal = parsed.term;
        self.mem.handles.push(goal);
        let mut names = Vec::new();
        for (name, cell) in parsed.variables {
            if !name.starts_with('_') {
                names.push(name);
                self.mem.handles.push(cell);
            }
        }
        let module = self.loader.source_module();
        let goal = self.mem.new_term(atom::COLON, &[Cell::atom(module), goal]);
        let goal = self
            .with_residue(goal, &names)
            .map_err(|_| NO_ROOM.to_owned())?;
        self.mem.hb = self.mem.h;
        self.mem
            .choice
            .set(crate::machine::choice::HEAP, self.mem.h as u64);
        self.control.x[0] = goal;
        Ok(Query {
            names,
            started: false,
            first_handle: 1,
            base_heap,
        })
    }

    /// `'$query'(Goal, [Name = Variable, …], Residue)`: the goals suspended on an answer's variables are found before it is
    /// shown.
    fn with_residue(&mut self, goal: Cell, names: &[String]) -> Result<Cell, crate::PErr> {
        let variables = self.mem.handles[1..].to_vec();
        debug_assert_eq!(variables.len(), names.len(), "named variables have handles");
        self.mem.need(3 * names.len())?;
        let mut bindings = Vec::with_capacity(names.len());
        for (name, variable) in names.iter().zip(variables) {
            let name = self.mem.atom_cell(name);
            bindings.push(self.mem.new_term(atom::EQUALS, &[name, variable]));
        }
        let list = self.new_proper_list(&bindings)?;
        let residue = self.mem.new_var();
        self.mem.handles.push(residue);
        let name = self.mem.atoms.intern("$query");
        let whole = self.mem.new_term(name, &[goal, list, residue]);
        Ok(self
            .mem
            .new_term(atom::COLON, &[Cell::atom(atom::SYSTEM), whole]))
    }

    /// The next answer.
    pub fn next_answer(&mut self, query: &mut Query) -> Answer {
        self.next_answer_with(query, true)
    }

    /// The next answer; its bindings are written out if `shown`.
    fn next_answer_with(&mut self, query: &mut Query, shown: bool) -> Answer {
        let resume = query.started;
        query.started = true;
        if !resume {
            let call = self.pred_id(atom::SYSTEM, atom::CALL, 1);
            let Ok(start) = self.alloc_query_code(call) else {
                return Answer::False;
            };
            self.control.p = start;
            self.control.cp = code_at::STOP;
        }
        match self.run(resume) {
            Outcome::True => {
                let more = self.control.b != 0;
                match shown {
                    true => Answer::True(self.solution(query, more)),
                    false => Answer::True(Solution {
                        goals: Vec::new(),
                        more,
                    }),
                }
            }
            Outcome::False | Outcome::Suspended => {
                self.finish(query);
                Answer::False
            }
            Outcome::Exception(ball) => {
                let answer = self.exception(&ball);
                self.finish(query);
                answer
            }
            Outcome::Halt(code) => Answer::Halt(code),
        }
    }

    /// Gives up a query.
    pub fn finish(&mut self, query: &Query) {
        if self.control.cleanup_b > 0 && self.control.halted.is_none() {
            // Their exceptions have nowhere to go.
            let _ = self.run_cleanups(0);
        }
        self.reset_stacks();
        self.mem.handles.clear();
        // Nothing of the query is referred to any more.
        self.keep_globals();
        self.mem.h = query.base_heap.min(self.mem.h);
        self.mem.hb = self.mem.h;
        self.mem
            .choice
            .set(crate::machine::choice::HEAP, self.mem.h as u64);
    }

    /// The names of predicates that can be called from the top level, sorted, without those of the system's insides.
    pub fn predicate_names(&self) -> Vec<String> {
        let module = self.loader.source_module();
        let own = self.program.db.preds.iter().filter(|pred| {
            pred.kind != crate::database::Kind::Undefined
                && [module, atom::USER, atom::SYSTEM].contains(&pred.module)
        });
        let own = own.map(|pred| pred.name);
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let libraries = self.loader.files.library_index.keys();
        let libraries = libraries.map(|&key| Cell(key).name());
        let mut names: Vec<String> = own
            .chain(libraries)
            .map(|name| self.mem.atom_text(name).to_owned())
            .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Runs a goal once and writes its bindings out.
    pub fn run_goal(&mut self, text: &str) -> Answer {
        self.run_goal_with(text, true)
    }

    /// Runs a goal once for its effect; true without bindings, false, or the exception.
    pub fn perform(&mut self, text: &str) -> Answer {
        self.run_goal_with(text, false)
    }

    fn run_goal_with(&mut self, text: &str, shown: bool) -> Answer {
        match self.query(text) {
            Ok(mut query) => {
                let answer = self.next_answer_with(&mut query, shown);
                if self.control.halted.is_none() {
                    self.finish(&query);
                }
                answer
            }
            Err(message) => Answer::Exception {
                ball: format!(
                    "error(syntax_error({}),_)",
                    stet_prolog::quote_atom(message.lines().next().unwrap_or_default())
                ),
                message: format!("syntax error: {message}"),
            },
        }
    }

    /// Writes an atom so that it reads back.
    pub fn quote(&self, text: &str) -> String {
        stet_prolog::quote_atom(text)
    }

    pub(crate) fn alloc_query_code(&mut self, call: u32) -> Result<usize, crate::PErr> {
        if self.program.db.query_code == 0 {
            let word = [word_imm(Op::Execute, 0, 0, call)];
            self.program.db.query_code = self.alloc_code(&word)? as usize;
        }
        Ok(self.program.db.query_code)
    }

    fn exception(&mut self, ball: &Flat) -> Answer {
        self.reset_stacks();
        let Ok(term) = self.unflatten(ball) else {
            return Answer::Exception {
                ball: "error(resource_error(memory),_)".to_owned(),
                message: "not enough resources: memory".to_owned(),
            };
        };
        let text = self.quoted(term);
        let trace = self.trace_text();
        // The message is made in Prolog, in a run of its own.
        let name = self.mem.atoms.intern("$describe");
        let message = self.mem.new_var();
        let goal = self.mem.new_term(name, &[term, message]);
        let system = self
            .mem
            .new_term(atom::COLON, &[Cell::atom(atom::SYSTEM), goal]);
        self.mem.handles.clear();
        self.mem.handles.push(message);
        self.control.x[0] = system;
        let call = self.pred_id(atom::SYSTEM, atom::CALL, 1);
        let fresh = self.config.budget.clone();
        self.config.budget = stet_base::Budget::unlimited();
        // What is full stays full; the message must come out all the same.
        let memory = std::mem::replace(&mut self.config.memory, usize::MAX);
        let outcome = match self.alloc_query_code(call) {
            Ok(start) => {
                self.control.p = start;
                self.control.cp = code_at::STOP;
                self.mem
                    .choice
                    .set(crate::machine::choice::HEAP, self.mem.h as u64);
                self.mem.hb = self.mem.h;
                self.run(false)
            }
            Err(_) => Outcome::False,
        };
        self.config.budget = fresh;
        self.config.memory = memory;
        let message = match outcome {
            Outcome::True => self
                .mem
                .text_of(self.mem.handles[0])
                .unwrap_or_else(|| text.clone()),
            _ => format!("uncaught exception: {text}"),
        };
        Answer::Exception {
            ball: text,
            message: message + &trace,
        }
    }

    /// The clauses an uncaught error came through, a line each.
    fn trace_text(&self) -> String {
        let mut text = String::new();
        for frame in self.frames().take(12) {
            let pred = self.program.db.pred(frame.pred);
            let Some(file) = pred.file.filter(|_| pred.module != atom::SYSTEM) else {
                continue;
            };
            let file = self.mem.atom_text(file);
            if file.starts_with("library:") {
                continue;
            }
            let name = stet_prolog::quote_atom(self.mem.atom_text(pred.name));
            let module = match pred.module {
                atom::USER => String::new(),
                module => format!("{}:", stet_prolog::quote_atom(self.mem.atom_text(module))),
            };
            text += &format!(
                "\n  in {module}{name}/{} ({file}:{})",
                pred.arity, frame.line
            );
        }
        text
    }

    /// The bindings of the query's variables as goals that read back.
    fn solution(&mut self, query: &Query, more: bool) -> Solution {
        let options = WriteOptions {
            quoted: true,
            numbervars: true,
            priority: 699,
            spacing: true,
            ..WriteOptions::WRITEQ
        };
        let variables: Vec<(String, Cell)> = query
            .names
            .iter()
            .enumerate()
            .map(|(i, name)| (name.clone(), self.mem.handles[query.first_handle + i]))
            .collect();
        // Variables bound to each other share the first one's name; other variables are `_A`, `_B`, ….
        let mut names: FastMap<Cell, String> = FastMap::default();
        for (name, cell) in &variables {
            let cell = self.mem.deref(*cell);
            if cell.is_var() {
                names.entry(cell).or_insert_with(|| name.clone());
            }
        }
        let residue = self.mem.handles[query.first_handle + variables.len()];
        let residual = self.list_items(residue).unwrap_or_default();
        let mut fresh = 0;
        let mut roots: Vec<Cell> = variables.iter().map(|(_, cell)| *cell).collect();
        roots.extend(&residual);
        for root in roots {
            for var in self.mem.variables_of(root) {
                names.entry(var).or_insert_with(|| {
                    fresh += 1;
                    format!("_{}", stet_prolog::variable_name(fresh - 1))
                });
            }
        }
        let mut goals = Vec::new();
        let loops = self.mem.name_loops(&variables, &mut names);
        for (name, cell) in variables.iter().chain(loops.iter().flatten()) {
            let mut cell = self.mem.deref(*cell);
            if names.get(&cell) == Some(name) {
                if cell.is_var() {
                    continue;
                }
                // A copy of the outermost node is written out; inside, its name stands for it.
                cell = self.mem.shallow_copy(cell);
            }
            let value = match loops {
                Some(_) => self.format_folded(cell, &options, Some(&names)),
                None => self.format_named(cell, &options, Some(&names)),
            };
            goals.push(format!("{name} = {value}"));
        }
        for goal in residual {
            let options = WriteOptions {
                priority: 999,
                ..options
            };
            goals.push(self.format_named(goal, &options, Some(&names)));
        }
        if self.has_delays() {
            // Neither true nor false in the well-founded model.
            goals.push("undefined".to_owned());
        }
        debug_assert!(needs_no_quotes("true"));
        Solution { goals, more }
    }
}
