//! A verification run: every selected implementation of a program, through the layers of the cascade and to the prover.

use crate::layers::checks::ChecksLayer;
use crate::layers::implementation::ImplementationLayer;
use crate::layers::opinions::OpinionLayer;
use crate::layers::text::TextLayer;
use crate::layers::undecided::UndecidedLayer;
use crate::layers::{LayerCount, Metered, recheck};
use crate::open::{Open, Purpose};
use crate::options::{Caching, Options};
use crate::prove::{Answer, End, Inquiry, Question};
use crate::result::{Conclusion, ImplementationResult, Origin, Priority};
use crate::setup::Setup;
use crate::smoke::{self, Unreachable};
use crate::takeover::Ticket;
use crate::task::{Prepared, Task, unsupported};
use crate::workers;
use std::time::Duration;
use stet_base::Budget;
use stet_boogie::ast::{FuncId, ImplId};
use stet_boogie::inline::{Inlining, skips_verification};
use stet_boogie::intervals::Places;
use stet_boogie::{Decl, Program};
use stet_key::Digest;
use stet_solve::pipe::UnknownReason;
use stet_store::Store;

/// How often a run that waits for another looks whether it is to go on.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long the prover may look for a way to one place, if there is no time limit.
const SMOKE_TIME: Duration = Duration::from_secs(10);

/// What a run needs besides the program and the setup.
pub(crate) struct Context<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) store: &'a Store,
    /// What the program is called from one call to the next.
    pub(crate) subject: &'a str,
    pub(crate) budget: &'a Budget,
    /// The run among others about the same program.
    pub(crate) ticket: &'a Ticket,
    /// Who read the text.
    pub(crate) reader: Digest,
}

/// What a run found.
pub(crate) struct Run {
    /// The results in the order of the program.
    pub(crate) results: Vec<ImplementationResult>,
    pub(crate) mismatches: Vec<String>,
    /// Recursive `:inline` functions, once for every call that was left as it is.
    pub(crate) expansion_loops: Vec<String>,
    /// The program, with what verification added to it.
    pub(crate) program: Program,
    pub(crate) layers: Vec<LayerCount>,
}

/// Called with every result as it becomes known.
pub(crate) type Sink<'s> = dyn FnMut(&ImplementationResult) + 's;

/// Verifies a type-checked program of which some results are `given`, on the stack of the caller. `sink` is called as results
/// become known: reused ones first, then by priority [FGC §3.3].
pub(crate) fn run(
    mut program: Program,
    given: Vec<ImplementationResult>,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) -> Run {
    let setup = context.setup;
    let mut layers = Layers::new(&program, context);
    let mut known = Vec::new();
    let mut claims = Vec::new();
    layers.fetch_by_text(&selected(&program, setup));
    for imp in selected(&program, setup) {
        let mut given = given.iter().filter(|r| r.implementation == imp).cloned();
        let found = given.next().or_else(|| layers.by_text(imp));
        match found {
            Some(result) if recheck::is_due(&result, setup) => claims.push(result),
            Some(result) => {
                sink(&result);
                known.push(result);
            }
            None => {}
        }
    }
    let is_known = |imp| known.iter().any(|r| r.implementation == imp);
    let everything = selected(&program, setup).into_iter().all(is_known);
    if everything {
        return Run {
            results: known,
            mismatches: Vec::new(),
            expansion_loops: Vec::new(),
            program,
            layers: layers.counts(),
        };
    }
    // What is known is not looked at again, so nothing depends on what is inferred there.
    transform(&mut program, setup, &|imp| !is_known(imp));
    let order = selected(&program, setup);
    let mut runner = Runner {
        prepared: Prepared::new(program, setup),
        setup,
        budget: context.budget,
        ticket: context.ticket,
        layers,
        results: Vec::new(),
        open: Vec::new(),
        elsewhere: Vec::new(),
        mismatches: Vec::new(),
    };
    let mut started = Vec::new();
    for &imp in order.iter().filter(|&&imp| !is_known(imp)) {
        let claim = claims.iter().position(|r| r.implementation == imp);
        match claim {
            Some(claim) => runner.start_again(imp, claims.swap_remove(claim), sink),
            // A shared store is asked about all of them at once.
            None if context.store.is_shared() => {
                let task = runner.task(imp);
                started.push((imp, task));
            }
            None => {
                let task = runner.task(imp);
                runner.start(imp, task, sink);
            }
        }
    }
    let tasks = started.iter().filter_map(|(_, task)| task.as_ref().ok());
    let of_task = |task: &Task| {
        [
            Some(task.key),
            UndecidedLayer::key(task).map(|(key, _)| key),
        ]
    };
    let keys: Vec<Digest> = tasks.flat_map(of_task).flatten().collect();
    context.store.prefetch(&keys);
    for (imp, task) in started {
        runner.start(imp, task, sink);
    }
    runner.finish(sink);
    runner.results.extend(known);
    if setup.smoke {
        runner.smoke_test();
    }
    let position = |imp: ImplId| order.iter().position(|&i| i == imp);
    runner.results.sort_by_key(|r| position(r.implementation));
    let Prepared {
        program, expander, ..
    } = runner.prepared;
    let name = |&func: &FuncId| program.name(program.funcs[func].name).to_owned();
    Run {
        results: runner.results,
        mismatches: runner.mismatches,
        expansion_loops: expander.loops.iter().map(name).collect(),
        layers: runner.layers.counts(),
        program,
    }
}

