//! Displays, indexing, slices and updates.

use super::Resolver;
use super::infer::arrow;
use super::types::Missing;
use crate::ast;
use crate::tree::{BinaryOp, ExprId, ExprKind, Ty, TyKind};

impl Resolver<'_> {
    pub(crate) fn collection(&mut self, id: ast::ExprId, want: Option<Ty>) -> ExprId {
        use ast::ExprKind as K;
        match &self.ast.exprs[id].kind {
            K::Set(finite, items) => {
                let (values, elem) = self.elements(items, want);
                let ty = self.program.types.intern(TyKind::Set {
                    finite: *finite,
                    elem,
                });
                self.push_expr(id, ExprKind::SetDisplay(values), ty)
            }
            K::Multiset(items) => {
                let (values, elem) = self.elements(items, want);
                let ty = self.program.types.intern(TyKind::Multiset(elem));
                self.push_expr(id, ExprKind::MultisetDisplay(values), ty)
            }
            K::Seq(items) => {
                let (values, elem) = self.elements(items, want);
                let ty = self.program.types.intern(TyKind::Seq(elem));
                self.push_expr(id, ExprKind::SeqDisplay(values), ty)
            }
            K::Map(finite, entries) => self.map_display(id, *finite, entries),
            K::MultisetOf(inner) => self.multiset_of(id, *inner),
            K::SeqConstruct(args, length, init) => {
                self.seq_construct(id, args.as_deref(), *length, *init)
            }
            K::Index(base, indices) => self.index(id, *base, indices),
            K::Slice(base, lo, hi) => self.slice(id, *base, *lo, *hi),
            K::MultiSlice(base, lengths, open) => self.multi_slice(id, *base, lengths, *open),
            K::Update(base, index, value) => self.update(id, *base, *index, *value, want),
            K::DatatypeUpdate(base, updates) => self.datatype_update(id, *base, updates),
            _ => self.error_expr(id),
        }
    }

    fn elements(&mut self, items: &[ast::ExprId], want: Option<Ty>) -> (Vec<ExprId>, Ty) {
        let elem = self.fresh();
        let hint = want.and_then(|w| {
            let w = self.infer.shallow(&self.program, w);
            let w = self.program.representation(w);
            self.program.types.children(w).first().copied()
        });
        let mut values = Vec::new();
        for &item in items {
            let value = self.expr_hint(item, hint);
            if let Some(hint) = hint {
                self.adopt(hint, value);
            }
            let found = self.program.exprs[value].ty;
            if !self.infer.assignable(&self.program, elem, found) {
                let message = format!(
                    "All elements of display must have some common supertype (got {}, but needed type or type of previous elements is {})",
                    self.show(found),
                    self.show(elem)
                );
                let tok = self.ast.exprs[item].tok;
                self.error(tok, message);
            }
            values.push(value);
        }
        (values, elem)
    }

    fn map_display(
        &mut self,
        id: ast::ExprId,
        finite: bool,
        entries: &[(ast::ExprId, ast::ExprId)],
    ) -> ExprId {
        let (key, value) = (self.fresh(), self.fresh());
        let mut out = Vec::new();
        for &(k, v) in entries {
            let k_expr = self.expr(k);
            let v_expr = self.expr(v);
            for (want, expr, at) in [(key, k_expr, k), (value, v_expr, v)] {
                let found = self.program.exprs[expr].ty;
                if !self.infer.assignable(&self.program, want, found) {
                    let message = format!(
                        "All elements of display must have some common supertype (got {}, but needed type or type of previous elements is {})",
                        self.show(found),
                        self.show(want)
                    );
                    let tok = self.ast.exprs[at].tok;
                    self.error(tok, message);
                }
            }
            out.push((k_expr, v_expr));
        }
        let ty = self
            .program
            .types
            .intern(TyKind::Map { finite, key, value });
        self.push_expr(id, ExprKind::MapDisplay(out), ty)
    }

    fn multiset_of(&mut self, id: ast::ExprId, inner: ast::ExprId) -> ExprId {
        let value = self.expr(inner);
        let head = self
            .infer
            .force(&self.program, self.program.exprs[value].ty);
        let elem = match &*self.program.types.kind(self.program.representation(head)) {
            TyKind::Seq(elem) | TyKind::Set { finite: true, elem } => *elem,
            TyKind::Error => self.program.types.error,
            _ => {
                let shown = self.show(head);
                let tok = self.ast.exprs[id].tok;
                self.error(
                    tok,
                    format!("can only form a multiset from a seq or set (got {shown})"),
                );
                self.program.types.error
            }
        };
        let ty = self.program.types.intern(TyKind::Multiset(elem));
        self.push_expr(id, ExprKind::MultisetOf(value), ty)
    }

    fn seq_construct(
        &mut self,
        id: ast::ExprId,
        args: Option<&[ast::TypeId]>,
        length: ast::ExprId,
        init: ast::ExprId,
    ) -> ExprId {
        let given = match args {
            Some([ty]) => Some(self.resolve_type(*ty, Missing::Infer)),
            _ => None,
        };
        let elem = match given {
            Some(ty) => super::infer::pre_type(&self.program, ty),
            None => self.fresh(),
        };
        let int = self.program.types.int;
        let length_value = self.expr(length);
        self.expect_int(
            length_value,
            "sequence construction must use an integer-based expression for the sequence size",
        );
        let want = arrow(&self.program, vec![int], elem);
        let init_value = self.expr_hint(init, Some(want));
        let found = self.program.exprs[init_value].ty;
        if !self.infer.assignable(&self.program, want, found) {
            let message = format!(
                "sequence-construction initializer expression expected to have type '{}' (instead got '{}')",
                self.show(want),
                self.show(found)
            );
            let tok = self.ast.exprs[init].tok;
            self.error(tok, message);
        }
        let ty = self.program.types.intern(TyKind::Seq(elem));
        let kind = ExprKind::SeqConstruct(length_value, init_value);
        let value = self.push_expr(id, kind, ty);
        self.given_elements
            .extend(given.map(|given| (value, given)));
        value
    }

    /// An index or length: an integer, a bit-vector or a newtype over these.
    pub(crate) fn expect_int(&mut self, value: ExprId, what: &str) {
        let ty = self
            .infer
            .force_default(&self.program, self.program.exprs[value].ty);
        if matches!(&*self.program.types.kind(ty), TyKind::Infer(_)) {
            let int = self.program.types.int;
            self.infer.unify(&self.program, ty, int);
            return;
        }
        let repr = self.program.types.kind(self.program.representation(ty));
        if !matches!(&*repr, TyKind::Int | TyKind::Bv(_) | TyKind::Error) {
            let shown = self.show(ty);
            let tok = self.program.exprs[value].tok;
            self.error(tok, format!("{what} (got {shown})"));
        }
    }

    fn index(&mut self, id: ast::ExprId, base: ast::ExprId, indices: &[ast::ExprId]) -> ExprId {
        let tok = self.ast.exprs[id].tok;
        let value = self.expr(base);
        let head = self
            .infer
            .force(&self.program, self.program.exprs[value].ty);
        let repr = self.program.representation(head);
        let kind = self.program.types.kind(repr);
        if let TyKind::Array { dims, elem, .. } = &*kind {
            return self.array_index(id, value, *dims, *elem, indices);
        }
        let [index] = indices else {
            let shown = self.show(head);
            let message = format!(
                "array selection requires an array{} (got {shown})",
                indices.len()
            );
            self.error(tok, message);
            return self.error_expr(id);
        };
        let index_value = self.expr(*index);
        let index_ty = self.program.exprs[index_value].ty;
        let ty = match &*kind {
            TyKind::Seq(elem) => {
                self.expect_int(
                    index_value,
                    "sequence index must have an integer or bitvector type",
                );
                *elem
            }
            TyKind::Map { key, value, .. } => {
                self.expect_key(
                    *key,
                    index_ty,
                    index_value,
                    "incorrect type for selection into map",
                );
                *value
            }
            TyKind::Multiset(elem) => {
                self.expect_key(
                    *elem,
                    index_ty,
                    index_value,
                    "incorrect type for selection into multiset",
                );
                self.program.types.int
            }
            TyKind::Infer(_) => {
                // Nothing known yet: a sequence is the best guess.
                let elem = self.fresh();
                let seq = self.program.types.intern(TyKind::Seq(elem));
                self.infer.unify(&self.program, repr, seq);
                elem
            }
            TyKind::Error => self.program.types.error,
            _ => {
                let shown = self.show(head);
                self.error(
                    tok,
                    format!("element selection requires a sequence, array, multiset, or map (got {shown})"),
                );
                self.program.types.error
            }
        };
        self.push_expr(id, ExprKind::Index(value, index_value), ty)
    }

    fn expect_key(&mut self, want: Ty, found: Ty, value: ExprId, what: &str) {
        if !self.infer.assignable(&self.program, want, found) {
            let message = format!(
                "{what} (expected {}, got {})",
                self.show(want),
                self.show(found)
            );
            let tok = self.program.exprs[value].tok;
            self.error(tok, message);
        }
    }

    fn array_index(
        &mut self,
        id: ast::ExprId,
        array: ExprId,
        dims: u32,
        elem: Ty,
        indices: &[ast::ExprId],
    ) -> ExprId {
        if indices.len() != dims as usize {
            let tok = self.ast.exprs[id].tok;
            let shown = self.show(self.program.exprs[array].ty);
            self.error(
                tok,
                format!(
                    "array selection requires an array{} (got {shown})",
                    if indices.len() == 1 {
                        String::new()
                    } else {
                        indices.len().to_string()
                    }
                ),
            );
        }
        let mut values = Vec::new();
        for &index in indices {
            let value = self.expr(index);
            self.expect_int(
                value,
                "array selection requires integer- or bitvector-based numeric indices",
            );
            values.push(value);
        }
        self.push_expr(id, ExprKind::ArrayIndex(array, values), elem)
    }

    fn slice(
        &mut self,
        id: ast::ExprId,
        base: ast::ExprId,
        lo: Option<ast::ExprId>,
        hi: Option<ast::ExprId>,
    ) -> ExprId {
        let value = self.expr(base);
        let head = self
            .infer
            .force(&self.program, self.program.exprs[value].ty);
        let repr = self.program.representation(head);
        let ty = match &*self.program.types.kind(repr) {
            TyKind::Seq(_) => head,
            TyKind::Array { dims: 1, elem, .. } => {
                let elem = *elem;
                self.program.types.intern(TyKind::Seq(elem))
            }
            TyKind::Infer(_) => {
                let elem = self.fresh();
                let seq = self.program.types.intern(TyKind::Seq(elem));
                self.infer.unify(&self.program, repr, seq);
                seq
            }
            TyKind::Error => self.program.types.error,
            _ => {
                let shown = self.show(head);
                let tok = self.ast.exprs[id].tok;
                self.error(
                    tok,
                    format!(
                        "multi-selection of elements requires a sequence or array (got {shown})"
                    ),
                );
                self.program.types.error
            }
        };
        let bound = |r: &mut Self, e: ast::ExprId| {
            let value = r.expr(e);
            r.expect_int(
                value,
                "multi-element selection expression must have an integer or bitvector type",
            );
            value
        };
        let lo = lo.map(|e| bound(self, e));
        let hi = hi.map(|e| bound(self, e));
        self.push_expr(id, ExprKind::Slice(value, lo, hi), ty)
    }

    /// `s[a : b : c]`: a sequence of slices.
    fn multi_slice(
        &mut self,
        id: ast::ExprId,
        base: ast::ExprId,
        lengths: &[ast::ExprId],
        open: bool,
    ) -> ExprId {
        let int = self.program.types.int;
        let tok = self.ast.exprs[id].tok;
        let span = self.ast.exprs[id].span;
        let value = self.expr(base);
        let head = self
            .infer
            .force(&self.program, self.program.exprs[value].ty);
        let seq = match &*self.program.types.kind(head) {
            TyKind::Array { elem, .. } => self.program.types.intern(TyKind::Seq(*elem)),
            _ => head,
        };
        let mut from: Option<ExprId> = None;
        let mut pieces = Vec::new();
        for &length in lengths {
            let length = self.expr(length);
            self.expect_int(
                length,
                "multi-element selection expression must have an integer or bitvector type",
            );
            let to = match from {
                None => length,
                Some(from) => {
                    let kind = ExprKind::Binary(BinaryOp::Add, from, length);
                    self.push_expr_at(span, tok, kind, int)
                }
            };
            pieces.push(self.push_expr(id, ExprKind::Slice(value, from, Some(to)), seq));
            from = Some(to);
        }
        if open {
            pieces.push(self.push_expr(id, ExprKind::Slice(value, from, None), seq));
        }
        let ty = self.program.types.intern(TyKind::Seq(seq));
        self.push_expr(id, ExprKind::SeqDisplay(pieces), ty)
    }

    fn update(
        &mut self,
        id: ast::ExprId,
        base: ast::ExprId,
        index: ast::ExprId,
        value: ast::ExprId,
        wanted: Option<Ty>,
    ) -> ExprId {
        let collection = self.expr_hint(base, wanted);
        let mut head = self
            .infer
            .force(&self.program, self.program.exprs[collection].ty);
        // An update has the type of what is updated.
        if let (TyKind::Infer(_), Some(wanted)) = (&*self.program.types.kind(head), wanted) {
            let wanted = self.infer.shallow(&self.program, wanted);
            self.infer.unify(&self.program, head, wanted);
            head = self.infer.shallow(&self.program, head);
        }
        let repr = self.program.representation(head);
        let index_value = self.expr(index);
        let index_ty = self.program.exprs[index_value].ty;
        let int = self.program.types.int;
        let want = match &*self.program.types.kind(repr) {
            TyKind::Seq(elem) => {
                self.expect_int(
                    index_value,
                    "sequence update requires integer- or bitvector-based index",
                );
                *elem
            }
            TyKind::Map { key, value, .. } => {
                self.expect_key(
                    *key,
                    index_ty,
                    index_value,
                    "map update requires domain element to be of type",
                );
                *value
            }
            TyKind::Multiset(elem) => {
                self.expect_key(
                    *elem,
                    index_ty,
                    index_value,
                    "multiset update requires domain element to be of type",
                );
                int
            }
            TyKind::Error => self.program.types.error,
            _ => {
                let shown = self.show(head);
                let tok = self.ast.exprs[id].tok;
                self.error(
                    tok,
                    format!("update requires a sequence, map, or multiset (got {shown})"),
                );
                self.program.types.error
            }
        };
        let new = self.expr_hint(value, Some(want));
        let found = self.program.exprs[new].ty;
        if !self.infer.assignable(&self.program, want, found) {
            let message = format!(
                "update requires the value to have type {} (got {})",
                self.show(want),
                self.show(found)
            );
            let tok = self.ast.exprs[value].tok;
            self.error(tok, message);
        }
        self.push_expr(id, ExprKind::Update(collection, index_value, new), head)
    }

    fn datatype_update(
        &mut self,
        id: ast::ExprId,
        base: ast::ExprId,
        updates: &[(ast::Name, ast::ExprId)],
    ) -> ExprId {
        let value = self.expr(base);
        let tok = self.ast.exprs[base].tok;
        let head = self
            .infer
            .force(&self.program, self.program.exprs[value].ty);
        if head == self.program.types.error {
            return self.error_expr(id);
        }
        let (decl, args) = match &*self.program.types.kind(self.program.representation(head)) {
            TyKind::Named { decl, args, .. } if !self.program.ctors_of(*decl).is_empty() => {
                (*decl, args.clone())
            }
            _ => {
                let shown = self.show(head);
                self.error(tok, format!("datatype update expression requires a root expression of a datatype (got {shown})"));
                return self.error_expr(id);
            }
        };
        let params = self.program.decls[decl].params.clone();
        let mut ctors = self.program.ctors_of(decl).to_vec();
        let mut out = Vec::new();
        for &(name, new) in updates {
            let new_value = self.expr(new);
            let with_field = |r: &Self, c: crate::tree::CtorId| {
                let formals = r.program.ctors[c].formals.iter();
                formals
                    .copied()
                    .find(|&f| r.program.vars[f].name == name.sym)
            };
            let any = self
                .program
                .ctors_of(decl)
                .iter()
                .find_map(|&c| with_field(self, c));
            let Some(formal) = any else {
                let text = self.text(name.sym);
                let owner = self.text(self.program.decls[decl].name);
                self.error(
                    name.span,
                    format!("member '{text}' does not exist in datatype '{owner}'"),
                );
                continue;
            };
            let holders = self.program.ctors_of(decl).iter();
            let fields: Vec<_> = holders.filter_map(|&c| with_field(self, c)).collect();
            for field in fields {
                self.link_var(name, field);
            }
            ctors.retain(|&c| with_field(self, c).is_some());
            let want = self.instantiate_pre(self.program.vars[formal].ty, &params, &args);
            let found = self.program.exprs[new_value].ty;
            if !self.infer.assignable(&self.program, want, found) {
                let text = self.text(name.sym);
                let message = format!(
                    "type of datatype field '{text}' is {}, but its new value is of type {}",
                    self.show(want),
                    self.show(found)
                );
                self.error(name.span, message);
            }
            out.push((name.sym, new_value));
        }
        if ctors.is_empty() {
            self.error(
                tok,
                "updated datatype members must belong to the same constructor",
            );
        }
        let kind = ExprKind::DatatypeUpdate {
            value,
            ctors,
            updates: out,
        };
        self.push_expr(id, kind, head)
    }
}
