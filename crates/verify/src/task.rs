//! One implementation on its way to a verdict: its body, its verification condition, its key.

use crate::cfg::invariants::Stage;
use crate::cfg::{self, Body, BuildOptions, Unsupported};
use crate::expand::{self, Expander};
use crate::fine::inject::Reuse;
use crate::fine::snapshot::OldVerdict;
use crate::model::{Model, ModelState};
use crate::options::Options;
use crate::prove::{Answer, End, Failure, Question};
use crate::result::{
    Conclusion, ImplementationResult, MergedExit, Obligation, Origin, Priority, TraceStep, Verdict,
    VerificationError,
};
use crate::setup::Setup;
use crate::smt::background::{Background, Foundation};
use crate::smt::{Encoding, Smt, Types, is_monomorphic};
use crate::vc::{self, Condition};
use crate::{datatypes, order, unroll};
use std::time::Duration;
use stet_base::FastMap;
use stet_boogie::ast::{ExprId, FuncId, ImplId};
use stet_boogie::inline::MAX_INLINED;
use stet_boogie::{Decl, Program};
use stet_key::{Digest, Encoder, KeyBuilder, KeyParts};
use stet_solve::pipe::UnknownReason;

/// Changes whenever the same program may get another verdict; part of every key.
pub(crate) const ENGINE_VERSION: &str = "verify 32";

/// A program with everything derived from its declarations.
pub(crate) struct Prepared {
    pub(crate) program: Program,
    pub(crate) expander: Expander,
    pub(crate) smt: Smt,
    pub(crate) background: Background,
    branches_in_order: bool,
}

/// An implementation ready to be asked about.
pub(crate) struct Task {
    pub(crate) imp: ImplId,
    pub(crate) name: String,
    pub(crate) body: Body,
    pub(crate) condition: Condition,
    pub(crate) foundation: Foundation,
    pub(crate) key: Digest,
    pub(crate) parts: KeyParts,
    pub(crate) priority: Priority,
    /// Verdicts that need no question: for each check, if known.
    pub(crate) known: FastMap<usize, Origin>,
    /// Errors reported again without asking.
    pub(crate) recycled: Vec<Failure>,
    /// Checks that were proved alone.
    pub(crate) settled: Vec<usize>,
    /// How long the prover was asked.
    pub(crate) time: Duration,
    pub(crate) resources: u64,
    /// How long the prover had the processor.
    pub(crate) processor: Duration,
    time_limit: Option<Duration>,
    resource_limit: u64,
}

/// `{:name n}` of an implementation or, failing that, of its procedure.
fn limit_attribute(program: &Program, imp: ImplId, name: &str) -> Option<u64> {
    let implementation = &program.impls[imp];
    let own = program.int_attribute(&implementation.attrs, name);
    let procedure = implementation.proc.map(|proc| &program.procs[proc].attrs);
    let value = own.or_else(|| program.int_attribute(procedure?, name))?;
    u64::try_from(value).ok()
}

impl Prepared {
    /// Translates all declarations.
    pub(crate) fn new(mut program: Program, options: &Options) -> Prepared {
        let mut expander = Expander::default();
        let mut axioms: Vec<(ExprId, Option<FuncId>)> = Vec::new();
        let mut second = Vec::new();
        for decl in program.decls.clone() {
            match decl {
                Decl::Axiom(axiom) => {
                    let expr = program.axioms[axiom].expr;
                    let defines = program.axioms[axiom].defines;
                    if program.bool_attribute(&program.axioms[axiom].attrs, "second") {
                        second.push(expander.expand(&mut program, expr));
                        continue;
                    }
                    axioms.push((expander.expand(&mut program, expr), defines));
                }
                Decl::Function(func) => {
                    if expand::inline_body(&program, func).is_none()
                        && let Some(axiom) = expand::definition(&mut program, func)
                    {
                        axioms.push((expander.expand(&mut program, axiom), Some(func)));
                    }
                }
                _ => {}
            }
        }
        let own = [order::axioms(&mut program), datatypes::axioms(&mut program)];
        axioms.extend(own.into_iter().flatten().map(|axiom| (axiom, None)));
        axioms.append(&mut expander.definitions);
        let types = if is_monomorphic(&program) {
            Types::Monomorphic
        } else if options.erase_types {
            Types::Erased
        } else {
            Types::Predicates
        };
        let encoding = Encoding {
            arrays: options.arrays,
            types,
        };
        let mut smt = Smt::new(&program, encoding);
        let background = Background::new(&program, &mut smt, &axioms, &second);
        Prepared {
            program,
            expander,
            smt,
            background,
            branches_in_order: options.branches_in_order,
        }
    }

