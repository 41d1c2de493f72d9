//! Displays, selections and updates of collections; comprehensions, quantifiers, functions as values.

use crate::cx::{Cx, Env};
use crate::decl::{Decl, Role};
use crate::expr::{content_name, seq_display};
use crate::prelude::Chunk;
use crate::tree::*;
use crate::trigger;
use stet_dafny::tree::{ExprId, ExprKind, Quantifier, Ty, TyKind, VarBound, VarId};

impl Cx<'_> {
    pub(crate) fn collection_expr(&mut self, e: ExprId, env: &Env) -> B {
        let expr = &self.p.exprs[e];
        let span = expr.tok;
        match &expr.kind {
            ExprKind::Index(of, index) => self.index(*of, *index, env),
            ExprKind::ArrayIndex(array, indices) => self.array_element(*array, indices, env),
            ExprKind::Slice(of, lo, hi) => self.slice(*of, *lo, *hi, env),
            ExprKind::Update(of, at, value) => self.update(*of, *at, *value, env),
            ExprKind::DatatypeUpdate {
                value,
                ctors,
                updates,
            } => self.datatype_update(*value, ctors, updates, env),
            ExprKind::SetDisplay(items) | ExprKind::MultisetDisplay(items) => {
                self.set_display(e, items, env)
            }
            ExprKind::SeqDisplay(items) => {
                let elem = self.elem_sort(e, env);
                let items = self.args(items, env);
                seq_display(&elem, items)
            }
            ExprKind::MapDisplay(entries) => {
                let rep = self.rep_of(e, env);
                let sort = self.sort_name(rep);
                let suffix = sort
                    .split_once('$')
                    .map(|_| sort.clone())
                    .unwrap_or_default();
                let head = if suffix.starts_with("$IMap") {
                    "$IMap"
                } else {
                    "$Map"
                };
                let mut map = var(&format!("{head}.empty{}", &sort[head.len()..]));
                for (key, value) in entries {
                    let (key, value) = (self.expr(*key, env), self.expr(*value, env));
                    map = self.map_app("put", rep, vec![map, key, value]);
                }
                map
            }
            ExprKind::SeqConstruct(length, init) => self.seq_construct(e, *length, *init, env),
            ExprKind::MultisetOf(of) => {
                let rep = self.rep_of(*of, env);
                let value = self.expr(*of, env);
                let elem = self.elem_sort(e, env);
                let kind = self.p.types.kind(rep);
                if let TyKind::Seq(_) = &*kind {
                    self.need(Chunk::MultiSetOfSeq(elem.clone()));
                    app(&format!("$MultiSet.of_seq${elem}"), vec![value])
                } else {
                    self.need(Chunk::MultiSetOfSet(elem.clone()));
                    app(&format!("$MultiSet.of_set${elem}"), vec![value])
                }
            }
            ExprKind::Error => {
                self.unsupported(span, "an expression in error");
                int(0)
            }
            ExprKind::FnReads(f, args) if self.is_general(*f, env) => {
                let args = self.args(args, env);
                self.general_app("$reads", *f, args, env)
            }
            ExprKind::FnReads(..) => {
                self.rep_of(e, env);
                let elem = self.elem_sort(e, env);
                var(&format!("$Set.empty${elem}"))
            }
            ExprKind::FnProperty(f, requires) => self.property_value(e, *f, *requires, env),
            ExprKind::PrefixEq {
                k,
                left,
                right,
                negated,
            } => {
                let same = self.prefix_eq(*k, *left, *right, env);
                if *negated { not(same) } else { same }
            }
            ExprKind::Rotate(of, by, left) => self.rotate(*of, *by, *left, env, span),
            _ => {
                self.unsupported(span, "this kind of expression");
                int(0)
            }
        }
    }

    /// The sort of the elements of a collection.
    fn elem_sort(&mut self, e: ExprId, env: &Env) -> String {
        let rep = self.rep_of(e, env);
        self.sort(rep);
        let elem = self.p.types.children(rep).first().copied();
        elem.map(|t| self.sort_name(t)).unwrap_or_default()
    }

    fn index(&mut self, of: ExprId, index: ExprId, env: &Env) -> B {
        let rep = self.rep_of(of, env);
        let (value, index) = (self.expr(of, env), self.expr(index, env));
        let elem = self.elem_sort(of, env);
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Seq(_) => app(&format!("$Seq.nth${elem}"), vec![value, index]),
            TyKind::Multiset(_) => app(&format!("$MultiSet.count${elem}"), vec![value, index]),
            _ => self.map_app("get", rep, vec![value, index]),
        }
    }

    /// The field of an array element.
    pub(crate) fn index_field(&mut self, indices: &[B]) -> B {
        self.need(Chunk::Heap);
        let mut field = app("$index", vec![indices[0].clone()]);
        for index in &indices[1..] {
            self.need(Chunk::ManyIndices);
            field = app("$index.more", vec![field, index.clone()]);
        }
        field
    }

    /// The type of the elements of an array.
    pub(crate) fn array_elem(&mut self, array: ExprId, env: &Env) -> Ty {
        let ty = self.type_of(array, env);
        let base = self.p.base_type(ty);
        let elem = self.p.types.children(base).first().copied();
        elem.unwrap_or(self.p.types.error)
    }

    fn array_element(&mut self, array: ExprId, indices: &[ExprId], env: &Env) -> B {
        let elem = self.array_elem(array, env);
        let value = self.expr(array, env);
        let indices = self.args(indices, env);
        self.read_element(elem, &value, &indices, &env.heap)
    }

    pub(crate) fn read_element(&mut self, elem: Ty, array: &B, indices: &[B], heap: &B) -> B {
        let sort = self.sort_name(elem);
        self.need(Chunk::Box(sort.clone()));
        self.request(crate::cx::Work::ArrayElements(elem, indices.len() as u32));
        let field = self.index_field(indices);
        let state = select(heap.clone(), array.clone());
        app(&format!("$Unbox${sort}"), vec![select(state, field)])
    }

    /// The elements of an array as a sequence.
    pub(crate) fn array_seq(&mut self, elem: Ty, array: &B, heap: &B) -> B {
        let sort = self.sort_name(elem);
        self.need(Chunk::ArraySeq(sort.clone()));
        self.request(crate::cx::Work::ArrayElements(elem, 1));
        let state = select(heap.clone(), array.clone());
        let length = app("$length", vec![array.clone()]);
        app(&format!("$Seq.array${sort}"), vec![state, length])
    }

    fn slice(&mut self, of: ExprId, lo: Option<ExprId>, hi: Option<ExprId>, env: &Env) -> B {
        let rep = self.rep_of(of, env);
        let kind = self.p.types.kind(rep);
        let value = self.expr(of, env);
        let elem = self.elem_sort(of, env);
        let mut seq = if let TyKind::Array { .. } = &*kind {
            let elem = self.array_elem(of, env);
            self.array_seq(elem, &value, &env.heap)
        } else {
            value
        };
        if let Some(hi) = hi {
            let hi = self.expr(hi, env);
            seq = app(&format!("$Seq.take${elem}"), vec![seq, hi]);
        }
        if let Some(lo) = lo {
            let lo = self.expr(lo, env);
            seq = app(&format!("$Seq.drop${elem}"), vec![seq, lo]);
        }
        seq
    }

    fn update(&mut self, of: ExprId, at: ExprId, value: ExprId, env: &Env) -> B {
        let rep = self.rep_of(of, env);
        let args = self.args(&[of, at, value], env);
        let elem = self.elem_sort(of, env);
        let kind = self.p.types.kind(rep);
        match &*kind {
            TyKind::Seq(_) => app(&format!("$Seq.update${elem}"), args),
            TyKind::Multiset(_) => app(&format!("$MultiSet.set${elem}"), args),
            _ => self.map_app("put", rep, args),
        }
    }

    fn set_display(&mut self, e: ExprId, items: &[ExprId], env: &Env) -> B {
        let rep = self.rep_of(e, env);
        let elem = self.elem_sort(e, env);
        let kind = self.p.types.kind(rep);
        let head = match &*kind {
            TyKind::Set { finite: true, .. } => "$Set",
            TyKind::Set { .. } => "$ISet",
            _ => "$MultiSet",
        };
        let mut set = var(&format!("{head}.empty${elem}"));
        for item in self.args(items, env) {
            set = app(&format!("{head}.add${elem}"), vec![set, item]);
        }
        set
    }

    fn seq_construct(&mut self, e: ExprId, length: ExprId, init: ExprId, env: &Env) -> B {
        let elem = self.elem_sort(e, env);
        self.need(Chunk::SeqOf(elem.clone()));
        let length = self.expr(length, env);
        let mut inner = env.clone();
        let index = inner.fresh_bound("i");
        let value = self.apply_value(init, vec![var(&index)], &inner);
        let map = lambda(vec![(index, Sort::named("int"))], value);
        app(&format!("$Seq.of${elem}"), vec![length, map])
    }

    /// A function value applied; a lambda is applied at once.
    pub(crate) fn apply_value(&mut self, f: ExprId, args: Vec<B>, env: &Env) -> B {
        if let ExprKind::Lambda { vars, body, .. } = &self.p.exprs[f].kind {
            let mut inner = env.clone();
            for (v, arg) in vars.iter().zip(&args) {
                inner.vars.insert(*v, arg.clone());
            }
            return self.expr(*body, &inner);
        }
        if self.is_general(f, env) {
            return self.general_app("$applyh", f, args, env);
        }
        let rep = self.rep_of(f, env);
        let sort = self.sort_name(rep);
        let mut all = vec![self.expr(f, env)];
        all.extend(args);
        app(&format!("$apply.{sort}"), all)
    }

    /// Binds variables: their names and sorts, and what their types say.
    pub(crate) fn bound_vars(&mut self, vars: &[VarId], env: &mut Env) -> (Vec<TypedName>, B) {
        let mut names = Vec::new();
        let mut typing = tt();
        for &v in vars {
            let declared = &self.p.vars[v];
            let name = env.fresh_bound(self.p.text(declared.name));
            let ty = self.subst(&env.subst, declared.ty);
            let sort = self.sort(ty);
            let value = var(&name);
            typing = and(typing, self.typed(ty, &value, &env.heap));
            env.vars.insert(v, value);
            self.var_sorts.insert(name.clone(), sort.clone());
            names.push((name, sort));
        }
        (names, typing)
    }

    pub(crate) fn quantifier(&mut self, q: &Quantifier, env: &Env) -> B {
        let mut inner = env.clone();
        if (!q.forall || env.assumed) && env.fuel == crate::functions::fuel(2) {
            // A witness is found by terms that the program mentions; these have one layer.
            inner.fuel = crate::functions::fuel(1);
        }
        let (vars, typing) = self.bound_vars(&q.vars, &mut inner);
        let range = q.range.map_or(tt(), |r| self.expr(r, &inner));
        let body = self.expr(q.body, &inner);
        let body = if q.forall {
            imp(and(typing, range), body)
        } else {
            and(and(typing, range), body)
        };
        let is_given = q
            .attributes
            .iter()
            .any(|a| self.p.text(a.name) == "trigger");
        let mut triggers: Vec<Vec<B>> = Vec::new();
        let mut with_arithmetic: Vec<Vec<B>> = Vec::new();
        for terms in &q.triggers {
            let terms = self.args(terms, &inner);
            if !is_given && let Some(plain) = trigger::usable(terms.clone(), &vars, false) {
                triggers.push(plain);
            } else {
                with_arithmetic.extend(trigger::usable(terms, &vars, true));
            }
        }
        if is_given {
            triggers = with_arithmetic;
        } else if triggers.is_empty() {
            triggers = trigger::choose(&body, &vars);
            if triggers.is_empty() {
                if let Some(matched) = self.without_sums(q.forall, &vars, &body) {
                    return matched;
                }
                // The prover matches sums only as they are written.
                triggers = with_arithmetic;
            }
        }
        if triggers.is_empty() && !is_given {
            return self.marked(q.forall, vars, body);
        }
        if !q.forall {
            trigger::add_bare(&mut triggers);
        }
        quant(q.forall, vars, triggers, body)
    }

    /// A quantifier that is matched by terms with sums, which are taken out of them.
    fn without_sums(&mut self, is_forall: bool, vars: &[TypedName], body: &B) -> Option<B> {
        let triggers = trigger::choose_with_sums(body, vars);
        let matched = crate::sums::without_sums(is_forall, vars, &triggers, body)?;
        self.var_sorts.extend(matched.added);
        Some(matched.formula)
    }

    /// A quantifier without terms to match. Its variables are marked, so that values which one such quantifier says there
    /// are find the instances of another. The prover chooses for numbers: it can match sums and comparisons.
    pub(crate) fn marked(&mut self, is_forall: bool, vars: Vec<TypedName>, body: B) -> B {
        let is_number = |sort: &Sort| match sort {
            Sort::Named(name) => matches!(&**name, "int" | "real" | "bool"),
            _ => true,
        };
        if let Some(matched) = self.without_sums(is_forall, &vars, &body) {
            return matched;
        }
        if vars.iter().any(|(_, sort)| is_number(sort)) {
            return quant(is_forall, vars, Vec::new(), body);
        }
        let mut triggers = trigger::choose_with_ground_sums(&body, &vars);
        let mut marks = Vec::new();
        for (name, sort) in &vars {
            let Sort::Named(of) = sort else {
                continue;
            };
            let mark = format!("$here.{of}");
            if self.made.insert(mark.as_str().into()) {
                let x: TypedName = ("x".into(), sort.clone());
                self.plain_function(&mark, vec![x.clone()], Sort::named("bool"));
                let always = app(&mark, vec![var("x")]);
                let axiom = forall(vec![x], vec![vec![always.clone()]], always);
                self.decls.push(Decl::Axiom(axiom));
            }
            marks.push(app(&mark, vec![var(name)]));
        }
        let all = marks.iter().fold(tt(), |all, mark| and(all, mark.clone()));
        let body = if is_forall {
            imp(all, body)
        } else {
            and(all, body)
        };
        triggers.push(marks);
        quant(is_forall, vars, triggers, body)
    }

    pub(crate) fn set_comprehension(&mut self, e: ExprId, env: &Env) -> B {
        let ExprKind::SetComprehension {
            vars,
            range,
            term,
            bounds,
            ..
        } = &self.p.exprs[e].kind
        else {
            return int(0);
        };
        let rep = self.rep_of(e, env);
        let elem = self.elem_sort(e, env);
        let kind = self.p.types.kind(rep);
        let head = match &*kind {
            TyKind::Set { finite: true, .. } => "$Set",
            _ => "$ISet",
        };
        let mut inner = env.clone();
        let (names, _) = self.bound_vars(vars, &mut inner);
        let mut typing = tt();
        for (i, (&v, (name, _))) in vars.iter().zip(&names).enumerate() {
            let ty = self.subst(&env.subst, self.p.vars[v].ty);
            let x = var(name);
            // The elements of a collection are allocated as it is.
            let typed = match bounds.get(i) {
                Some(Some(VarBound::In(_))) => self.is_type(ty, &x),
                _ => self.typed(ty, &x, &env.heap),
            };
            typing = and(typing, typed);
        }
        let holds = and(typing, self.expr(*range, &inner));
        let term = self.expr(*term, &inner);
        let map = match (&*names, &*term) {
            ([(name, sort)], Node::Var(v)) if v == name => {
                lambda(vec![(name.clone(), sort.clone())], holds)
            }
            _ => {
                let y = inner.fresh_bound("y");
                let body = and(holds, eq(var(&y), term));
                let triggers = trigger::choose(&body, &names);
                let body = exists(names, triggers, body);
                lambda(vec![(y, Sort::named(&elem))], body)
            }
        };
        app(&format!("{head}.of${elem}"), vec![map])
    }

    pub(crate) fn map_comprehension(&mut self, e: ExprId, env: &Env) -> B {
        let ExprKind::MapComprehension {
            vars,
            range,
            key,
            value,
            ..
        } = &self.p.exprs[e].kind
        else {
            return int(0);
        };
        let rep = self.rep_of(e, env);
        self.sort(rep);
        let kind = self.p.types.kind(rep);
        let TyKind::Map { finite, key: k, .. } = &*kind else {
            return int(0);
        };
        let key_sort = self.sort(*k);
        let head = if *finite { "$Set" } else { "$ISet" };
        let of = format!("{head}.of${}", key_sort.name());
        if !finite {
            self.need(Chunk::ISet(key_sort.name().to_owned()));
        }
        let mut inner = env.clone();
        let (names, typing) = self.bound_vars(vars, &mut inner);
        let holds = and(typing, self.expr(*range, &inner));
        let value = self.expr(*value, &inner);
        let Some(key) = key else {
            let domain = app(&of, vec![lambda(names.clone(), holds)]);
            return self.map_app("of", rep, vec![domain, lambda(names, value)]);
        };
        // The value at a key is that of one choice of the variables with that key.
        let key = self.expr(*key, &inner);
        let y = inner.fresh_bound("y");
        let found = and(holds, eq(key, var(&y)));
        let triggers = trigger::choose(&found, &names);
        let domain = lambda(
            vec![(y.clone(), key_sort.clone())],
            exists(names.clone(), triggers, found.clone()),
        );
        let choices = self.choose_values(&names, &found, &[(y.clone(), key_sort.clone())]);
        let value = replace(&value, &names, &choices);
        let domain = app(&of, vec![domain]);
        self.map_app("of", rep, vec![domain, lambda(vec![(y, key_sort)], value)])
    }

    /// `x => e`, or the name of a function.
    pub(crate) fn function_value(&mut self, e: ExprId, env: &Env) -> B {
        let rep = self.rep_of(e, env);
        let sort = self.sort_name(rep);
        let env = &crate::arrows::settled(env);
        let mut inner = env.clone();
        let (mut names, body, requires) = match &self.p.exprs[e].kind {
            ExprKind::Lambda { reads, .. } if reads.star || !reads.items.is_empty() => {
                return self.general_value(e, env);
            }
            ExprKind::Lambda {
                vars,
                requires,
                body,
                ..
            } => {
                let (names, _) = self.bound_vars(vars, &mut inner);
                // A value that reads nothing is the same in every heap: that its arguments are allocated is known where it
                // is applied.
                let mut typing = tt();
                for (&v, (name, _)) in vars.iter().zip(&names) {
                    let ty = self.subst(&env.subst, self.p.vars[v].ty);
                    typing = and(typing, self.is_type(ty, &var(name)));
                }
                let requires = requires.map_or(tt(), |r| self.expr(r, &inner));
                (names, self.expr(*body, &inner), and(typing, requires))
            }
            ExprKind::FunctionValue {
                function,
                receiver,
                owner_args,
                type_args,
            } => {
                let receiver = receiver.map(|r| self.expr(r, env));
                let instance = self.instance(*function, owner_args, type_args, env);
                if self.reads_heap(*function) {
                    return self.general_value(e, env);
                }
                if receiver.is_none() {
                    self.handle(&instance, &sort);
                }
                self.eta(&instance, receiver, &mut inner)
            }
            _ => return int(0),
        };
        if names.is_empty() {
            names.push(("unit~".into(), Sort::named("bool")));
        }
        let values = lambda(names.clone(), body);
        app(
            &format!("$lambda.{sort}"),
            vec![values, lambda(names, requires)],
        )
    }

    fn let_such_that_parts(&self, e: ExprId) -> Option<(Vec<VarId>, ExprId, ExprId)> {
        match &self.p.exprs[e].kind {
            ExprKind::LetSuchThat {
                vars,
                condition,
                body,
                ..
            } => Some((vars.clone(), *condition, *body)),
            _ => None,
        }
    }

    /// `var x :| P(x); e`: a value that depends on the condition and on what occurs in it only.
    pub(crate) fn let_such_that(&mut self, e: ExprId, env: &Env) -> B {
        let Some((vars, condition, body)) = self.let_such_that_parts(e) else {
            return int(0);
        };
        let mut inner = env.clone();
        let values = self.such_that_values(&vars, condition, &mut inner);
        for (v, value) in vars.iter().zip(values) {
            inner.vars.insert(*v, value);
        }
        self.expr(body, &inner)
    }

    /// The values that `var x :| P(x)` chooses.
    pub(crate) fn such_that_values(
        &mut self,
        vars: &[VarId],
        condition: ExprId,
        env: &mut Env,
    ) -> Vec<B> {
        let (names, typing) = self.bound_vars(vars, env);
        let condition = self.expr(condition, env);
        let holds = and(typing, condition);
        self.choose_values(&names, &holds, &[])
    }

    /// Functions that choose values for `names` with which `holds` is true, if there are such. Their names are made from
    /// the condition, with its free variables numbered: equal conditions choose equal values.
    pub(crate) fn choose_values(
        &mut self,
        names: &[TypedName],
        holds: &B,
        known: &[TypedName],
    ) -> Vec<B> {
        // The choice in a definition is that of its uses: the layer of the definition is no part of it.
        let layer = [("ly".into(), Sort::named("$Layer"))];
        let holds = &replace(holds, &layer, &[crate::functions::fuel(1)]);
        let free = trigger::free_vars(holds, names);
        let mut params: Vec<TypedName> = Vec::new();
        let mut renamed = Vec::new();
        for name in &free {
            let sort = known
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, s)| s.clone());
            let Some(sort) = sort.or_else(|| self.sort_of_var(name)) else {
                continue;
            };
            renamed.push(var(&format!("p{}", params.len())));
            params.push((name.clone(), sort));
        }
        let general: Vec<TypedName> = params
            .iter()
            .enumerate()
            .map(|(i, (_, s))| (Name::from(format!("p{i}")), s.clone()))
            .collect();
        let results: Vec<TypedName> = names
            .iter()
            .enumerate()
            .map(|(i, (_, s))| (Name::from(format!("r{i}")), s.clone()))
            .collect();
        let result_vars: Vec<B> = results.iter().map(|(n, _)| var(n)).collect();
        let all: Vec<TypedName> = params.iter().chain(names).cloned().collect();
        let by: Vec<B> = renamed.iter().chain(&result_vars).cloned().collect();
        let condition = replace(holds, &all, &by);
        let digest = content_name(&condition);
        let general_args: Vec<B> = general.iter().map(|(n, _)| var(n)).collect();
        let function = |i: usize| format!("$choice.{digest}.{i}");
        let chosen: Vec<B> = (0..names.len())
            .map(|i| app(&function(i), general_args.clone()))
            .collect();
        let key: Name = function(0).into();
        if self.made.insert(key) {
            for (i, (_, sort)) in results.iter().enumerate() {
                self.decls.push(Decl::Function {
                    name: function(i).into(),
                    ins: general.clone(),
                    out: sort.clone(),
                    role: Role::Plain,
                });
            }
            let there = trigger::choose(&condition, &results);
            let some = exists(results.clone(), there, condition.clone());
            let holds = replace(&condition, &results, &chosen);
            // Any of the chosen values brings the others with it.
            let triggers = chosen.iter().map(|c| vec![c.clone()]).collect();
            let axiom = forall(general, triggers, imp(some, holds));
            self.decls.push(Decl::Axiom(axiom));
        }
        let actuals: Vec<B> = params.iter().map(|(n, _)| var(n)).collect();
        (0..names.len())
            .map(|i| app(&function(i), actuals.clone()))
            .collect()
    }
}

