//! What checks assert, as program text, for `--show-proof-obligation-expressions`.
//!
//! [`Cx::explain`] gives the last check of a list its text. Texts are made where checks are, from the same expressions: in the
//! environment of a callee, parameters are written as the arguments of the call ([`Cx::given_of`]).

use crate::cx::{Cx, Env};
use crate::frame::FramePart;
use crate::tree::{S, is_false, is_true};
use crate::wf::Builder;
use std::rc::Rc;
use stet_dafny::tree::source::{Given, Text, measure, strength};
use stet_dafny::tree::{
    ExprId, ExprKind, LoopSpec, MemberId, Part, Rhs, StmtId, StmtKind, TyKind, VarId,
};

/// A part of a frame as program text.
#[derive(Clone, Debug)]
pub(crate) struct FrameText {
    /// The object or the collection of objects.
    pub(crate) text: Text,
    /// For a collection: the type of its elements.
    pub(crate) elements: Option<String>,
    /// Only this field.
    pub(crate) field: Option<MemberId>,
}

/// A measure that calls compare theirs with.
#[derive(Clone, Default, Debug)]
pub(crate) struct MeasureText {
    pub(crate) exprs: Vec<ExprId>,
    /// Whether the values at the entry are those in another state.
    pub(crate) is_old: bool,
}