    /// Builds the body of an implementation: a graph without loops.
    pub(crate) fn body(&mut self, imp: ImplId, options: &Options) -> Result<Body, Unsupported> {
        self.body_with(imp, options, true)
    }

    /// As [`body`](Self::body), without the postconditions if they are not wanted.
    pub(crate) fn body_with(
        &mut self,
        imp: ImplId,
        options: &Options,
        exit: bool,
    ) -> Result<Body, Unsupported> {
        let build = BuildOptions {
            subsumption: options.subsumption,
        };
        let (program, expander) = (&mut self.program, &mut self.expander);
        let span = program.impls[imp].span;
        let mut body = cfg::build(program, expander, imp, build)?;
        if program.not_inlined.contains(&imp) {
            return Err(Unsupported {
                what: format!("inlining calls into more than {MAX_INLINED} blocks"),
                span,
            });
        }
        let irreducible = |_| Unsupported {
            what: "an irreducible flow graph too large to be made reducible".to_owned(),
            span,
        };
        let is_cut = options.loop_unroll.is_none();
        if options.refuse_irreducible && is_cut && cfg::loops::find(&body).is_err() {
            return Err(Unsupported {
                what: "Irreducible flow graphs are unsupported.".to_owned(),
                span,
            });
        }
        match options.loop_unroll {
            Some(times) => {
                let sound = options.sound_unrolling;
                unroll::unroll(program, &mut body, times, sound).map_err(|_| Unsupported {
                    what: "a body too large to be unrolled that often".to_owned(),
                    span,
                })?;
            }
            None => {
                cfg::loops::cut(program, expander, &mut body).map_err(irreducible)?;
            }
        }
        if exit {
            cfg::add_exit(program, expander, imp, &mut body, build);
        }
        if cfg::selective::is_wanted(program, imp) {
            cfg::selective::apply(&mut body);
        }
        cfg::split_edges(&mut body);
        let implementation = &program.impls[imp];
        let procedure = implementation.proc.map(|proc| &program.procs[proc].attrs);
        body.marks.every_assert = [Some(&implementation.attrs), procedure]
            .into_iter()
            .flatten()
            .any(|attrs| program.bool_attribute(attrs, "vcs_split_on_every_assert"));
        if let Some(what) = expander.unsupported.take() {
            return Err(Unsupported { what, span });
        }
        self.add_definitions();
        debug_assert_eq!(body.broken_invariant(Stage::Acyclic), None);
        Ok(body)
    }

    /// Makes facts of the definitions of lambdas met since the last call.
    pub(crate) fn add_definitions(&mut self) {
        for (axiom, func) in std::mem::take(&mut self.expander.definitions) {
            self.background
                .add(&self.program, &mut self.smt, axiom, func);
        }
        self.smt.refresh(&self.program);
    }

    /// The condition of a body.
    pub(crate) fn condition(&mut self, imp: ImplId, body: &Body) -> Result<Condition, Unsupported> {
        let params = self.program.impls[imp].type_params.clone();
        let in_order = self.branches_in_order;
        let condition = vc::generate(&self.program, &mut self.smt, body, &params, in_order);
        match self.smt.unsupported.take() {
            None => Ok(condition),
            Some(what) => Err(Unsupported {
                what,
                span: self.program.impls[imp].span,
            }),
        }
    }

    /// What a condition stands on.
    pub(crate) fn foundation(&mut self, condition: &Condition) -> Foundation {
        self.background
            .foundation(&self.program, &mut self.smt, &condition.needs)
    }