/// Replaces free variables.
pub(crate) fn replace(e: &B, vars: &[TypedName], by: &[B]) -> B {
    let again = |x: &B| replace(x, vars, by);
    let list = |xs: &[B]| xs.iter().map(again).collect::<Vec<_>>();
    let node = match &**e {
        Node::Var(name) => {
            return match vars.iter().position(|(n, _)| n == name) {
                Some(at) => by[at].clone(),
                None => e.clone(),
            };
        }
        Node::Bool(_) | Node::Int(_) | Node::Real(..) | Node::Bv(..) => return e.clone(),
        Node::App(f, args) => Node::App(f.clone(), list(args)),
        Node::Bin(op, a, b) => Node::Bin(*op, again(a), again(b)),
        Node::Not(a) => Node::Not(again(a)),
        Node::Neg(a) => Node::Neg(again(a)),
        Node::Ite(a, b, c) => Node::Ite(again(a), again(b), again(c)),
        Node::Select(m, is) => Node::Select(again(m), list(is)),
        Node::Store(m, is, v) => Node::Store(again(m), list(is), again(v)),
        Node::Old(a) => Node::Old(again(a)),
        Node::Quant {
            forall,
            vars: bound,
            triggers,
            body,
        } => Node::Quant {
            forall: *forall,
            vars: bound.clone(),
            triggers: triggers.iter().map(|t| list(t)).collect(),
            body: again(body),
        },
        Node::Lambda { vars: bound, body } => Node::Lambda {
            vars: bound.clone(),
            body: again(body),
        },
        Node::Let {
            vars: bound,
            values,
            body,
        } => Node::Let {
            vars: bound.clone(),
            values: list(values),
            body: again(body),
        },
    };
    std::rc::Rc::new(node)
}
