//! Narrow types of calls, constructors, fields and function values.

use super::Resolver;
use super::infer::pre_type;
use crate::tree::{ExprId, ExprKind, MemberId, MemberKind, Ty, TyKind, TypeParamId, VarId};
use stet_base::FastMap;

impl Resolver<'_> {
    /// The instance of the type that declares `member`, seen from a value of type `ty`.
    pub(crate) fn owner_instance(&self, member: MemberId, ty: Ty) -> Option<Vec<Ty>> {
        let owner = self.owner_decl(member)?;
        self.instance_of(owner, ty, 0)
    }

    pub(crate) fn instance_of(
        &self,
        owner: crate::tree::DeclId,
        ty: Ty,
        depth: u32,
    ) -> Option<Vec<Ty>> {
        if depth > 100 {
            return None;
        }
        if let TyKind::Named { decl, args, .. } = &*self.program.types.kind(ty)
            && *decl == owner
        {
            return Some(args.clone());
        }
        let base = self.program.base_type(ty);
        if base != ty
            && let Some(found) = self.instance_of(owner, base, depth + 1)
        {
            return Some(found);
        }
        let parents = self.program.parent_traits(base);
        parents
            .into_iter()
            .find_map(|p| self.instance_of(owner, p, depth + 1))
    }

    /// Narrowed type arguments of a call: from the receiver, and from the arguments.
    pub(crate) fn call_args(
        &self,
        member: MemberId,
        receiver: Option<ExprId>,
        owner: &[Ty],
        own: &[Ty],
        formals: &[VarId],
        args: &[ExprId],
    ) -> (Vec<Ty>, Vec<Ty>) {
        let from_receiver =
            receiver.and_then(|r| self.owner_instance(member, self.program.exprs[r].ty));
        let owner_args = from_receiver.unwrap_or_else(|| owner.to_vec());
        let params = self.program.type_params_of(member);
        let mut found: FastMap<TypeParamId, Ty> = FastMap::default();
        for (&formal, &arg) in formals.iter().zip(args) {
            self.match_type(
                self.program.vars[formal].ty,
                self.program.exprs[arg].ty,
                &mut found,
                0,
            );
        }
        let own_args = params
            .iter()
            .zip(own)
            .map(|(param, &old)| self.narrower(found.get(param).copied(), old))
            .collect();
        (owner_args, own_args)
    }

    /// `new` if it is a narrowing of the inferred pre-type `old`; explicit types stay.
    pub(crate) fn narrower(&self, new: Option<Ty>, old: Ty) -> Ty {
        match new {
            Some(new) if pre_type(&self.program, new) == old => new,
            _ => old,
        }
    }

    /// Finds what the type parameters in `formal` stand for in `actual`.
    pub(crate) fn match_type(
        &self,
        formal: Ty,
        actual: Ty,
        found: &mut FastMap<TypeParamId, Ty>,
        depth: u32,
    ) {
        if depth > 50 {
            return;
        }
        if let TyKind::Param(param) = *self.program.types.kind(formal) {
            let joined = match found.get(&param) {
                Some(&old) => self.join_types(old, actual, pre_type(&self.program, actual)),
                None => actual,
            };
            found.insert(param, joined);
            return;
        }
        let formal_parts = self.program.types.children(formal);
        if formal_parts.is_empty() {
            return;
        }
        let mut actual = actual;
        for _ in 0..100 {
            if std::mem::discriminant(&*self.program.types.kind(formal))
                == std::mem::discriminant(&*self.program.types.kind(actual))
            {
                let same = match (
                    &*self.program.types.kind(formal),
                    &*self.program.types.kind(actual),
                ) {
                    (TyKind::Named { decl: a, .. }, TyKind::Named { decl: b, .. }) => a == b,
                    _ => true,
                };
                if same {
                    let parts = self.program.types.children(actual);
                    for (&f, &a) in formal_parts.iter().zip(&parts) {
                        self.match_type(f, a, found, depth + 1);
                    }
                    return;
                }
            }
            match self.program.parent_of_constrained(actual) {
                Some(parent) => actual = parent,
                None => return,
            }
        }
    }

    pub(crate) fn refined_member(&mut self, id: ExprId, pre: Ty) -> Ty {
        let mut kind = std::mem::replace(&mut self.program.exprs[id].kind, ExprKind::Error);
        let inferred = self.inferred_args.contains(&id);
        let ty = match &mut kind {
            ExprKind::Field {
                object,
                field,
                owner_args,
            } => {
                if let Some(args) = self.owner_instance(*field, self.ty_at(*object)) {
                    *owner_args = args;
                }
                self.field_type(*field, owner_args, pre)
            }
            ExprKind::StaticConst { member, owner_args } => {
                self.field_type(*member, owner_args, pre)
            }
            ExprKind::Destructor { value, ctors } => {
                let (ctor, position) = ctors[0];
                let decl = self.program.ctors[ctor].decl;
                let formal = self.program.ctors[ctor].formals[position as usize];
                match self.instance_of(decl, self.ty_at(*value), 0) {
                    Some(args) => {
                        let params = &self.program.decls[decl].params;
                        self.program
                            .instantiate(self.program.vars[formal].ty, params, &args)
                    }
                    None => pre,
                }
            }
            ExprKind::Call(call) => match &self.program.members[call.function].kind {
                MemberKind::Function(f) => {
                    let (owner, own) = self.call_args(
                        call.function,
                        call.receiver,
                        &call.owner_args,
                        &call.type_args,
                        &f.ins,
                        &call.args,
                    );
                    call.owner_args = owner;
                    if inferred {
                        call.type_args = own;
                    }
                    let params = self.all_params(call.function);
                    let args: Vec<Ty> = call
                        .owner_args
                        .iter()
                        .chain(&call.type_args)
                        .copied()
                        .collect();
                    self.program.instantiate(f.result, &params, &args)
                }
                _ => pre,
            },
            ExprKind::FunctionValue {
                function,
                receiver,
                owner_args,
                type_args,
            } => {
                if let Some(receiver) = receiver
                    && let Some(args) = self.owner_instance(*function, self.ty_at(*receiver))
                {
                    *owner_args = args;
                }
                self.function_value_type(*function, owner_args, type_args, pre)
            }
            ExprKind::Ctor {
                ctor,
                type_args,
                args,
            } => {
                if inferred {
                    self.narrow_ctor(*ctor, type_args, args);
                }
                self.program.types.with_children(pre, type_args)
            }
            _ => pre,
        };
        self.program.exprs[id].kind = kind;
        ty
    }

    pub(crate) fn narrow_ctor(
        &self,
        ctor: crate::tree::CtorId,
        type_args: &mut [Ty],
        args: &[ExprId],
    ) {
        let c = &self.program.ctors[ctor];
        let params = &self.program.decls[c.decl].params;
        let mut found = FastMap::default();
        for (&formal, &arg) in c.formals.iter().zip(args) {
            self.match_type(self.program.vars[formal].ty, self.ty_at(arg), &mut found, 0);
        }
        for (param, ty) in params.iter().zip(type_args) {
            let pre = pre_type(&self.program, *ty);
            *ty = self.narrower(found.get(param).copied(), pre);
        }
    }

    pub(crate) fn function_value_type(
        &self,
        function: MemberId,
        owner_args: &[Ty],
        type_args: &[Ty],
        pre: Ty,
    ) -> Ty {
        let MemberKind::Function(f) = &self.program.members[function].kind else {
            return pre;
        };
        let params = self.all_params(function);
        let args: Vec<Ty> = owner_args.iter().chain(type_args).copied().collect();
        let domain = f
            .ins
            .iter()
            .map(|&v| {
                self.program
                    .instantiate(self.program.vars[v].ty, &params, &args)
            })
            .collect();
        let result = self.program.instantiate(f.result, &params, &args);
        // The callee may not be resolved yet: its syntax tells whether it has a precondition.
        let (mut partial, mut reads) = (!f.requires.is_empty(), f.reads.clone());
        if let Some(syntax) = self.member_syntax.get(&function)
            && let crate::ast::MemberKind::Function(syntax) = &syntax.kind
        {
            partial = !syntax.spec.requires.is_empty();
            reads.star = !syntax.spec.reads.items.is_empty();
        }
        self.arrow_type(partial, &reads, domain, result)
    }

    pub(crate) fn field_type(&self, member: MemberId, owner_args: &[Ty], pre: Ty) -> Ty {
        match &self.program.members[member].kind {
            MemberKind::Field { ty } | MemberKind::Const { ty, .. } => {
                let params = self.program.owner_params(member);
                self.program.instantiate(*ty, params, owner_args)
            }
            _ => pre,
        }
    }
}