    /// Everything about an implementation up to its key.
    pub(crate) fn task(&mut self, imp: ImplId, options: &Setup) -> Result<Task, Unsupported> {
        let body = self.body(imp, options)?;
        let condition = self.condition(imp, &body)?;
        let foundation = self.foundation(&condition);
        if let Some(what) = foundation.unsupported {
            let span = self.program.impls[imp].span;
            return Err(Unsupported { what, span });
        }
        let resource_limit =
            limit_attribute(&self.program, imp, "rlimit").unwrap_or(options.resource_limit);
        let is_limited = resource_limit != 0;
        let (key, parts) = key(options, is_limited, &foundation.text, &condition);
        Ok(Task {
            imp,
            name: self.program.name(self.program.impls[imp].name).to_owned(),
            body,
            condition,
            foundation,
            key,
            parts,
            priority: Priority::High,
            known: FastMap::default(),
            recycled: Vec::new(),
            settled: Vec::new(),
            time: Duration::ZERO,
            resources: 0,
            processor: Duration::ZERO,
            time_limit: match limit_attribute(&self.program, imp, "timeLimit") {
                Some(0) => None,
                Some(seconds) => Some(Duration::from_secs(seconds)),
                None => options.time_limit,
            },
            resource_limit,
        })
    }
}

/// The key of a verdict: exactly what the prover is told, and who is asked.
///
/// | part | what |
/// |---|---|
/// | engine | [`ENGINE_VERSION`] |
/// | prover | kind, version, digest of the executable |
/// | options | prover options, error limit, whether resources are limited |
/// | declarations | declarations and axioms as sent |
/// | implementation | variables and formula as sent |
///
/// Limits themselves are not in it: only verdicts reached within them are stored, and more time does not change those.
/// But with limited resources the prover is asked in one way only, and may report an error where another finds a proof.
pub(crate) fn key(
    options: &Setup,
    is_limited: bool,
    foundation: &str,
    condition: &Condition,
) -> (Digest, KeyParts) {
    let mut builder = KeyBuilder::new("verify/implementation");
    builder.part("engine", |e| e.str(ENGINE_VERSION));
    builder.part("prover", |e| options.encode_prover(e));
    builder.part("options", |e| {
        e.u64(options.error_limit as u64);
        e.bool(options.every_path);
        e.bool(is_limited);
        e.sequence(&options.prover_options, |e, (name, value)| {
            e.str(name);
            e.str(value);
        });
    });
    builder.part("declarations", |e| e.str(foundation));
    builder.part("implementation", |e| {
        e.str(&condition.declarations);
        e.str(&condition.formula);
    });
    builder.finish()
}

/// What snapshots of other configurations differ in: verdicts are not carried over between them.
pub(crate) fn configuration(options: &Setup, is_limited: bool) -> Digest {
    let mut encoder = Encoder::new();
    encoder.str(ENGINE_VERSION);
    options.encode_prover(&mut encoder);
    encoder.bool(options.arrays);
    encoder.bool(options.erase_types);
    encoder.bool(is_limited);
    encoder.sequence(&options.prover_options, |e, (name, value)| {
        e.str(name);
        e.str(value);
    });
    encoder.digest_of_all()
}

impl Task {
    /// What the implementation is called from one call to the next.
    pub(crate) fn subject(&self, program: &str) -> String {
        format!("{program}:{}", self.name)
    }

    /// Drops what a snapshot knew.
    pub(crate) fn forget_reuse(&mut self) {
        self.known.clear();
        self.recycled.clear();
        self.settled.clear();
    }

    /// Whether the path of a failure leads from the entry along edges of the body to the block of the check.
    pub(crate) fn is_path_to(&self, failure: &Failure) -> bool {
        let body = |number: &usize| self.condition.blocks.get(*number).copied();
        let Some(path) = failure
            .path
            .iter()
            .map(body)
            .collect::<Option<Vec<usize>>>()
        else {
            return false;
        };
        let (Some(&last), Some(&check)) = (path.last(), self.condition.checks.get(failure.check))
        else {
            return false;
        };
        let is_check =
            |cmd: &cfg::Cmd| matches!(cmd, cfg::Cmd::Assert { check: c, .. } if *c == check);
        failure.path.first() == Some(&0)
            && path
                .windows(2)
                .all(|step| self.body.blocks[step[0]].successors.contains(&step[1]))
            && self.body.blocks[last].cmds.iter().any(is_check)
    }