/// The layers that know about single implementations, as far as they are used.
struct Layers<'a> {
    text: Option<Metered<TextLayer<'a>>>,
    implementation: Option<Metered<ImplementationLayer<'a>>>,
    checks: Option<Metered<ChecksLayer<'a>>>,
    opinions: Option<Metered<OpinionLayer<'a>>>,
    undecided: Option<Metered<UndecidedLayer<'a>>>,
}

impl<'a> Layers<'a> {
    fn new(program: &Program, context: &Context<'a>) -> Self {
        let Context {
            setup,
            store,
            subject,
            ..
        } = *context;
        let is_cached = setup.caching != Caching::Off;
        let is_fine = setup.caching == Caching::Fine;
        let text = TextLayer::new(context.reader, program, setup, store);
        let implementation = || Metered::new(ImplementationLayer::new(setup, store, subject));
        let checks = || Metered::new(ChecksLayer::new(setup, store, subject));
        let opinions = || Metered::new(OpinionLayer::new(setup, store));
        let undecided = || Metered::new(UndecidedLayer::new(setup, store, subject));
        // Where everything is computed afresh, limits are tried again, too.
        let trusts_limits = is_cached && !setup.check_cache;
        Layers {
            text: text.filter(|_| is_cached).map(Metered::new),
            implementation: is_cached.then(implementation),
            checks: is_fine.then(checks),
            opinions: is_cached.then(opinions),
            undecided: trusts_limits.then(undecided),
        }
    }

    /// Has a shared store send what it knows by text, all at once.
    fn fetch_by_text(&self, wanted: &[ImplId]) {
        if let Some(text) = &self.text {
            text.layer().fetch(wanted);
        }
    }

    /// What is known without making a condition.
    fn by_text(&mut self, imp: ImplId) -> Option<ImplementationResult> {
        let result = self.text.as_mut()?.ask(imp)?;
        let checks = self.checks.as_ref();
        let is_last = checks.is_none_or(|checks| checks.layer().make_last(&result));
        is_last.then_some(result)
    }

    /// The digest of the body of an implementation as written, if texts were cut.
    fn body(&self, imp: ImplId) -> Option<Digest> {
        self.text.as_ref()?.layer().body(imp)
    }

    fn counts(&self) -> Vec<LayerCount> {
        let text = self.text.as_ref().map(Metered::count);
        let implementation = self.implementation.as_ref().map(Metered::count);
        let checks = self.checks.as_ref().map(Metered::count);
        let opinions = self.opinions.as_ref().map(Metered::count);
        let undecided = self.undecided.as_ref().map(Metered::count);
        let all = [text, implementation, undecided, checks, opinions]
            .into_iter()
            .flatten();
        all.cloned().collect()
    }
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

/// The implementations to verify, in the order of the program.
fn selected(program: &Program, options: &Options) -> Vec<ImplId> {
    let implementations = program.decls.iter().filter_map(|decl| match decl {
        Decl::Implementation(imp) => Some(*imp),
        _ => None,
    });
    let is_selected = |imp: &ImplId| is_selected(program, *imp, options);
    implementations.filter(is_selected).collect()
}

struct Runner<'a> {
    prepared: Prepared,
    setup: &'a Setup,
    budget: &'a Budget,
    ticket: &'a Ticket,
    layers: Layers<'a>,
    results: Vec<ImplementationResult>,
    open: Vec<Open>,
    /// Those that an earlier run has under way.
    elsewhere: Vec<Open>,
    mismatches: Vec<String>,
}

