//! A verification run: every selected implementation of a program, with reuse of what the store knows.

use crate::cfg::Body;
use crate::fine::relate::relate;
use crate::fine::snapshot::{self, Dictionary};
use crate::options::{Caching, Options};
use crate::prove::{self, Answer, End, Inquiry, Question};
use crate::record;
use crate::result::{ImplementationResult, Origin, Outcome, Priority};
use crate::smoke::{self, Unreachable};
use crate::split;
use crate::task::{ENGINE_VERSION, Prepared, Task, configuration, unsupported};
use crate::text::{self, Bodies, Texts};
use crate::vc::Condition;
use crate::whole::is_rechecked;
use crate::workers;
use std::sync::Arc;
use std::time::Duration;
use stet_base::Budget;
use stet_boogie::ast::{FuncId, ImplId};
use stet_boogie::inline::{Inlining, skips_verification};
use stet_boogie::intervals::Places;
use stet_boogie::{Decl, Program};
use stet_key::{Digest, KeyBuilder, KeyParts};
use stet_solve::pipe::{self, PipeError, ProverConfig, ProverIdentity, UnknownReason};
use stet_store::{Entry, Mode, Provenance, Request, Store};

/// The kind of verdicts in the store.
pub const VERDICT_KIND: &str = "verify/implementation";
/// The kind of snapshots in the store.
pub const SNAPSHOT_KIND: &str = "verify/snapshot";

/// How long the prover may look for a way to one place, if there is no time limit.
const SMOKE_TIME: Duration = Duration::from_secs(10);

/// What a run needs besides the program and its options.
pub struct Context<'a> {
    /// Where verdicts are kept.
    pub store: &'a Store,
    /// What the program is called from one snapshot to the next, e.g. its file name.
    pub subject: &'a str,
    /// How long the run may take, and whether it was interrupted.
    pub budget: &'a Budget,
}

/// What a run found.
pub struct Run {
    /// The results in the order of the program.
    pub results: Vec<ImplementationResult>,
    /// Reused verdicts that differ from their recomputation: a defect (law 6).
    pub mismatches: Vec<String>,
    /// Recursive `:inline` functions, once for every call that was left as it is.
    pub expansion_loops: Vec<String>,
    /// The program, with what verification added to it.
    pub program: Program,
}

/// Verifies a type-checked program. `on_result` is called as results become known: reused ones first, then by
/// priority [FGC §3.3].
pub fn verify(
    program: Program,
    options: &Options,
    context: &Context<'_>,
    on_result: &mut (dyn FnMut(&ImplementationResult) + Send),
) -> Run {
    // Expressions may nest deeply; trees are walked by recursion on a stack that is deep enough.
    stet_boogie::deep_stack(move || verify_here(program, options, context, on_result))
}

/// As [`verify`], on the stack of the caller: for programs known to nest little. Provers of
/// [`Options::provers`] belong to the calling thread.
pub fn verify_here(
    mut program: Program,
    options: &Options,
    context: &Context<'_>,
    on_result: &mut dyn FnMut(&ImplementationResult),
) -> Run {
    let known = recall_by_text(&program, options, context);
    let everything = program.decls.iter().all(|decl| match decl {
        Decl::Implementation(imp) => {
            known.iter().any(|r| r.implementation == *imp) || !is_selected(&program, *imp, options)
        }
        _ => true,
    });
    if !everything {
        // What is known is not looked at again, so nothing depends on what is inferred there.
        let is_known = |imp| known.iter().any(|r| r.implementation == imp);
        transform(&mut program, options, &|imp| !is_known(imp));
    }
    let selected: Vec<ImplId> = program
        .decls
        .iter()
        .filter_map(|decl| match decl {
            Decl::Implementation(imp) => Some(*imp),
            _ => None,
        })
        .filter(|&imp| is_selected(&program, imp, options))
        .collect();
    for result in &known {
        on_result(result);
    }
    let position = |imp: ImplId| selected.iter().position(|&i| i == imp);
    if everything {
        return Run {
            results: known,
            mismatches: Vec::new(),
            expansion_loops: Vec::new(),
            program,
        };
    }
    let mut run = Runner {
        bodies: bodies_by_text(&program, options),
        prepared: Prepared::new(program, options),
        options,
        context,
        results: Vec::new(),
        open: Vec::new(),
        mismatches: Vec::new(),
        dictionary: Dictionary::default(),
    };
    for &imp in &selected {
        if !known.iter().any(|result| result.implementation == imp) {
            run.start(imp, on_result);
        }
    }
    run.finish(on_result);
    if let Some((texts, bodies)) = &run.bodies {
        for result in &run.results {
            let mut places = bodies.places.iter();
            if let Some(&(_, place)) = places.find(|(i, _)| *i == result.implementation) {
                texts.remember(bodies, place, options, context.store, result);
            }
        }
    }
    run.results.extend(known);
    if options.smoke {
        run.smoke_test();
    }
    run.results.sort_by_key(|r| position(r.implementation));
    let Prepared {
        program, expander, ..
    } = run.prepared;
    let name = |&func: &FuncId| program.name(program.funcs[func].name).to_owned();
    Run {
        results: run.results,
        mismatches: run.mismatches,
        expansion_loops: expander.loops.iter().map(name).collect(),
        program,
    }
}