    /// The limits of time, and of the prover's resources (0 for none).
    pub(crate) fn limits(&self) -> (Option<Duration>, u64) {
        (self.time_limit, self.resource_limit)
    }

    /// Whether nothing was taken over from a snapshot.
    pub(crate) fn is_own(&self) -> bool {
        self.known.is_empty() && self.recycled.is_empty()
    }

    /// Whether the prover's resources are limited.
    pub(crate) fn is_limited(&self) -> bool {
        self.resource_limit != 0
    }

    /// The question about a condition of this task.
    pub(crate) fn question(
        &self,
        options: &Options,
        foundation: String,
        condition: &Condition,
    ) -> Question {
        Question {
            foundation,
            declarations: condition.declarations.clone(),
            formula: self.without_settled(condition),
            blocks: condition.blocks.len(),
            checks: condition.checks.len(),
            error_limit: if options.error_limit == 0 {
                0
            } else {
                options.error_limit.saturating_sub(self.recycled.len())
            },
            time_limit: self.time_limit,
            resource_limit: self.resource_limit,
            every_path: options.every_path,
            want_model: options.want_models,
        }
    }

    /// The formula of a condition of this task, which checks that were proved alone do not make fail.
    fn without_settled(&self, condition: &Condition) -> String {
        let mut formula = condition.formula.clone();
        for &check in &self.settled {
            let is_check =
                |cmd: &cfg::Cmd| matches!(cmd, cfg::Cmd::Assert { check: c, .. } if *c == check);
            let has_check = |block: &&usize| self.body.blocks[**block].cmds.iter().any(is_check);
            let block = condition.blocks.iter().position(|block| has_check(&block));
            let number = condition.checks.iter().position(|&c| c == check);
            if let (Some(block), Some(number)) = (block, number) {
                let (block, number) = (block + 1, number + 1);
                formula.push_str(&format!(
                    "(assert (not (= (ControlFlow 0 {block}) (- {number}))))\n"
                ));
            }
        }
        formula
    }

    /// Takes over what comparison with the last snapshot found out; `None` if it does not fit this task, whose
    /// own condition is then to be asked.
    pub(crate) fn take_reuse(&mut self, reuse: &Reuse) -> Option<()> {
        let mut recycled = Vec::new();
        for old in &reuse.recycled {
            let path: Option<Vec<usize>> = old
                .path
                .iter()
                .map(|block| self.condition.blocks.iter().position(|b| b == block))
                .collect();
            recycled.push(Failure {
                check: self.condition.checks.iter().position(|&c| c == old.check)?,
                path: path?,
                model: None,
                is_certain: old.is_certain,
            });
        }
        self.recycled = recycled;
        for &check in &reuse.verified {
            self.known.insert(check, Origin::Cached);
        }
        for &check in &reuse.partial {
            self.known.insert(check, Origin::Partial);
        }
        Some(())
    }

    /// The verdict of a check of the body, for the snapshot.
    pub(crate) fn old_verdict(&self, check: usize, answer: &Answer) -> OldVerdict {
        let Some(number) = self.condition.checks.iter().position(|&c| c == check) else {
            return OldVerdict::Unknown;
        };
        if let Some(failure) = answer.failures.iter().find(|f| f.check == number) {
            let blocks = failure
                .path
                .iter()
                .map(|&b| self.condition.blocks[b] as u32);
            return OldVerdict::Failed(blocks.collect(), failure.is_certain);
        }
        match answer.end {
            End::Complete => OldVerdict::Verified,
            _ if self.known.get(&check) == Some(&Origin::Cached) => OldVerdict::Verified,
            _ => OldVerdict::Unknown,
        }
    }