impl Cx<'_> {
    /// Says what the last statement, a check, asserts.
    pub(crate) fn explain(&self, out: &mut [S], text: impl FnOnce(&Self) -> Option<Text>) {
        if !self.explains {
            return;
        }
        if let Some(S::Assert(check)) = out.last_mut()
            && check.asserted.is_none()
            && !is_true(&check.cond)
        {
            check.asserted = text(self).map(|text| text.text.into());
        }
    }

    pub(crate) fn text(&self, e: ExprId, env: &Env) -> Text {
        self.p.source(e, &env.given)
    }

    /// What the parameters of a callee are written as, where it is called.
    pub(crate) fn given_of(
        &self,
        ins: &[VarId],
        args: &[ExprId],
        receiver: Option<ExprId>,
        env: &Env,
    ) -> Rc<Given> {
        if !self.explains {
            return Rc::default();
        }
        let texts = args.iter().map(|&arg| self.text(arg, env));
        Rc::new(Given {
            vars: ins.iter().copied().zip(texts).collect(),
            this: receiver.map(|r| self.text(r, env)),
        })
    }

    /// `e != null`
    pub(crate) fn explain_not_null(&self, e: ExprId, env: &Env, out: &mut [S]) {
        self.explain(out, |cx| {
            let null = Text::closed("null");
            Some(Text::relation(&cx.text(e, env), "!=", &null))
        });
    }

    /// `0 <= index < length`
    pub(crate) fn explain_index(&self, index: ExprId, length: &str, env: &Env, out: &mut [S]) {
        self.explain(out, |cx| {
            let index = cx.text(index, env).operand(strength::RELATION, true, false);
            let text = format!("0 <= {index} < {length}");
            Some(Text::new(text, strength::RELATION))
        });
    }

    /// What is selected from, as it stands before a dot or bracket.
    pub(crate) fn head_text(&self, e: ExprId, env: &Env) -> String {
        self.text(e, env).operand(strength::SUFFIX, false, false)
    }

    /// A part of a frame as program text, if checks are explained.
    pub(crate) fn frame_text(
        &mut self,
        e: ExprId,
        field: Option<MemberId>,
        env: &Env,
    ) -> Option<FrameText> {
        if !self.explains {
            return None;
        }
        let base = self.type_of(e, env);
        let base = self.p.base_type(base);
        let elements = match &*self.p.types.kind(base) {
            TyKind::Set { elem, .. } | TyKind::Seq(elem) | TyKind::Multiset(elem) => {
                Some(self.p.show_type(*elem))
            }
            TyKind::Arrow { .. } => return None,
            _ => None,
        };
        let text = self.text(e, env);
        Some(FrameText {
            text,
            elements,
            field,
        })
    }

    /// Says that an object, or a field of it, is to be in a frame.
    pub(crate) fn explain_in_frame(
        &self,
        parts: &[FramePart],
        object: ExprId,
        field: Option<MemberId>,
        env: &Env,
        out: &mut [S],
    ) {
        self.explain(out, |cx| in_frame_text(parts, &cx.text(object, env), field));
    }

    /// Says that one frame is to be within another.
    pub(crate) fn explain_subset(&self, asked: &[FramePart], allowed: &[FramePart], out: &mut [S]) {
        self.explain(out, |_| subset_text(asked, allowed));
    }

    /// Says that what a function value reads is to be in the frame; `args` are its arguments.
    pub(crate) fn explain_applied(
        &self,
        f: ExprId,
        args: &str,
        env: &Env,
        b: &Builder,
        out: &mut [S],
    ) {
        let Some(allowed) = b.reads.clone() else {
            return;
        };
        self.explain(out, |cx| {
            let reads = Text::closed(format!("{}.reads({args})", cx.head_text(f, env)));
            all_in_frame_text(&reads, "object?", &allowed, None)
        });
    }

    /// The same for all indices of a sequence that a function value initializes.
    pub(crate) fn explain_each_index(
        &self,
        length: ExprId,
        f: ExprId,
        env: &Env,
        b: &Builder,
        out: &mut [S],
    ) {
        let Some(allowed) = b.reads.clone() else {
            return;
        };
        self.explain(out, |cx| {
            let reads = Text::closed(format!("{}.reads(i0)", cx.head_text(f, env)));
            let all = all_in_frame_text(&reads, "object?", &allowed, None)?.text;
            let length = cx
                .text(length, env)
                .operand(strength::RELATION, true, false);
            let text = format!("forall i0: int | 0 <= i0 < {length} :: {all}");
            Some(Text::new(text, strength::OPEN))
        });
    }

    /// The texts of arguments.
    pub(crate) fn list_text(&self, args: &[ExprId], env: &Env) -> String {
        let texts: Vec<String> = args.iter().map(|&arg| self.text(arg, env).text).collect();
        texts.join(", ")
    }

    /// Says that a call is to have a smaller measure.
    pub(crate) fn explain_call_measure(
        &self,
        new: &[ExprId],
        callee: &Env,
        b: &Builder,
        out: &mut [S],
    ) {
        self.explain(out, |cx| {
            let given = Given::default();
            let old = b.measure_text.exprs.iter().map(|&e| {
                let text = cx.p.source(e, &given);
                match b.measure_text.is_old {
                    true => Text::closed(format!("old({})", text.text)),
                    false => text,
                }
            });
            let new = new.iter().map(|&e| cx.text(e, callee)).collect();
            Some(measure(old.collect(), new, false))
        });
    }

    /// The measure of a loop at its head as texts, and the declarations that these refer to.
    fn loop_head_texts(&self, s: StmtId, exprs: &[ExprId], env: &Env) -> (Vec<Text>, String) {
        let vars = self.assigned_in(s);
        let mut given = (*env.given).clone();
        let mut lines = String::from("\n  with the label `LoopEntry` applied to the loop");
        if !vars.is_empty() {
            lines.push_str(
                "\n  and with the following declarations at the beginning of the loop body:",
            );
        }
        for v in vars {
            let declared = &self.p.vars[v];
            let name = self.p.text(declared.name);
            let ty = self.p.show_type(declared.ty);
            lines.push_str(&format!("\n    var prev_{name}: {ty} := {name};"));
            given.vars.insert(v, Text::closed(format!("prev_{name}")));
        }
        let at_head = |&e: &ExprId| {
            let text = self.p.source(e, &given).text;
            Text::closed(format!("old@LoopEntry({text})"))
        };
        (exprs.iter().map(at_head).collect(), lines)
    }

    /// The variables of the text that the body of a loop assigns, in the order of the assignments.
    fn assigned_in(&self, s: StmtId) -> Vec<VarId> {
        let mut found = Vec::new();
        let body = match &self.p.stmts[s].kind {
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => *body,
            _ => Some(s),
        };
        let roots: Vec<Part> = body.into_iter().map(Part::Stmt).collect();
        let mut inner: Vec<VarId> = Vec::new();
        for stmt in self.p.stmts_below(&roots) {
            let lhss: &[ExprId] = match &self.p.stmts[stmt].kind {
                StmtKind::Assign { lhss, rhss } => {
                    debug_assert!(rhss.len() >= lhss.len() || rhss.iter().any(is_havoc));
                    lhss
                }
                StmtKind::AssignSuchThat { lhss, .. } => lhss,
                StmtKind::Call(call) => &call.lhss,
                StmtKind::VarDecl { vars, .. } => {
                    inner.extend(vars);
                    continue;
                }
                _ => continue,
            };
            for &lhs in lhss {
                if let ExprKind::Var(v) = self.p.exprs[lhs].kind
                    && !found.contains(&v)
                {
                    found.push(v);
                }
            }
        }
        found.retain(|v| !inner.contains(v));
        found
    }

    /// Says that the measure of a loop is to fall.
    pub(crate) fn explain_loop_measure(
        &self,
        s: StmtId,
        spec: &LoopSpec,
        env: &Env,
        out: &mut [S],
    ) {
        self.explain(out, |cx| {
            let exprs = &spec.decreases.exprs;
            let (old, lines) = cx.loop_head_texts(s, exprs, env);
            let new = exprs.iter().map(|&e| cx.text(e, env)).collect();
            let text = measure(old, new, false).text;
            Some(Text::closed(text + &lines))
        });
    }

    /// Says that the parts of the measure of a loop are not to fall from below zero.
    pub(crate) fn explain_loop_bounds(
        &self,
        s: StmtId,
        exprs: &[ExprId],
        env: &Env,
        out: &mut [S],
    ) {
        if !self.explains {
            return;
        }
        let (old, lines) = self.loop_head_texts(s, exprs, env);
        for stmt in out {
            let S::Assert(check) = stmt else {
                continue;
            };
            let place = exprs
                .iter()
                .position(|&e| self.p.exprs[e].tok == check.span);
            let Some((i, old)) = place.and_then(|i| Some((i, old.get(i)?))) else {
                continue;
            };
            if is_false(&check.cond) {
                continue;
            }
            let now = self.text(exprs[i], env);
            let bounded = Text::relation(&Text::closed("0"), "<=", old);
            let same = Text::relation(&now, "==", old);
            let either = Text::joined(vec![bounded, same], "||", strength::OR);
            check.asserted = either.map(|text| (text.text + &lines).into());
        }
    }
}