/// The implementations with the pieces of text that are their bodies, if verdicts by text are to be used.
fn bodies_by_text<'a>(program: &Program, options: &'a Options) -> Option<(&'a Texts, Bodies)> {
    let texts = options.texts.as_deref();
    let texts = texts.filter(|_| text::is_used(options))?;
    Some((texts, texts.bodies_of(program)?))
}

/// What is known without making conditions, in the order of the program.
fn recall_by_text(
    program: &Program,
    options: &Options,
    context: &Context<'_>,
) -> Vec<ImplementationResult> {
    let Some((texts, bodies)) = bodies_by_text(program, options) else {
        return Vec::new();
    };
    let places = bodies.places.iter();
    places
        .filter(|&&(imp, _)| is_selected(program, imp, options))
        .filter_map(|&place| texts.recall(&bodies, place, options, context.store))
        .filter(|result| {
            // The snapshot compared with after the next edit must be this one.
            let is_last = options.caching != Caching::Fine
                || result.obligations.is_empty()
                || make_snapshot_last(context.store, context.subject, result);
            is_last && !is_rechecked(result)
        })
        .collect()
}

/// Makes the snapshots of results that are known as a whole those the next edit is compared with.
pub fn make_last(
    store: &Store,
    subject: &str,
    options: &Options,
    results: &[ImplementationResult],
) {
    if options.caching != Caching::Fine || store.mode() != Mode::ReadWrite {
        return;
    }
    for result in results.iter().filter(|r| !r.obligations.is_empty()) {
        make_snapshot_last(store, subject, result);
    }
}

/// Makes the snapshot of this result the one kept last, if it is there.
fn make_snapshot_last(store: &Store, subject: &str, result: &ImplementationResult) -> bool {
    let subject = format!("{subject}:{}", result.name);
    let Some(verdict) = Digest::from_hex(&result.key) else {
        return false;
    };
    let (key, _) = snapshot_key(verdict, &subject);
    let kept = store.latest(SNAPSHOT_KIND, &subject);
    if kept.is_some_and(|entry| entry.key == key) {
        return true;
    }
    // A look-up that finds nothing counts as a miss, which must not make a run fail that may not miss.
    if store.mode() != Mode::ReadWrite {
        return false;
    }
    let found = store.get(SNAPSHOT_KIND, &key);
    let Some(entry) = found.filter(|entry| entry.subject.as_deref() == Some(&*subject)) else {
        return false;
    };
    store.put((*entry).clone());
    true
}

/// The key of the snapshot that goes with a verdict.
fn snapshot_key(verdict: Digest, subject: &str) -> (Digest, KeyParts) {
    let mut builder = KeyBuilder::new(SNAPSHOT_KIND);
    builder.digest_part("verdict", verdict);
    builder.part("subject", |e| e.str(subject));
    builder.finish()
}

