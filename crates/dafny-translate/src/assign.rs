//! Assignments and allocation.

use crate::cx::{Cx, Env, Work};
use crate::frame::in_frame;
use crate::prelude::Chunk;
use crate::tree::*;
use crate::wf::{Builder, check};
use stet_base::Span;
use stet_dafny::tree::{
    ArrayInit, Attribute, AutoInit, ExprId, ExprKind, MemberId, MemberKind, MethodCall, MethodKind,
    Rhs, Ty, VarBound, VarId,
};

/// Where a value goes.
pub(crate) enum Target {
    Var(VarId, Name),
    /// A field of an object, as boxed sort and field.
    Heap {
        object: B,
        field: B,
        sort: String,
    },
    /// A field of the object under construction.
    Field(MemberId, Name),
    /// Nothing: it was refused.
    None,
}

const THIS_ESCAPES: &str = "in the first division of the constructor body (before 'new;'), 'this' can only be used to assign to its fields";

impl Cx<'_> {
    pub(crate) fn assign(
        &mut self,
        lhss: &[ExprId],
        rhss: &[Rhs],
        span: Span,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut targets: Vec<(Target, Ty)> = lhss
            .iter()
            .map(|&lhs| self.target(lhs, env, b, out))
            .collect();
        let several = lhss.len() > 1;
        if several || !matches!(rhss, [Rhs::Expr(_)]) {
            self.freeze(&mut targets, b, out);
        }
        let mut values = Vec::new();
        for (rhs, (target, ty)) in rhss.iter().zip(&targets) {
            let mut value = match rhs {
                Rhs::Havoc => self.any_value(target, *ty, env, b, out),
                _ => self.rhs(rhs, *ty, env, b, out),
            };
            if several {
                let sort = self.sort(*ty);
                let temp = self.declare_hidden(b, "rhs", sort);
                out.push(S::Assign(temp.clone(), value));
                value = var(&temp);
            }
            values.push(value);
        }
        self.distinct_targets(&targets, lhss, &values, out);
        let places: Vec<Span> = lhss.iter().map(|&e| self.p.exprs[e].tok).collect();
        let all = targets.into_iter().zip(values).zip(rhss).zip(places);
        for ((((target, ty), value), rhs), place) in all {
            if let Target::Heap { .. } = target {
                self.is_settled(ty, &value, env, span, THIS_ESCAPES, out);
            }
            if let (Rhs::Havoc, Target::Var(_, name) | Target::Field(_, name)) = (rhs, &target)
                && !self.is_some_value(ty, self.is_ghost_target(&target))
            {
                // There may be no such value: what had none has none now.
                out.push(S::Assign(name.clone(), value));
                continue;
            }
            self.shrinks_new(&target, &value, place, env, b, out);
            self.store_value(target, value, env, b, out);
        }
    }

    /// Whether `*` is a value of a type, for a variable that is ghost or not.
    pub(crate) fn is_some_value(&mut self, ty: Ty, ghost: bool) -> bool {
        match self.auto_init(ty) {
            AutoInit::Compilable => true,
            AutoInit::Nonempty => ghost,
            AutoInit::MaybeEmpty => false,
        }
    }

    fn is_ghost_target(&self, target: &Target) -> bool {
        match target {
            Target::Var(v, _) => self.p.vars[*v].ghost,
            Target::Field(field, _) => self.p.members[*field].ghost,
            Target::Heap { .. } | Target::None => false,
        }
    }

    /// Any value of a type: of one that may be empty only if the target holds one already.
    fn any_value(
        &mut self,
        target: &Target,
        ty: Ty,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> B {
        let sort = self.sort(ty);
        let temp = self.declare_hidden(b, "any", sort);
        out.push(S::Havoc(vec![temp.clone()]));
        let value = var(&temp);
        let flag = match target {
            Target::Var(v, _) => b.assigned.get(v),
            Target::Field(field, _) => b.fields.get(field),
            Target::Heap { .. } | Target::None => None,
        };
        let mut typed = self.typed(ty, &value, &env.heap);
        if let (Some(flag), AutoInit::MaybeEmpty) = (flag, self.auto_init(ty)) {
            typed = imp(var(flag), typed);
        }
        out.push(S::Assume(typed));
        value
    }

    /// Which object and which element is assigned is decided before anything is: later changes of variables and of the
    /// heap do not move a target.
    pub(crate) fn freeze(
        &mut self,
        targets: &mut [(Target, Ty)],
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut changing: Vec<Name> = vec!["$Heap".into()];
        for (target, _) in &*targets {
            if let Target::Var(_, name) | Target::Field(_, name) = target {
                changing.push(name.clone());
            }
        }
        for (target, _) in targets {
            let Target::Heap { object, field, .. } = target else {
                continue;
            };
            for (part, sort) in [(object, "ref"), (field, "$Field")] {
                if changing.iter().any(|name| mentions(part, name)) {
                    let saved = self.declare_hidden(b, "target", Sort::named(sort));
                    out.push(S::Assign(saved.clone(), part.clone()));
                    *part = var(&saved);
                }
            }
        }
    }

    /// One place is not given two values.
    pub(crate) fn distinct_targets(
        &mut self,
        targets: &[(Target, Ty)],
        lhss: &[ExprId],
        values: &[B],
        out: &mut Vec<S>,
    ) {
        for (j, (second, _)) in targets.iter().enumerate() {
            for (i, (first, _)) in targets[..j].iter().enumerate() {
                let Some(differ) = differ(first, second) else {
                    continue;
                };
                let (Some(v), Some(w)) = (values.get(i), values.get(j)) else {
                    continue;
                };
                if self.sort_name(targets[i].1) != self.sort_name(targets[j].1) {
                    continue;
                }
                let differ = or(differ, eq(v.clone(), w.clone()));
                out.push(self.different_places(differ, lhss[i], lhss[j]));
            }
        }
    }

    /// That a left-hand side is another place than an earlier one.
    fn different_places(&self, cond: B, earlier: ExprId, later: ExprId) -> S {
        let names = match (self.place_text(later), self.place_text(earlier)) {
            (Some(a), Some(b)) => format!("{a} and {b} "),
            _ => String::new(),
        };
        let message =
            format!("left-hand sides {names}could not be proved to refer to different locations");
        check(cond, self.p.exprs[later].tok, message)
    }

    /// What `:-` assigns last is another place than what it assigns before.
    pub(crate) fn apart(
        &mut self,
        first: ExprId,
        rest: &[ExprId],
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        // The places themselves are checked where they are assigned.
        let mut checks = Vec::new();
        let (place, _) = self.target(first, env, b, &mut checks);
        for &other in rest {
            let (target, _) = self.target(other, env, b, &mut checks);
            if let Some(differ) = differ(&place, &target) {
                out.push(self.different_places(differ, first, other));
            }
        }
    }

    /// A left-hand side as the program writes it, if it is a simple one.
    fn place_text(&self, e: ExprId) -> Option<String> {
        let expr = &self.p.exprs[e];
        match &expr.kind {
            ExprKind::Var(v) if self.p.vars[*v].user_named => {
                Some(self.p.text(self.p.vars[*v].name).to_owned())
            }
            ExprKind::This => Some("this".into()),
            ExprKind::Int(n) => Some(n.to_string()),
            ExprKind::Field { object, field, .. } => {
                let name = self.p.text(self.p.members[*field].name);
                let owner = &self.p.exprs[*object];
                if matches!(owner.kind, ExprKind::This) && owner.tok == expr.tok {
                    return Some(name.to_owned());
                }
                Some(format!("{}.{name}", self.place_text(*object)?))
            }
            ExprKind::ArrayIndex(array, indices) => {
                let texts: Option<Vec<String>> =
                    indices.iter().map(|&i| self.place_text(i)).collect();
                Some(format!(
                    "{}[{}]",
                    self.place_text(*array)?,
                    texts?.join(", ")
                ))
            }
            _ => None,
        }
    }

    /// What a left-hand side stands for, checked, with the type of values it takes.
    pub(crate) fn target(
        &mut self,
        lhs: ExprId,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> (Target, Ty) {
        let expr = &self.p.exprs[lhs];
        let span = expr.tok;
        match &expr.kind {
            ExprKind::Var(v) => {
                let ty = self.subst(&env.subst, self.p.vars[*v].ty);
                let name = match env.vars.get(v).map(|value| (**value).clone()) {
                    Some(Node::Var(name)) => name,
                    _ => {
                        self.unsupported(span, "assigning this variable");
                        "$none".into()
                    }
                };
                (Target::Var(*v, name), ty)
            }
            ExprKind::Field {
                object,
                field,
                owner_args,
            } => {
                let args = self.types(owner_args, env);
                let ty = self.field_type(*field, &args);
                if let Some(local) = env.field_local(self.p, *object, *field) {
                    return (Target::Field(*field, local.clone()), ty);
                }
                self.wf(*object, env, b, out);
                self.not_null(*object, env, span, out);
                let value = self.expr(*object, env);
                if let MemberKind::Const { .. } = self.p.members[*field].kind {
                    self.unsupported(span, "assigning a constant here");
                    return (Target::None, ty);
                }
                let sort = self.field_sort(*field, &args);
                let name = self.field_name(*field, args);
                let message =
                    "modified field could not be proved to be in the current modifies clause";
                self.may_write(&value, &name, span, env, b, out, message);
                if let Some(parts) = &b.modifies {
                    self.explain_in_frame(parts, *object, Some(*field), env, out);
                }
                let target = Target::Heap {
                    object: value,
                    field: name,
                    sort,
                };
                (target, ty)
            }
            ExprKind::ArrayIndex(array, indices) => {
                let ty = self.array_elem(*array, env);
                self.wf(*array, env, b, out);
                self.wf_all(indices, env, b, out);
                self.element_ok(*array, indices, env, span, out);
                let object = self.expr(*array, env);
                let indices = self.args(indices, env);
                let field = self.index_field(&indices);
                let sort = self.sort_name(ty);
                self.need(Chunk::Box(sort.clone()));
                self.request(Work::ArrayElements(ty, indices.len() as u32));
                let message = "modified array location could not be proved to be in the current modifies clause";
                self.may_write(&object, &field, span, env, b, out, message);
                if let Some(parts) = &b.modifies {
                    self.explain_in_frame(parts, *array, None, env, out);
                }
                let target = Target::Heap {
                    object,
                    field,
                    sort,
                };
                (target, ty)
            }
            _ => {
                self.unsupported(span, "this left-hand side");
                (Target::None, self.p.types.bool_)
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one place of the heap in one context"
    )]
    fn may_write(
        &mut self,
        object: &B,
        field: &B,
        span: Span,
        env: &Env,
        b: &Builder,
        out: &mut Vec<S>,
        message: &str,
    ) {
        let Some(parts) = &b.modifies else {
            return;
        };
        let base = b.frame_heap.clone().unwrap_or_else(|| env.old.clone());
        let fresh = not(crate::types::alloc(&base, object));
        let allowed = or(fresh, in_frame(parts, object, Some(field)));
        out.push(check(allowed, span, message));
    }

    pub(crate) fn store_value(
        &mut self,
        target: Target,
        value: B,
        env: &Env,
        b: &Builder,
        out: &mut Vec<S>,
    ) {
        match target {
            Target::Var(v, name) => {
                match self.depth_of_literal(&value) {
                    Some(depth) => self.literals.insert(name.clone(), depth),
                    None => self.literals.remove(&name),
                };
                out.push(S::Assign(name, value));
                if let Some(flag) = b.assigned.get(&v) {
                    out.push(S::Assign(flag.clone(), tt()));
                }
            }
            Target::Field(field, name) => {
                out.push(S::Assign(name, value));
                if let Some(flag) = b.fields.get(&field) {
                    out.push(S::Assign(flag.clone(), tt()));
                }
            }
            Target::None => {}
            Target::Heap {
                object,
                field,
                sort,
            } => {
                let boxed = app(&format!("$Box${sort}"), vec![value]);
                self.write(&object, &field, boxed, env, out);
            }
        }
    }

    pub(crate) fn write(&mut self, object: &B, field: &B, boxed: B, env: &Env, out: &mut Vec<S>) {
        let heap = env.heap.clone();
        let state = store(select(heap.clone(), object.clone()), field.clone(), boxed);
        out.push(S::Assign(
            "$Heap".into(),
            store(heap.clone(), object.clone(), state),
        ));
        out.push(S::Assume(app("$HeapOk", vec![heap])));
    }

    /// The value of a right-hand side, checked to be of the type of the target.
    fn rhs(&mut self, rhs: &Rhs, ty: Ty, env: &Env, b: &mut Builder, out: &mut Vec<S>) -> B {
        match rhs {
            Rhs::Expr(e) => {
                self.wf(*e, env, b, out);
                self.fits(*e, ty, env, out);
                self.expr(*e, env)
            }
            Rhs::Havoc => self.any_value(&Target::None, ty, env, b, out),
            Rhs::NewObject {
                ty: new,
                init,
                span,
            } => {
                let new = self.subst(&env.subst, *new);
                let object = self.new_object(new, init.as_ref(), *span, env, b, out);
                self.value_fits(&object, new, ty, *span, out);
                object
            }
            Rhs::NewArray {
                ty: new,
                elem,
                dims,
                init,
                span,
            } => {
                let (new, elem) = (self.subst(&env.subst, *new), self.subst(&env.subst, *elem));
                let array = self.new_array(new, elem, dims, init, *span, env, b, out);
                self.value_fits(&array, new, ty, *span, out);
                array
            }
        }
    }

    /// A new object of a class in the heap, without its contents.
    fn allocate(&mut self, ty: Ty, env: &Env, b: &mut Builder, out: &mut Vec<S>) -> B {
        self.need(Chunk::Heap);
        let name = self.declare_hidden(b, "new", Sort::named("ref"));
        let object = var(&name);
        out.push(S::Havoc(vec![name]));
        out.push(S::Assume(self.is_new(ty, &object, &env.heap)));
        self.add_object(&object, env, out);
        self.own_new(&object, env, b, out);
        object
    }

    /// That an object of this type is not in a heap.
    pub(crate) fn is_new(&mut self, ty: Ty, object: &B, heap: &B) -> B {
        let unused = not(crate::types::alloc(heap, object));
        let is = self.is_type(ty, object);
        and(and(neq(object.clone(), var("null")), unused), is)
    }

    pub(crate) fn add_object(&mut self, object: &B, env: &Env, out: &mut Vec<S>) {
        let field = var("$field.alloc");
        self.write(object, &field, var("$Box.allocated"), env, out);
    }

    fn new_object(
        &mut self,
        ty: Ty,
        init: Option<&MethodCall>,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> B {
        let Some(call) = init else {
            return self.allocate(ty, env, b, out);
        };
        let is_constructor = matches!(&self.p.members[call.method].kind,
            MemberKind::Method(m) if matches!(m.kind, MethodKind::Constructor));
        if !is_constructor {
            let object = self.allocate(ty, env, b, out);
            self.invoke(call, Some(object.clone()), env, b, out);
            return object;
        }
        let results = self.invoke(call, None, env, b, out);
        match results.into_iter().next() {
            Some(object) => var(&object),
            None => {
                self.unsupported(span, "this kind of allocation");
                var("null")
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of an allocation in one context"
    )]
    fn new_array(
        &mut self,
        ty: Ty,
        elem: Ty,
        dims: &[ExprId],
        init: &ArrayInit,
        span: Span,
        env: &Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) -> B {
        self.wf_all(dims, env, b, out);
        let sizes = self.args(dims, env);
        for (d, (size, &e)) in sizes.iter().zip(dims).enumerate() {
            let message = if dims.len() == 1 {
                "array size could not be proved to be non-negative".to_owned()
            } else {
                format!("array size (dimension {d}) could not be proved to be non-negative")
            };
            out.push(check(
                le(int(0), size.clone()),
                self.p.exprs[e].tok,
                message,
            ));
        }
        match init {
            ArrayInit::None => {
                if self.auto_init(elem) != AutoInit::Compilable {
                    let text = self.type_text(elem);
                    let message = format!(
                        "unless an initializer is provided for the array elements, a new array of '{text}' must have empty size"
                    );
                    let empty = disj(sizes.iter().map(|s| eq(s.clone(), int(0))));
                    out.push(check(empty, span, message));
                }
            }
            ArrayInit::Function(f) => {
                self.wf(*f, env, b, out);
                if b.reads.is_some() && self.is_general(*f, env) {
                    let what =
                        "an array made by a function that reads the heap, under a `reads` clause";
                    self.unsupported(span, what);
                }
            }
            ArrayInit::Display(items) => {
                self.wf_all(items, env, b, out);
                for &item in items {
                    self.fits(item, elem, env, out);
                }
                if let [size] = &sizes[..] {
                    let count = int(items.len());
                    let message = format!(
                        "given array size must agree with the number of expressions in the initializing display ({})",
                        items.len()
                    );
                    let place = dims.first().map_or(span, |&d| self.p.exprs[d].tok);
                    out.push(check(eq(size.clone(), count), place, message));
                }
            }
        }
        if env.construction.is_some() && self.has_references(elem, &mut Vec::new()) {
            match init {
                ArrayInit::None => {}
                ArrayInit::Display(items) => {
                    self.args_settled(items, env, THIS_ESCAPES, out);
                }
                ArrayInit::Function(_) => {
                    self.unsupported(span, "an array of objects made by a function before `new;`");
                }
            }
        }
        let values = match init {
            ArrayInit::Display(items) => self.args(items, env),
            _ => Vec::new(),
        };
        let before = match init {
            ArrayInit::Function(_) => Some(self.save_heap("init", env, b, out)),
            _ => None,
        };
        let object = self.allocate(ty, env, b, out);
        for (d, size) in sizes.iter().enumerate() {
            let length = self.array_length(sizes.len() as u32, d as u32, &object);
            out.push(S::Assume(eq(length, size.clone())));
        }
        for (i, value) in values.into_iter().enumerate() {
            let element = self.read_element(elem, &object, &[int(i)], &env.heap);
            out.push(S::Assume(eq(element, value)));
        }
        if let (ArrayInit::Function(f), Some(before)) = (init, before) {
            self.init_elements(*f, elem, &object, &sizes, &before, span, env, out);
        }
        object
    }

    /// Elements given by a function of their indices.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of an allocation in one context"
    )]
    fn init_elements(
        &mut self,
        f: ExprId,
        elem: Ty,
        object: &B,
        sizes: &[B],
        before: &B,
        span: Span,
        env: &Env,
        out: &mut Vec<S>,
    ) {
        let mut inner = env.at_heap(before.clone());
        inner.is_current = true;
        let mut vars: Vec<TypedName> = Vec::new();
        let mut inside = tt();
        for size in sizes {
            let name = inner.fresh_bound("i");
            let i = var(&name);
            inside = and(inside, and(le(int(0), i.clone()), lt(i, size.clone())));
            vars.push((name, Sort::named("int")));
        }
        let indices: Vec<B> = vars.iter().map(|(n, _)| var(n)).collect();
        let rep = self.rep_of(f, env);
        let sort = self.sort_name(rep);
        let required = if self.is_general(f, &inner) {
            self.general_app("$reqh", f, indices.clone(), &inner)
        } else {
            let mut args = vec![self.expr(f, &inner)];
            args.extend(indices.clone());
            app(&format!("$req.{sort}"), args)
        };
        let message = "all array indices must be in the domain of the initialization function";
        let domain = forall(vars.clone(), Vec::new(), imp(inside.clone(), required));
        out.push(check(domain, span, message));
        let value = self.apply_value(f, indices.clone(), &inner);
        let types = self.element_types(f, env);
        if let Some(&result) = types.last()
            && !self.p.is_subtype(result, elem)
        {
            let is = self.is_type(elem, &value);
            let all = forall(vars.clone(), Vec::new(), imp(inside.clone(), is));
            let message = self.fits_message(result, elem);
            out.push(check(all, self.p.exprs[f].tok, message));
        }
        let element = self.read_element(elem, object, &indices, &env.heap);
        let Node::App(_, parts) = &*element else {
            return;
        };
        let trigger = parts[0].clone();
        let body = imp(inside, eq(element.clone(), value));
        out.push(S::Assume(forall(vars, vec![vec![trigger]], body)));
    }

    /// `x :| P(x)`; a choice is a condition, whether it is assumed that it can be met, bounds and attributes.
    pub(crate) fn assign_such_that(
        &mut self,
        lhss: &[ExprId],
        (expr, assume, bounds, attributes): (ExprId, bool, &[Option<VarBound>], &[Attribute]),
        span: Span,
        env: &mut Env,
        b: &mut Builder,
        out: &mut Vec<S>,
    ) {
        let mut vars = Vec::new();
        for &lhs in lhss {
            match &self.p.exprs[lhs].kind {
                ExprKind::Var(v) => vars.push(*v),
                _ => {
                    self.unsupported(
                        self.p.exprs[lhs].tok,
                        "`:|` on something other than a variable",
                    );
                    return;
                }
            }
        }
        // Whether the variables were assigned before does not matter in the condition.
        let tracked: Vec<(VarId, Name)> = vars
            .iter()
            .filter_map(|v| b.assigned.remove(v).map(|flag| (*v, flag)))
            .collect();
        self.wf_bound(&vars, &[], &[expr], env, b, out);
        if !assume {
            let given = self.given_triggers(attributes);
            let message = self.no_values(&vars, expr, given.is_some());
            let some = self.some_values(&vars, expr, bounds, given.as_deref(), env);
            out.push(check(some, span, message));
        }
        let mut known = tt();
        let mut names = Vec::new();
        for &v in &vars {
            if let Some(Node::Var(name)) = env.vars.get(&v).map(|value| (**value).clone()) {
                let ty = self.subst(&env.subst, self.p.vars[v].ty);
                known = and(known, self.typed(ty, &var(&name), &env.heap));
                names.push(name);
            }
        }
        out.push(S::Havoc(names));
        out.push(S::Assume(and(known, self.expr(expr, env))));
        for (v, flag) in tracked {
            out.push(S::Assign(flag.clone(), tt()));
            b.assigned.insert(v, flag);
        }
    }
}

/// Whether two targets are different places; nothing if no two targets of these kinds are the same.
fn differ(first: &Target, second: &Target) -> Option<B> {
    match (first, second) {
        (
            Target::Heap { object, field, .. },
            Target::Heap {
                object: other,
                field: name,
                ..
            },
        ) => Some(or(
            neq(object.clone(), other.clone()),
            neq(field.clone(), name.clone()),
        )),
        (Target::Var(_, a), Target::Var(_, c)) | (Target::Field(_, a), Target::Field(_, c))
            if a == c =>
        {
            Some(ff())
        }
        _ => None,
    }
}