fn is_havoc(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Havoc)
}

/// `object == a || object in B`; of parts for one field only those for the field asked about.
fn in_frame_text(parts: &[FramePart], object: &Text, field: Option<MemberId>) -> Option<Text> {
    let mut found = Vec::new();
    for part in parts {
        let source = part.source.as_ref()?;
        if field.is_some() && source.field.is_some() && source.field != field {
            continue;
        }
        let word = match source.elements {
            Some(_) => "in",
            None => "==",
        };
        found.push(Text::relation(object, word, &source.text));
    }
    let nothing = || Text::relation(object, "in", &Text::closed("{}"));
    Some(Text::joined(found, "||", strength::OR).unwrap_or_else(nothing))
}

fn subset_text(asked: &[FramePart], allowed: &[FramePart]) -> Option<Text> {
    let mut found = Vec::new();
    for part in asked {
        let source = part.source.as_ref()?;
        found.push(match &source.elements {
            None => in_frame_text(allowed, &source.text, source.field)?,
            Some(ty) => all_in_frame_text(&source.text, ty, allowed, source.field)?,
        });
    }
    Text::joined(found, "&&", strength::AND)
}

/// `forall obj: C | obj in A :: …`
fn all_in_frame_text(
    objects: &Text,
    ty: &str,
    allowed: &[FramePart],
    field: Option<MemberId>,
) -> Option<Text> {
    let object = Text::closed("obj");
    let inside = in_frame_text(allowed, &object, field)?.text;
    let range = Text::relation(&object, "in", objects).text;
    let text = format!("forall obj: {ty} | {range} :: {inside}");
    Some(Text::new(text, strength::OPEN))
}