impl Runner<'_> {
    fn emit(&mut self, result: ImplementationResult, sink: &mut Sink<'_>) {
        debug_assert!(
            self.results
                .iter()
                .all(|r| r.implementation != result.implementation),
            "an implementation has one result"
        );
        sink(&result);
        self.results.push(result);
    }

    /// The task of an implementation; otherwise its result.
    fn task(&mut self, imp: ImplId) -> Result<Task, Box<ImplementationResult>> {
        let task = self
            .prepared
            .task(imp, self.setup)
            .map_err(|problem| Box::new(unsupported(&self.prepared.program, imp, problem)))?;
        if task.condition.is_trivial() {
            let answer = self.ask_about_terms(&task);
            let result = task.result(&self.prepared.program, &answer, Origin::Solved);
            return Err(Box::new(result));
        }
        Ok(task)
    }

    /// Takes an implementation through the layers, as far as it goes without the prover.
    fn start(
        &mut self,
        imp: ImplId,
        task: Result<Task, Box<ImplementationResult>>,
        sink: &mut Sink<'_>,
    ) {
        let mut task = match task {
            Ok(task) => task,
            Err(result) => return self.settle(None, *result, sink),
        };
        if let Some(known) = self.ask_implementation(&task) {
            return self.reuse(task, known, sink);
        }
        if let Some(known) = self.ask_undecided(&task) {
            return self.reuse(task, known, sink);
        }
        let body = self.layers.body(imp);
        let checks = self.layers.checks.as_mut();
        let injected = checks.and_then(|c| c.ask((&mut self.prepared, &mut task, body)));
        let open = Open::new(task, injected, &mut self.prepared, self.setup);
        let Some(answer) = open.without_asking(self.setup) else {
            return self.open.push(open);
        };
        self.conclude(open, answer, sink);
    }

    /// The answer about a whole implementation is known.
    fn reuse(&mut self, mut task: Task, (answer, recorded): (Answer, u64), sink: &mut Sink<'_>) {
        debug_assert!(
            task.is_own(),
            "a verdict about everything needs no snapshot"
        );
        task.priority = Priority::Highest;
        let mut result = task.result(&self.prepared.program, &answer, Origin::Cached);
        result.cached = true;
        result.recorded = Some(recorded);
        self.tell_checks(&mut task, &answer);
        self.settle(Some(task), result, sink);
    }

    /// Computes afresh what a layer claims.
    fn start_again(&mut self, imp: ImplId, claim: ImplementationResult, sink: &mut Sink<'_>) {
        match self.task(imp) {
            Ok(task) => self.ask_again(task, claim),
            Err(fresh) => self.compare(claim, &fresh, sink),
        }
    }

    fn ask_again(&mut self, task: Task, claim: ImplementationResult) {
        let mut open = Open::new(task, None, &mut self.prepared, self.setup);
        open.purpose = Purpose::Recheck(Box::new(claim));
        self.open.push(open);
    }

    fn compare(
        &mut self,
        claim: ImplementationResult,
        fresh: &ImplementationResult,
        sink: &mut Sink<'_>,
    ) {
        self.mismatches
            .extend(recheck::mismatch(&claim, fresh, self.setup));
        self.emit(claim, sink);
    }

    fn ask_implementation(&mut self, task: &Task) -> Option<(Answer, u64)> {
        if self.setup.want_models {
            return None;
        }
        self.layers.implementation.as_mut()?.ask(task)
    }

    /// Whether limits were reached when this was asked.
    fn ask_undecided(&mut self, task: &Task) -> Option<(Answer, u64)> {
        if self.setup.want_models {
            return None;
        }
        self.layers.undecided.as_mut()?.ask(task)
    }

    fn tell_checks(&mut self, task: &mut Task, answer: &Answer) {
        let body = self.layers.body(task.imp);
        if let Some(checks) = &mut self.layers.checks {
            checks.tell((&mut self.prepared, task, body), answer);
        }
    }

    /// A result is there: tells it, or has it computed afresh first.
    fn settle(&mut self, task: Option<Task>, result: ImplementationResult, sink: &mut Sink<'_>) {
        if let Some(text) = &mut self.layers.text {
            text.tell(result.implementation, &result);
        }
        match task {
            Some(mut task) if recheck::is_due(&result, self.setup) => {
                task.forget_reuse();
                self.ask_again(task, result);
            }
            _ => self.emit(result, sink),
        }
    }

    /// The prover has answered.
    fn conclude(&mut self, open: Open, answer: Answer, sink: &mut Sink<'_>) {
        debug_assert!(
            open.doubt.is_none(),
            "a doubt is settled before the verdict"
        );
        if open.needs_confirmation(&answer, self.setup) {
            let open = open.confirming(answer, &mut self.prepared, self.setup);
            return self.open.push(open);
        }
        if open.goes_on(&answer) && !self.is_over() {
            return self
                .open
                .push(open.in_pieces(&answer, &mut self.prepared, self.setup));
        }
        let doubtful = open.doubtful(&answer, self.setup);
        if !doubtful.is_empty() {
            return self.doubt(open, answer, &doubtful, sink);
        }
        let is_plain = open.is_plain();
        let Open {
            mut task, purpose, ..
        } = open;
        let answer = match purpose {
            Purpose::Verdict => answer,
            Purpose::Confirmation(reused) => Open::confirm(&mut task, reused, answer),
            Purpose::Recheck(claim) => {
                let fresh = task.result(&self.prepared.program, &answer, Origin::Solved);
                return self.compare(*claim, &fresh, sink);
            }
        };
        let result = task.result(&self.prepared.program, &answer, Origin::Solved);
        let mut whole = answer;
        whole.failures.splice(0..0, task.recycled.iter().cloned());
        if let Some(implementation) = &mut self.layers.implementation {
            implementation.tell(&task, &whole);
        }
        if let Some(undecided) = self.layers.undecided.as_mut().filter(|_| is_plain) {
            undecided.tell(&task, &whole);
        }
        self.tell_checks(&mut task, &whole);
        self.ticket.land(task.key);
        self.settle(Some(task), result, sink);
    }

    /// Asks about errors alone, as far as that was not done before.
    fn doubt(&mut self, mut open: Open, answer: Answer, checks: &[usize], sink: &mut Sink<'_>) {
        open.doubt(answer, checks, &mut self.prepared);
        let is_fresh = matches!(open.purpose, Purpose::Recheck(_));
        let layer = self.layers.opinions.as_mut().filter(|_| !is_fresh);
        if let (Some(layer), Some(doubt)) = (layer, &mut open.doubt) {
            for slice in &mut doubt.slices {
                slice.opinion = layer.ask(slice);
            }
        }
        open.ask_doubts(self.setup);
        if open.is_asked() {
            self.open.push(open);
        } else {
            self.take_opinions(open, Vec::new(), sink);
        }
    }

    /// The prover has answered about errors alone.
    fn take_opinions(&mut self, mut open: Open, answers: Vec<Answer>, sink: &mut Sink<'_>) {
        let mut answers = answers.into_iter();
        if let Some(doubt) = &mut open.doubt {
            for slice in doubt.slices.iter_mut().filter(|s| s.opinion.is_none()) {
                slice.opinion = answers.next();
                let layer = self.layers.opinions.as_mut();
                if let (Some(layer), Some(opinion)) = (layer, slice.opinion.clone()) {
                    layer.tell(slice, &opinion);
                }
            }
        }
        debug_assert!(
            answers.next().is_none(),
            "an answer for every question about a single check"
        );
        let Some((answer, is_cut)) = open.judge(self.setup) else {
            return;
        };
        if is_cut {
            let open = open.again(&mut self.prepared, self.setup);
            return self.open.push(open);
        }
        self.conclude(open, answer, sink);
    }

    /// Asks the prover about what is left, most urgent first; then about what is to be computed afresh.
    fn finish(&mut self, sink: &mut Sink<'_>) {
        let keys: Vec<Digest> = self.open.iter().map(|open| open.task.key).collect();
        self.ticket.claim(&keys);
        while !self.open.is_empty() || !self.elsewhere.is_empty() {
            let open = std::mem::take(&mut self.open);
            let (elsewhere, mut open): (Vec<Open>, Vec<Open>) =
                open.into_iter().partition(|open| self.is_elsewhere(open));
            self.elsewhere.extend(elsewhere);
            open.sort_by_key(|open| (open.task.priority, !self.is_visible(open)));
            self.ask_all(open, sink);
            if self.open.is_empty() && !self.elsewhere.is_empty() {
                self.ticket.wait(LOOK_AGAIN);
            }
            self.take_landed(sink);
        }
    }

    /// Whether an earlier run has the obligation under way, whose verdict can be used here.
    fn is_elsewhere(&self, open: &Open) -> bool {
        let is_usable = self.layers.implementation.is_some() && !self.setup.want_models;
        let is_verdict = matches!(open.purpose, Purpose::Verdict) && open.doubt.is_none();
        is_usable && is_verdict && !self.is_over() && self.ticket.is_elsewhere(open.task.key)
    }

    /// Whether somebody looks at the implementation.
    fn is_visible(&self, open: &Open) -> bool {
        let span = self.prepared.program.impls[open.task.imp].span;
        let mut visible = self.setup.visible.iter();
        visible.any(|v| v.file == span.file && v.start < span.end && span.start < v.end)
    }

    /// Whether nothing more is to be asked here.
    fn is_over(&self) -> bool {
        self.budget.is_cancelled() || self.ticket.is_retired()
    }

    /// Takes the verdicts of earlier runs; what they did not decide is asked here.
    fn take_landed(&mut self, sink: &mut Sink<'_>) {
        if self.elsewhere.is_empty() {
            return;
        }
        let gives_up = self.is_over();
        let waiting = std::mem::take(&mut self.elsewhere);
        for mut open in waiting {
            if !gives_up && self.ticket.is_elsewhere(open.task.key) {
                self.elsewhere.push(open);
                continue;
            }
            let known = self.ask_implementation(&open.task);
            match known.or_else(|| self.ask_undecided(&open.task)) {
                Some(known) => {
                    open.task.forget_reuse();
                    self.reuse(open.task, known, sink);
                }
                // which is refused if this run is over, too
                None => self.open.push(open),
            }
        }
    }

    fn ask_all(&mut self, open: Vec<Open>, sink: &mut Sink<'_>) {
        let effort = self.setup.edit_effort;
        let mut inquiries: Vec<Inquiry> = Vec::with_capacity(open.len());
        let mut waiting: Vec<(Open, usize)> = Vec::with_capacity(open.len());
        for mut open in open {
            let obligation = open.task.key;
            let questions = open.take_questions();
            let count = questions.len();
            debug_assert!(count > 0, "only what has a question is open");
            for (question, instead) in questions {
                inquiries.push(Inquiry {
                    obligation,
                    question,
                    instead: instead.map(|whole| (effort, whole)),
                    stage: open.take_stage(self.setup),
                });
            }
            waiting.push((open, count));
        }
        let mut waiting = waiting.into_iter();
        let mut current = waiting.next();
        let mut answers: Vec<Answer> = Vec::new();
        let (setup, budget, ticket) = (self.setup, self.budget, self.ticket);
        workers::ask_all(&inquiries, setup, budget, ticket, &mut |reply, effort| {
            let Some((open, parts)) = &mut current else {
                return;
            };
            open.task.time += effort.time;
            open.task.resources += effort.resources;
            // The limit holds for each question, so the longest one counts, with all its stages.
            let spent = open.before_stage + effort.processor;
            open.task.processor = open.task.processor.max(spent);
            if reply.is_instead {
                open.forget_reuse();
            }
            answers.push(reply.answer);
            if answers.len() == *parts
                && let Some((mut open, _)) = std::mem::replace(&mut current, waiting.next())
            {
                let answers = std::mem::take(&mut answers);
                if open.doubt.is_some() {
                    return self.take_opinions(open, answers, sink);
                }
                let answer = open.merge(answers);
                self.conclude(open, answer, sink);
            }
            self.take_landed(sink);
        });
        debug_assert!(current.is_none(), "every question was answered");
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
        let question = task.question(self.setup, foundation.text, &condition);
        let answer = workers::ask(&question, self.setup, self.budget);
        match answer.end {
            End::Unknown(UnknownReason::Garbage(_)) => answer,
            _ => nothing_wrong,
        }
    }

    /// Looks for unreachable code in everything that was verified.
    fn smoke_test(&mut self) {
        let mut results = std::mem::take(&mut self.results);
        for result in &mut results {
            if result.conclusion == Conclusion::Verified {
                result.unreachable = self.unreachable_code(result);
            }
        }
        self.results = results;
    }

    fn unreachable_code(&mut self, result: &ImplementationResult) -> Vec<Unreachable> {
        let (imp, setup, budget) = (result.implementation, self.setup, self.budget);
        let Ok(body) = self.prepared.body_with(imp, setup, false) else {
            return Vec::new();
        };
        let no = crate::tree::bool_literal(&mut self.prepared.program, result.span, false);
        let prepared = &mut self.prepared;
        let points = smoke::points(&prepared.program, &body);
        let mut is_unreachable = |point: &smoke::Point| {
            let asked = smoke::question(&prepared.program, &body, point, no);
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
                time_limit: setup.time_limit.or(Some(SMOKE_TIME)),
                resource_limit: setup.resource_limit,
                every_path: false,
                want_model: false,
            };
            let answer = workers::ask(&question, setup, budget);
            answer.failures.is_empty() && answer.end == End::Complete
        };
        let found = points.iter().filter(|point| is_unreachable(point));
        found.map(|point| smoke::describe(&body, point)).collect()
    }
}