/// Passes over the program before verification, as far as the options ask for them. Only `wanted` implementations
/// will be verified.
fn transform(program: &mut Program, options: &Options, wanted: &dyn Fn(ImplId) -> bool) {
    if options.inline_calls {
        stet_boogie::drop_unused_locals(program);
    }
    if options.coalesce_blocks {
        stet_boogie::coalesce(program);
    }
    if options.inline_calls {
        stet_boogie::inline::inline(program, Inlining::Assume, None, &|_, _| true);
        let skipped: Vec<ImplId> = program
            .impls
            .ids()
            .filter(|&id| skips_verification(program, id, Inlining::Assume))
            .collect();
        program.decls.retain(|decl| match decl {
            Decl::Implementation(id) => !skipped.contains(id),
            _ => true,
        });
    }
    if options.infer_intervals {
        stet_boogie::intervals::infer_some(program, Places::LoopHeads, wanted);
    }
    stet_boogie::lower_code_expressions(program);
}

fn is_selected(program: &Program, imp: ImplId, options: &Options) -> bool {
    let implementation = &program.impls[imp];
    let procedure = implementation.proc.map(|p| &program.procs[p]);
    let switched_off = |attrs: &stet_boogie::ast::Attributes| {
        program.attribute(attrs, "verify").is_some() && !program.bool_attribute(attrs, "verify")
    };
    options.selects(program.name(implementation.name))
        && !switched_off(&implementation.attrs)
        && !procedure.is_some_and(|p| switched_off(&p.attrs))
}

/// An implementation that has to be asked about.
struct Open {
    task: Task,
    /// Whether what is asked relies on what the last snapshot knows.
    injected: bool,
    /// What is asked, piece by piece.
    parts: Vec<Part>,
    /// The question without what the last snapshot knows: what is left can be harder than the whole.
    instead: Option<Question>,
}

/// One question of an implementation.
struct Part {
    /// The condition asked, if it is not the task's own.
    condition: Option<Condition>,
    question: Question,
}

/// A body that relies on what the last snapshot knows, its condition, and what that stands on.
type Injected = (Body, Condition, String);

impl Open {
    /// The answer in the numbers of the task, from those to its parts.
    fn merge(&self, answers: Vec<Answer>) -> Answer {
        let mut whole = Answer {
            failures: Vec::new(),
            end: End::Complete,
        };
        for (part, answer) in self.parts.iter().zip(answers) {
            let answer = match &part.condition {
                Some(condition) => self.task.translate(condition, answer),
                None => answer,
            };
            whole.failures.extend(answer.failures);
            if !matches!(whole.end, End::Unknown(_)) && answer.end != End::Complete {
                whole.end = answer.end;
            }
        }
        // The limit holds for each part, as in Boogie.
        whole
    }

    /// Makes the task's own condition the one that was asked about.
    fn forget_reuse(&mut self) {
        self.task.known.clear();
        self.task.recycled.clear();
        self.injected = false;
        for part in &mut self.parts {
            part.condition = None;
        }
    }

    /// Whether recycled errors alone reach the error limit.
    fn is_over(&self, options: &Options) -> bool {
        options.error_limit != 0 && self.task.recycled.len() >= options.error_limit
    }
}

struct Runner<'a> {
    prepared: Prepared,
    options: &'a Options,
    context: &'a Context<'a>,
    results: Vec<ImplementationResult>,
    open: Vec<Open>,
    mismatches: Vec<String>,
    dictionary: Dictionary,
    bodies: Option<(&'a Texts, Bodies)>,
}