    /// Expresses an answer about another condition of the same body in the numbers of this one.
    pub(crate) fn translate(&self, from: &Condition, answer: Answer) -> Answer {
        let check_number = |check: usize| self.condition.checks.iter().position(|&c| c == check);
        let block_number = |block: usize| self.condition.blocks.iter().position(|&b| b == block);
        let count = answer.failures.len();
        let failures = answer.failures.into_iter().filter_map(|failure| {
            Some(Failure {
                check: check_number(from.checks[failure.check])?,
                path: failure
                    .path
                    .iter()
                    .map(|&b| block_number(from.blocks[b]))
                    .collect::<Option<_>>()?,
                model: failure.model,
                is_certain: failure.is_certain,
            })
        });
        let failures: Vec<Failure> = failures.collect();
        // A failure that is lost must not leave a proof behind.
        let is_whole = stet_base::always!(
            failures.len() == count,
            "what fails in a part of a question fails in the whole"
        );
        Answer {
            failures,
            end: match is_whole {
                true => answer.end,
                false => crate::open::lost("a failing path is none of the whole question"),
            },
        }
    }

    /// The result, given the answer in the numbers of this task's condition. `origin` is that of what was
    /// asked; recycled errors and known verdicts are added.
    pub(crate) fn result(
        &self,
        program: &Program,
        answer: &Answer,
        origin: Origin,
    ) -> ImplementationResult {
        let mut failures: Vec<(&Failure, Origin)> = self
            .recycled
            .iter()
            .map(|f| (f, Origin::Recycled))
            .collect();
        failures.extend(answer.failures.iter().map(|f| (f, origin)));
        let failed: FastMap<usize, Origin> = failures.iter().map(|(f, o)| (f.check, *o)).collect();
        let conditions: FastMap<usize, ExprId> = self
            .body
            .blocks
            .iter()
            .flat_map(|block| &block.cmds)
            .filter_map(|cmd| match cmd {
                cfg::Cmd::Assert { check, expr } => Some((*check, *expr)),
                _ => None,
            })
            .collect();
        let obligations = self
            .condition
            .checks
            .iter()
            .enumerate()
            .map(|(number, &check)| {
                let info = &self.body.checks[check];
                let known = self.known.get(&check).copied();
                let (verdict, how) = match (failed.get(&number), known, &answer.end) {
                    (Some(&how), ..) => (Verdict::Failed, how),
                    (None, Some(Origin::Cached), _) => (Verdict::Verified, Origin::Cached),
                    (None, known, End::Complete) => (Verdict::Verified, known.unwrap_or(origin)),
                    (None, known, _) => (Verdict::Unknown, known.unwrap_or(origin)),
                };
                Obligation {
                    kind: info.kind,
                    span: info.span,
                    related: info.related,
                    verdict,
                    origin: how,
                    condition: conditions.get(&check).copied(),
                }
            })
            .collect();
        // Errors of one place come by their messages and in the order of their checks, not in that of the search.
        let mut found: Vec<_> = failures.iter().collect();
        found.sort_by_key(|(failure, _)| failure.check);
        let mut errors: Vec<VerificationError> = found
            .into_iter()
            .map(|(failure, origin)| self.error(program, failure, *origin))
            .collect();
        errors.sort_by(|a, b| {
            let key = |e: &VerificationError| (e.span, e.related);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        let conclusion = match &answer.end {
            End::Unknown(reason) if errors.is_empty() => conclusion_of(reason),
            End::Unknown(reason) if !matches!(reason, UnknownReason::Incomplete(_)) => {
                match conclusion_of(reason) {
                    // Errors found before the limit was reached are real.
                    Conclusion::TimedOut | Conclusion::OutOfResource | Conclusion::OutOfMemory => {
                        Conclusion::Errors
                    }
                    other => other,
                }
            }
            End::ErrorLimit if errors.is_empty() => {
                stet_base::never!("a search that was cut short has found an error");
                Conclusion::Inconclusive("the search was cut short".to_owned())
            }
            _ if errors.is_empty() => Conclusion::Verified,
            _ => Conclusion::Errors,
        };
        ImplementationResult {
            implementation: self.imp,
            name: self.name.clone(),
            span: program.impls[self.imp].span,
            conclusion,
            errors,
            obligations,
            priority: self.priority,
            cached: false,
            recorded: None,
            key: self.key.to_hex(),
            time: self.time,
            resources: self.resources,
            unreachable: Vec::new(),
        }
    }

    fn error(&self, program: &Program, failure: &Failure, origin: Origin) -> VerificationError {
        let check = &self.body.checks[self.condition.checks[failure.check]];
        let path: Vec<usize> = failure
            .path
            .iter()
            .map(|&b| self.condition.blocks[b])
            .collect();
        let returned = path.iter().rev().find_map(|&block| {
            let block = &self.body.blocks[block];
            block.returns.or(block.inlined_return)
        });
        let span = match check.kind {
            cfg::CheckKind::Ensures => returned.unwrap_or(check.span),
            _ => check.span,
        };
        VerificationError {
            kind: check.kind,
            span,
            related: check.related,
            message: check.message.as_deref().map(str::to_owned),
            trace: path
                .iter()
                .map(|&block| TraceStep {
                    span: self.body.blocks[block].span,
                    label: self.body.blocks[block].label.to_string(),
                    silent: self.condition.silent.get(block).is_some_and(|&s| s),
                })
                .collect(),
            model: failure
                .model
                .as_deref()
                .map(|text| self.model(program, text, failure.check, &path)),
            origin,
            is_certain: failure.is_certain,
            obligation: failure.check,
            merged_exit: self.merged_exit(program, &path),
        }
    }

    fn merged_exit(&self, program: &Program, path: &[usize]) -> MergedExit {
        let [.., last, exit] = *path else {
            return MergedExit::default();
        };
        if &*self.body.blocks[exit].label != cfg::EXIT {
            return MergedExit::default();
        }
        let body = program.impls[self.imp].body;
        let is_merged = self.condition.merged.get(last) == Some(&true);
        let step = |block: usize| TraceStep {
            span: self.body.blocks[block].span,
            label: self.body.blocks[block].label.to_string(),
            silent: false,
        };
        MergedExit {
            place: is_merged.then(|| program.stmts[body].end),
            step: self.condition.exit_name.map(step),
        }
    }
}

impl Task {
    /// A model, with the states captured before the failing check on this path.
    fn model(&self, program: &Program, text: &str, check: usize, path: &[usize]) -> Model {
        let mut model = Model::read(text);
        let check = self.condition.checks[check];
        let is_check =
            |cmd: &cfg::Cmd| matches!(cmd, cfg::Cmd::Assert { check: c, .. } if *c == check);
        for &block in path {
            let end = self.body.blocks[block].cmds.iter().position(is_check);
            let states = self.condition.states.iter();
            let here = states.filter(|s| s.block == block && end.is_none_or(|e| s.position <= e));
            for state in here {
                let values = state.values.iter().filter_map(|(var, symbol)| {
                    let name = program.name(program.vars[*var].name);
                    Some((name.to_owned(), model.lookup(symbol)?))
                });
                let values = values.collect();
                model.states.push(ModelState {
                    name: state.name.to_string(),
                    values,
                });
            }
        }
        model.rename(&self.condition.shown);
        model
    }
}

fn conclusion_of(reason: &UnknownReason) -> Conclusion {
    match reason {
        UnknownReason::TimeOut => Conclusion::TimedOut,
        UnknownReason::ResourceOut => Conclusion::OutOfResource,
        UnknownReason::MemoryOut => Conclusion::OutOfMemory,
        UnknownReason::Cancelled => Conclusion::Cancelled,
        UnknownReason::Incomplete(text) => Conclusion::Inconclusive(text.clone()),
        UnknownReason::Crashed(text) => Conclusion::Inconclusive(text.clone()),
        UnknownReason::Garbage(text) => {
            Conclusion::Inconclusive(format!("the prover answered `{text}`"))
        }
    }
}

/// The result for an implementation that cannot be verified.
pub(crate) fn unsupported(
    program: &Program,
    imp: ImplId,
    problem: Unsupported,
) -> ImplementationResult {
    ImplementationResult {
        implementation: imp,
        name: program.name(program.impls[imp].name).to_owned(),
        span: program.impls[imp].span,
        conclusion: Conclusion::Unsupported {
            what: problem.what,
            span: problem.span,
        },
        errors: Vec::new(),
        obligations: Vec::new(),
        priority: Priority::High,
        cached: false,
        recorded: None,
        key: String::new(),
        time: Duration::ZERO,
        resources: 0,
        unreachable: Vec::new(),
    }
}
