//! The axioms of `extends` and `complete`: where a constant stands in the partial order `<:`.

use crate::tree;
use stet_base::{FastMap, Span};
use stet_boogie::ast::{
    Attributes, BinaryOp, Binder, BinderKind, ExprId, ExprKind, FuncId, Trigger, VarId,
};
use stet_boogie::{DatatypeRole, Function, Program, TypeId, VarKind, Variable};

/// All such axioms of a program.
pub(crate) fn axioms(program: &mut Program) -> Vec<ExprId> {
    let mut maker = Maker {
        one_step: FastMap::default(),
        made: Vec::new(),
    };
    for id in program.consts.ids() {
        let constant = program.consts[id].clone();
        let span = program.vars[constant.var].span;
        let c = constant.var;
        if let Some(parents) = &constant.parents {
            let parents: Vec<(VarId, bool)> = parents
                .iter()
                .filter_map(|parent| match program.exprs[parent.parent].kind {
                    ExprKind::Ident { var, .. } => Some((var?, parent.unique)),
                    _ => None,
                })
                .collect();
            maker.parents(program, span, c, &parents);
        }
        if constant.complete {
            let children = children(program, c);
            maker.complete(program, span, c, &children);
        }
    }
    maker.made
}

fn children(program: &Program, parent: VarId) -> Vec<VarId> {
    let is_child = |constant: &stet_boogie::Constant| {
        constant.parents.iter().flatten().any(|p| {
            matches!(program.exprs[p.parent].kind, ExprKind::Ident { var: Some(v), .. } if v == parent)
        })
    };
    program
        .consts
        .iter()
        .filter(|(_, constant)| is_child(constant))
        .map(|(_, constant)| constant.var)
        .collect()
}

struct Maker {
    one_step: FastMap<TypeId, FuncId>,
    made: Vec<ExprId>,
}

impl Maker {
    fn parents(&mut self, program: &mut Program, span: Span, c: VarId, parents: &[(VarId, bool)]) {
        for &(p, _) in parents {
            let differs = relate(program, span, BinaryOp::Neq, c, p);
            let below = relate(program, span, BinaryOp::Subtype, c, p);
            self.made.extend([differs, below]);
        }
        for &(p, _) in parents {
            // Nothing lies between a constant and its parent.
            self.forall(program, span, c, |program, w| {
                let lower = relate(program, span, BinaryOp::Subtype, c, w);
                let upper = relate(program, span, BinaryOp::Subtype, w, p);
                let both = tree::binary(program, BinaryOp::And, lower, upper);
                let is_c = relate(program, span, BinaryOp::Eq, c, w);
                let is_p = relate(program, span, BinaryOp::Eq, p, w);
                let either = tree::binary(program, BinaryOp::Or, is_c, is_p);
                let body = tree::binary(program, BinaryOp::Imp, both, either);
                (vec![lower, upper], body)
            });
        }
        // What lies above a constant lies above one of its parents.
        self.forall(program, span, c, |program, w| {
            let above = relate(program, span, BinaryOp::Subtype, c, w);
            let mut cases = relate(program, span, BinaryOp::Eq, c, w);
            for &(p, _) in parents {
                let case = relate(program, span, BinaryOp::Subtype, p, w);
                cases = tree::binary(program, BinaryOp::Or, cases, case);
            }
            let body = tree::binary(program, BinaryOp::Imp, above, cases);
            (vec![above], body)
        });
        for &(p, unique) in parents {
            if unique {
                self.unique_edge(program, span, c, p);
            }
        }
    }

    /// Everything below `c` reaches `p` through `c`.
    fn unique_edge(&mut self, program: &mut Program, span: Span, c: VarId, p: VarId) {
        let Some(ty) = program.vars[c].ty else { return };
        let step = match self.one_step.get(&ty) {
            Some(&func) => func,
            None => {
                let func = one_step(program, span, ty);
                self.one_step.insert(ty, func);
                func
            }
        };
        self.forall(program, span, c, |program, w| {
            let below = relate(program, span, BinaryOp::Subtype, w, c);
            let args = Box::new([program.add_var_ref(span, p), program.add_var_ref(span, w)]);
            let call = ExprKind::Call {
                name: program.funcs[step].name,
                func: Some(step),
                args,
            };
            let call = program.add_expr(span, call, Some(ty));
            let c = program.add_var_ref(span, c);
            let equals = tree::binary(program, BinaryOp::Eq, call, c);
            let body = tree::binary(program, BinaryOp::Imp, below, equals);
            (vec![below], body)
        });
    }

    fn complete(&mut self, program: &mut Program, span: Span, c: VarId, children: &[VarId]) {
        self.forall(program, span, c, |program, w| {
            let below = relate(program, span, BinaryOp::Subtype, w, c);
            let mut cases = relate(program, span, BinaryOp::Eq, c, w);
            for &child in children {
                let case = relate(program, span, BinaryOp::Subtype, w, child);
                cases = tree::binary(program, BinaryOp::Or, cases, case);
            }
            let body = tree::binary(program, BinaryOp::Imp, below, cases);
            (vec![below], body)
        });
    }

    fn forall(
        &mut self,
        program: &mut Program,
        span: Span,
        like: VarId,
        make: impl FnOnce(&mut Program, VarId) -> (Vec<ExprId>, ExprId),
    ) {
        let name = program.names.intern("w");
        let w = program.vars.push(Variable {
            name,
            span,
            kind: VarKind::Bound,
            type_expr: None,
            ty: program.vars[like].ty,
            where_clause: None,
            attrs: Attributes::default(),
        });
        let (exprs, body) = make(program, w);
        let binder = Binder {
            kind: BinderKind::Forall,
            type_params: Vec::new(),
            vars: vec![w],
            attrs: Attributes::default(),
            triggers: vec![Trigger {
                span,
                positive: true,
                exprs,
            }],
            body,
        };
        let bool_type = program.types.bool();
        let axiom = program.add_expr(span, ExprKind::Binder(Box::new(binder)), Some(bool_type));
        self.made.push(axiom);
    }
}

fn relate(program: &mut Program, span: Span, op: BinaryOp, a: VarId, b: VarId) -> ExprId {
    let a = program.add_var_ref(span, a);
    let b = program.add_var_ref(span, b);
    tree::binary(program, op, a, b)
}

fn one_step(program: &mut Program, span: Span, ty: TypeId) -> FuncId {
    let name = program.names.intern("oneStep");
    let ins = vec![
        tree::new_local(program, "parent", ty, span),
        tree::new_local(program, "below", ty, span),
    ];
    let out = tree::new_local(program, "child", ty, span);
    program.funcs.push(Function {
        name,
        span,
        type_params: Vec::new(),
        ins,
        out,
        body: None,
        attrs: Attributes::default(),
        datatype: DatatypeRole::None,
    })
}