impl Runner<'_> {
    fn emit(
        &mut self,
        result: ImplementationResult,
        on_result: &mut dyn FnMut(&ImplementationResult),
    ) {
        on_result(&result);
        self.results.push(result);
    }

    /// Takes an implementation as far as it goes without the prover.
    fn start(&mut self, imp: ImplId, on_result: &mut dyn FnMut(&ImplementationResult)) {
        let mut task = match self.prepared.task(imp, self.options) {
            Ok(task) => task,
            Err(problem) => {
                let result = unsupported(&self.prepared.program, imp, problem);
                return self.emit(result, on_result);
            }
        };
        if task.condition.is_trivial() {
            let answer = self.ask_about_terms(&task);
            let result = task.result(&self.prepared.program, &answer, Origin::Solved);
            return self.emit(result, on_result);
        }
        if self.options.caching != Caching::Off
            && !self.options.want_models
            && let Some((answer, entry)) = self.look_up(&task)
        {
            task.priority = Priority::Highest;
            let mut result = task.result(&self.prepared.program, &answer, Origin::Cached);
            result.cached = true;
            result.recorded = Some(entry.provenance.created);
            if self.is_checked(&task) {
                self.recheck(&task, &answer);
            }
            if self.options.caching == Caching::Fine {
                self.keep_snapshot(&task, &answer);
            }
            return self.emit(result, on_result);
        }
        let injected = if self.options.caching == Caching::Fine {
            self.inject(&mut task)
        } else {
            None
        };
        let open = self.open(task, injected);
        let nothing_left = open.parts.iter().all(|part| part.question.checks == 0);
        if nothing_left || open.is_over(self.options) {
            let end = if nothing_left {
                End::Complete
            } else {
                End::ErrorLimit
            };
            let answer = Answer {
                failures: Vec::new(),
                end,
            };
            let result = self.conclude(&open, answer);
            return self.emit(result, on_result);
        }
        self.open.push(open);
    }

    /// The answer for an implementation without a check. Only the prover knows whether functions that are its own are used
    /// rightly, so it reads the assignments with them.
    fn ask_about_terms(&mut self, task: &Task) -> Answer {
        let nothing_wrong = Answer {
            failures: Vec::new(),
            end: End::Complete,
        };
        let program = &mut self.prepared.program;
        let builtin = |f: &stet_boogie::Function| {
            let name = program.str_attribute(&f.attrs, "bvbuiltin");
            let name = name.or_else(|| program.str_attribute(&f.attrs, "builtin"));
            name.map(|name| format!("({name} "))
        };
        let names: Vec<String> = program
            .funcs
            .iter()
            .filter_map(|(_, f)| builtin(f))
            .collect();
        if names.is_empty() {
            return nothing_wrong;
        }
        let span = program.impls[task.imp].span;
        let yes = crate::tree::bool_literal(program, span, true);
        let body = smoke::assignments(program, &task.body, yes);
        let Ok(condition) = self.prepared.condition(task.imp, &body) else {
            return nothing_wrong;
        };
        if !names.iter().any(|name| condition.formula.contains(name)) {
            return nothing_wrong;
        }
        let foundation = self.prepared.foundation(&condition);
        if foundation.unsupported.is_some() {
            return nothing_wrong;
        }
        let question = task.question(self.options, foundation.text, &condition);
        let mut worker = prove::Worker::new(self.options.prover.clone(), self.manner());
        let answer = worker.ask(&question, self.context.budget);
        match answer.end {
            End::Unknown(UnknownReason::Garbage(_)) => answer,
            _ => nothing_wrong,
        }
    }

    /// The questions of a task: about its condition or the injected one, whole or split.
    fn open(&mut self, task: Task, injected: Option<Injected>) -> Open {
        let is_injected = injected.is_some();
        let (body, condition, foundation) = match injected {
            Some((body, condition, foundation)) => (Some(body), Some(condition), foundation),
            None => (None, None, task.foundation.text.clone()),
        };
        let whole = condition.as_ref().unwrap_or(&task.condition);
        let pieces = split::split(
            body.as_ref().unwrap_or(&task.body),
            &whole.checks,
            self.options,
        );
        let mut parts = Vec::new();
        for piece in &pieces {
            // What the whole needs declared is enough for its parts.
            let Ok(condition) = self.prepared.condition(task.imp, piece) else {
                parts.clear();
                break;
            };
            parts.push(Part {
                question: task.question(self.options, foundation.clone(), &condition),
                condition: Some(condition),
            });
        }
        if parts.is_empty() {
            parts.push(Part {
                question: task.question(self.options, foundation, whole),
                condition,
            });
        }
        let whole_body = || split::split(&task.body, &task.condition.checks, self.options);
        let is_bounded = is_injected && self.options.edit_effort != 0;
        let may_ask_instead = is_bounded && pieces.is_empty() && whole_body().is_empty();
        let instead = may_ask_instead.then(|| self.whole_question(&task));
        Open {
            task,
            injected: is_injected,
            parts,
            instead,
        }
    }

    /// The question about everything in a task.
    fn whole_question(&self, task: &Task) -> Question {
        Question {
            error_limit: self.options.error_limit,
            ..task.question(self.options, task.foundation.text.clone(), &task.condition)
        }
    }

    /// Reuses what the last snapshot knows about single checks; the rest is the condition to ask about.
    fn inject(&mut self, task: &mut Task) -> Option<Injected> {
        let subject = self.subject(task);
        let entry = self.context.store.latest(SNAPSHOT_KIND, &subject)?;
        let old = snapshot::decode(&entry.evidence).ok()?;
        let entity = self.entity(task);
        task.priority = if old.entity == entity {
            Priority::Low
        } else {
            Priority::Medium
        };
        let is_limited = task.is_limited();
        if self.options.want_models || old.configuration != configuration(self.options, is_limited)
        {
            return None;
        }
        let Prepared {
            program,
            background,
            ..
        } = &self.prepared;
        let meanings = self
            .dictionary
            .meanings(program, background, &task.foundation);
        let facts = meanings.facts(program);
        if !old
            .facts
            .iter()
            .all(|fact| facts.binary_search(fact).is_ok())
        {
            return None;
        }
        let digests: Vec<Vec<_>> = task
            .body
            .blocks
            .iter()
            .map(|block| {
                let digest = |cmd| meanings.command(program, &task.body, cmd);
                block.cmds.iter().map(digest).collect()
            })
            .collect();
        let scope = snapshot::scope(program, task.imp, &task.body);
        let same_facts = old.facts == facts;
        let program = &mut self.prepared.program;
        let reuse = relate(
            program, &task.body, &digests, &old, &scope, &meanings, same_facts,
        );
        if reuse.verified.is_empty() && reuse.partial.is_empty() && reuse.recycled.is_empty() {
            return None;
        }
        let condition = self.prepared.condition(task.imp, &reuse.body).ok()?;
        let mut needs = task.condition.needs.clone();
        needs.extend(condition.needs.iter().cloned());
        let Prepared {
            program,
            background,
            smt,
            ..
        } = &mut self.prepared;
        let foundation = background.foundation(program, smt, &needs);
        if foundation.unsupported.is_some() {
            return None;
        }
        task.take_reuse(&reuse)?;
        Some((reuse.body, condition, foundation.text))
    }

    /// Keeps the snapshot of a task with its verdicts, unless it is the one kept already.
    fn keep_snapshot(&mut self, task: &Task, whole: &Answer) {
        if matches!(whole.end, End::Unknown(_)) || self.context.store.mode() != Mode::ReadWrite {
            return;
        }
        let subject = self.subject(task);
        let (key, parts) = snapshot_key(task.key, &subject);
        let kept = self.context.store.latest(SNAPSHOT_KIND, &subject);
        if kept.is_some_and(|entry| entry.key == key) {
            return;
        }
        let entity = self.entity(task);
        let Prepared {
            program,
            background,
            ..
        } = &self.prepared;
        let meanings = self
            .dictionary
            .meanings(program, background, &task.foundation);
        let facts = meanings.facts(program);
        let evidence = snapshot::encode(
            program,
            &task.body,
            &meanings,
            &configuration(self.options, task.is_limited()),
            &entity,
            &facts,
            &|check| task.old_verdict(check, whole),
        );
        self.context.store.put(Entry {
            key,
            kind: SNAPSHOT_KIND.into(),
            subject: Some(subject.into()),
            outcome: stet_store::Outcome::Data,
            evidence,
            provenance: Provenance::now("verify", ENGINE_VERSION, &self.options.identity.version),
            parts,
        });
    }

    fn look_up(&self, task: &Task) -> Option<(Answer, Arc<Entry>)> {
        let subject = self.subject(task);
        let entry = self.context.store.lookup(&Request {
            kind: VERDICT_KIND,
            subject: &subject,
            key: task.key,
            parts: &task.parts,
        })?;
        let condition = &task.condition;
        let answer = record::decode(
            &entry.evidence,
            condition.blocks.len(),
            condition.checks.len(),
        );
        Some((answer.ok()?, entry))
    }

    /// The digest of the implementation as written.
    fn entity(&self, task: &Task) -> Digest {
        let texts = self.bodies.as_ref();
        let body = texts.and_then(|(texts, bodies)| texts.body(bodies, task.imp));
        snapshot::entity(&self.prepared.program, task.imp, body)
    }

    fn subject(&self, task: &Task) -> String {
        format!("{}:{}", self.context.subject, task.name)
    }

    /// Whether reused verdicts of a task are recomputed: when asked, and a sample of the keys in debug builds.
    fn is_checked(&self, task: &Task) -> bool {
        self.options.check_cache || stet_store::is_rechecked(&task.key)
    }

    /// Asks again about a reused verdict (law 6).
    fn recheck(&mut self, task: &Task, stored: &Answer) {
        let question = self.whole_question(task);
        let mut worker = prove::Worker::new(self.options.prover.clone(), self.manner());
        let answer = worker.ask(&question, self.context.budget);
        if matches!(answer.end, End::Unknown(_)) {
            return;
        }
        let failing = |answer: &Answer| {
            let mut checks: Vec<usize> = answer.failures.iter().map(|f| f.check).collect();
            checks.sort_unstable();
            checks
        };
        let same = match stored.end {
            End::ErrorLimit => answer.failures.len() == stored.failures.len(),
            _ => failing(&answer) == failing(stored),
        };
        if !same {
            self.mismatches.push(format!(
                "`{}` under key {}: failing checks {:?} stored, {:?} recomputed",
                task.name,
                task.key,
                failing(stored),
                failing(&answer)
            ));
        }
    }

    fn manner(&self) -> prove::Manner {
        prove::Manner {
            extra: self.options.prover_options.clone(),
        }
    }

    /// Asks the prover about what is left, most urgent first.
    fn finish(&mut self, on_result: &mut dyn FnMut(&ImplementationResult)) {
        let mut open = std::mem::take(&mut self.open);
        open.sort_by_key(|open| open.task.priority);
        let effort = self.options.edit_effort;
        let mut inquiries = Vec::with_capacity(open.len());
        let mut owners = Vec::with_capacity(open.len());
        for (number, open) in open.iter_mut().enumerate() {
            for part in &mut open.parts {
                inquiries.push(Inquiry {
                    question: std::mem::replace(&mut part.question, empty_question()),
                    instead: open.instead.take().map(|whole| (effort, whole)),
                });
                owners.push(number);
            }
        }
        let manner = self.manner();
        let mut answers: Vec<Answer> = Vec::new();
        let (jobs, budget) = (self.options.jobs, self.context.budget);
        workers::ask_all(
            &inquiries,
            jobs,
            &self.options.prover,
            &manner,
            budget,
            self.options.provers.as_deref(),
            &mut |i, reply| {
                let open = &mut open[owners[i]];
                if reply.is_instead {
                    open.forget_reuse();
                }
                answers.push(reply.answer);
                if answers.len() == open.parts.len() {
                    let answer = open.merge(std::mem::take(&mut answers));
                    let result = self.conclude(open, answer);
                    self.emit(result, on_result);
                }
            },
        );
    }

    /// Looks for unreachable code in everything that was verified.
    fn smoke_test(&mut self) {
        let mut results = std::mem::take(&mut self.results);
        let mut worker = prove::Worker::new(self.options.prover.clone(), self.manner());
        for result in &mut results {
            if result.outcome == Outcome::Verified {
                result.unreachable = self.unreachable_code(result, &mut worker);
            }
        }
        self.results = results;
    }

    fn unreachable_code(
        &mut self,
        result: &ImplementationResult,
        worker: &mut prove::Worker,
    ) -> Vec<Unreachable> {
        let (imp, options, budget) = (result.implementation, self.options, self.context.budget);
        let Ok(body) = self.prepared.body_with(imp, options, false) else {
            return Vec::new();
        };
        let no = crate::tree::bool_literal(&mut self.prepared.program, result.span, false);
        let program = self.prepared.program.clone();
        let prepared = &mut self.prepared;
        smoke::walk(&program, &body, &mut |point| {
            let asked = smoke::question(&program, &body, point, no);
            let Ok(condition) = prepared.condition(imp, &asked) else {
                return false;
            };
            let foundation = prepared.foundation(&condition);
            if foundation.unsupported.is_some() {
                return false;
            }
            let question = Question {
                foundation: foundation.text,
                declarations: condition.declarations,
                formula: condition.formula,
                blocks: condition.blocks.len(),
                checks: condition.checks.len(),
                error_limit: 1,
                time_limit: options.time_limit.or(Some(SMOKE_TIME)),
                resource_limit: options.resource_limit,
                every_path: false,
                want_model: false,
            };
            let answer = worker.ask(&question, budget);
            answer.failures.is_empty() && answer.end == End::Complete
        })
    }

    fn conclude(&mut self, open: &Open, answer: Answer) -> ImplementationResult {
        let task = &open.task;
        let result = task.result(&self.prepared.program, &answer, Origin::Solved);
        let mut whole = answer;
        whole.failures.splice(0..0, task.recycled.iter().cloned());
        if open.injected && self.is_checked(task) {
            self.recheck(task, &whole);
        }
        if self.options.caching != Caching::Off {
            self.remember(task, &whole, &result);
        }
        if self.options.caching == Caching::Fine {
            self.keep_snapshot(task, &whole);
        }
        result
    }

    /// Stores a verdict; what was not decided is not stored (law 4).
    fn remember(&self, task: &Task, answer: &Answer, result: &ImplementationResult) {
        if matches!(answer.end, End::Unknown(_)) {
            return;
        }
        let outcome = match result.outcome {
            Outcome::Verified => stet_store::Outcome::Holds,
            Outcome::Errors => stet_store::Outcome::Fails,
            _ => return,
        };
        self.context.store.put(Entry {
            key: task.key,
            kind: VERDICT_KIND.into(),
            subject: Some(self.subject(task).into()),
            outcome,
            evidence: record::encode(answer),
            provenance: Provenance::now("verify", ENGINE_VERSION, &self.options.identity.version),
            parts: task.parts.clone(),
        });
    }
}

