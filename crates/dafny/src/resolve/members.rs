//! Fields, constants and functions used as values.

use super::Resolver;
use super::infer::{arrow, pre_type};
use crate::ast;
use crate::tree::{ExprId, ExprKind, MemberId, MemberKind, Ty, TypeParamId};

impl Resolver<'_> {
    /// A member that is not applied: a field, a constant, or a function as a value.
    pub(crate) fn member_value(
        &mut self,
        id: ast::ExprId,
        member: MemberId,
        receiver: Option<ExprId>,
        owner_args: Vec<Ty>,
        explicit: Option<Vec<Ty>>,
    ) -> ExprId {
        let owner_params = self.program.owner_params(member).to_vec();
        let ty = match &self.program.members[member].kind {
            MemberKind::Field { ty } | MemberKind::Const { ty, .. } => Some(*ty),
            _ => None,
        };
        if let Some(ty) = ty {
            let ty = self.const_type(member, ty);
            let ty = self.instantiate_pre(ty, &owner_params, &owner_args);
            if let Some(current) = self.frame.member {
                self.calls.push((current, member));
            }
            return match receiver {
                Some(object) => {
                    let kind = ExprKind::Field {
                        object,
                        field: member,
                        owner_args,
                    };
                    self.push_expr(id, kind, ty)
                }
                None => self.push_expr(id, ExprKind::StaticConst { member, owner_args }, ty),
            };
        }
        self.function_value(id, member, receiver, owner_args, explicit)
    }

    /// The type of a constant, resolving its value first when the type is not given.
    fn const_type(&mut self, member: MemberId, ty: Ty) -> Ty {
        if self.const_state.contains_key(&member) {
            self.resolve_const_first(member);
            if let MemberKind::Const { ty, .. } = &self.program.members[member].kind {
                return *ty;
            }
        }
        ty
    }

    fn function_value(
        &mut self,
        id: ast::ExprId,
        member: MemberId,
        receiver: Option<ExprId>,
        owner_args: Vec<Ty>,
        explicit: Option<Vec<Ty>>,
    ) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        let MemberKind::Function(f) = &self.program.members[member].kind else {
            let text = self.text(self.program.members[member].name);
            self.error(
                tok,
                format!("expression is not allowed to invoke a method ({text})"),
            );
            return self.error_expr(id);
        };
        let (params, ins, result) = (f.params.clone(), f.ins.clone(), f.result);
        let inferred = explicit.is_none();
        let type_args = self.member_type_args(member, &params, explicit, tok);
        let owner_params = self.program.owner_params(member).to_vec();
        let all_params: Vec<TypeParamId> = owner_params.iter().chain(&params).copied().collect();
        let all_args: Vec<Ty> = owner_args.iter().chain(&type_args).copied().collect();
        let domain = ins
            .iter()
            .map(|&v| self.instantiate_pre(self.program.vars[v].ty, &all_params, &all_args))
            .collect();
        let result = self.instantiate_pre(result, &all_params, &all_args);
        let ty = arrow(&self.program, domain, result);
        if let Some(current) = self.frame.member {
            self.calls.push((current, member));
            // Code may use the function it implements.
            if !self.frame.in_method {
                self.naked.push((current, member, tok));
            }
        }
        let kind = ExprKind::FunctionValue {
            function: member,
            receiver,
            owner_args,
            type_args,
        };
        let value = self.push_expr(id, kind, ty);
        if inferred {
            self.inferred_args.insert(value);
        }
        value
    }

    /// A type of a declaration as a pre-type with its parameters replaced.
    pub(crate) fn instantiate_pre(&self, ty: Ty, params: &[TypeParamId], args: &[Ty]) -> Ty {
        let pre = pre_type(&self.program, ty);
        let args: Vec<Ty> = args.iter().map(|&a| pre_type(&self.program, a)).collect();
        self.program.instantiate(pre, params, &args)
    }

    /// The explicit type arguments of a member, or fresh ones.
    pub(crate) fn member_type_args(
        &mut self,
        member: MemberId,
        params: &[TypeParamId],
        explicit: Option<Vec<Ty>>,
        span: stet_base::Span,
    ) -> Vec<Ty> {
        match explicit {
            Some(args) if args.len() == params.len() => args,
            Some(args) => {
                let what = self.member_word(member);
                let text = self.text(self.program.members[member].name);
                self.error(
                    span,
                    format!(
                        "{what} '{text}' expects {} type arguments (got {})",
                        params.len(),
                        args.len()
                    ),
                );
                vec![self.program.types.error; params.len()]
            }
            None => params.iter().map(|_| self.fresh()).collect(),
        }
    }

    /// `function`, `predicate`, `method`, … as messages say it.
    pub(crate) fn member_word(&self, member: MemberId) -> &'static str {
        use crate::tree::{Extremum, MethodKind};
        let m = &self.program.members[member];
        match &m.kind {
            MemberKind::Field { .. } => "field",
            MemberKind::Const { .. } => "const",
            MemberKind::Function(f) => {
                match (f.extreme.map(|e| e.kind), f.twostate, f.is_predicate) {
                    (Some(Extremum::Least), _, _) => "least predicate",
                    (Some(Extremum::Greatest), _, _) => "greatest predicate",
                    (None, true, true) => "twostate predicate",
                    (None, true, false) => "twostate function",
                    (None, false, true) => "predicate",
                    (None, false, false) => "function",
                }
            }
            MemberKind::Method(method) => match (method.kind, method.extreme.map(|e| e.kind)) {
                (_, Some(Extremum::Least)) => "least lemma",
                (_, Some(Extremum::Greatest)) => "greatest lemma",
                (MethodKind::Lemma, None) => "lemma",
                (MethodKind::TwostateLemma, None) => "twostate lemma",
                (MethodKind::Constructor, None) => "constructor",
                _ => "method",
            },
        }
    }
}