fn empty_question() -> Question {
    Question {
        foundation: String::new(),
        declarations: String::new(),
        formula: String::new(),
        blocks: 0,
        checks: 0,
        error_limit: 0,
        time_limit: None,
        resource_limit: 0,
        every_path: false,
        want_model: false,
    }
}

/// Which prover that is, asked of the executable only if it changed since the store was told.
pub fn prover_identity(config: &ProverConfig, store: &Store) -> Result<ProverIdentity, PipeError> {
    let Some(stamp) = pipe::executable_stamp(&config.path) else {
        return pipe::identify(config);
    };
    let mut builder = KeyBuilder::new("verify/prover");
    builder.part("executable", |e| {
        e.str(config.kind.name());
        e.str(&stamp);
    });
    let (key, parts) = builder.finish();
    const KIND: &str = "verify/prover";
    if let Some(entry) = store.recall(KIND, &key)
        && let Ok(version) = std::str::from_utf8(&entry.evidence)
    {
        return Ok(ProverIdentity {
            kind: config.kind,
            version: version.to_owned(),
        });
    }
    let identity = pipe::identify(config)?;
    store.put(Entry {
        key,
        kind: KIND.into(),
        subject: None,
        outcome: stet_store::Outcome::Data,
        evidence: identity.version.clone().into_bytes(),
        provenance: Provenance::now("verify", ENGINE_VERSION, &identity.version),
        parts,
    });
    Ok(identity)
}
