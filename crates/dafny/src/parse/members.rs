//! Members: fields, constants, functions, methods, and their formal parameters.

use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, Parser};
use crate::ast::{
    Attr, ExtremeMark, Formal, Function, Member, MemberKind, Method, MethodKind, Modifiers, Name,
};
use crate::tree::Extremum;
use stet_base::Span;

/// Where formal parameters stand: decides which words they may carry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormalKind {
    Method,
    Function,
    Twostate,
    Out,
    Ctor,
}

/// What the keywords before the name say.
struct Head {
    twostate: bool,
    extreme: Option<Extremum>,
    ghost: bool,
    is_predicate: bool,
}

impl Parser<'_> {
    /// A member, or several (`var a, b: T`).
    pub(crate) fn member(
        &mut self,
        mods: Modifiers,
        at_attrs: Vec<Attr>,
        start: Span,
        out: &mut Vec<Member>,
        top: bool,
    ) -> PResult<()> {
        match self.kind() {
            Tok::Kw(Kw::Var) => self.fields(mods, start, out, top),
            Tok::Kw(Kw::Const) => self.constant_member(mods, at_attrs, start, out),
            Tok::Kw(Kw::Method | Kw::Constructor | Kw::Lemma) => {
                let keyword = self.kind();
                let kind = match keyword {
                    Tok::Kw(Kw::Constructor) => MethodKind::Constructor,
                    Tok::Kw(Kw::Lemma) => MethodKind::Lemma,
                    _ => MethodKind::Method,
                };
                self.bump();
                self.method(mods, at_attrs, start, out, kind, None)
            }
            _ => self.function_or_lemma(mods, at_attrs, start, out),
        }
    }

    fn function_or_lemma(
        &mut self,
        mods: Modifiers,
        at_attrs: Vec<Attr>,
        start: Span,
        out: &mut Vec<Member>,
    ) -> PResult<()> {
        let mut head = Head {
            twostate: false,
            extreme: None,
            ghost: mods.ghost.is_some(),
            is_predicate: false,
        };
        self.head_words(&mut head)?;
        match self.kind() {
            Tok::Kw(Kw::Lemma) => {
                self.bump();
                let kind = if head.twostate {
                    MethodKind::TwostateLemma
                } else {
                    MethodKind::Lemma
                };
                self.method(mods, at_attrs, start, out, kind, head.extreme)
            }
            Tok::Kw(Kw::Function | Kw::Predicate | Kw::Copredicate) => {
                head.is_predicate = !self.is_kw(Kw::Function);
                self.bump();
                self.function_keyword_tail(&mut head, start);
                self.function(mods, at_attrs, start, out, &head)
            }
            Tok::Ident if matches!(self.text_of(self.span()), "colemma" | "comethod") => {
                let span = self.bump();
                self.warning(span, "the old keyword 'colemma' has been renamed to the keyword phrase 'greatest lemma'");
                self.method(
                    mods,
                    at_attrs,
                    start,
                    out,
                    MethodKind::Lemma,
                    Some(Extremum::Greatest),
                )
            }
            _ => self.error("invalid ClassMemberDecl"),
        }
    }

    /// `twostate`, `least`, `greatest`, and the old `inductive`, `copredicate`.
    fn head_words(&mut self, head: &mut Head) -> PResult<()> {
        loop {
            if self.eat_kw(Kw::Twostate) {
                head.twostate = true;
            } else if self.is_word("least") {
                self.bump();
                head.extreme = Some(Extremum::Least);
            } else if self.is_word("greatest") {
                self.bump();
                head.extreme = Some(Extremum::Greatest);
            } else if self.is_kw(Kw::Inductive) {
                let span = self.bump();
                let word = if self.is_kw(Kw::Lemma) {
                    "lemma"
                } else {
                    "predicate"
                };
                self.warning(span, format!("the old keyword phrase 'inductive {word}' has been renamed to 'least {word}'"));
                head.extreme = Some(Extremum::Least);
            } else if self.is_kw(Kw::Copredicate) {
                let span = self.span();
                self.warning(span, "the old keyword 'copredicate' has been renamed to the keyword phrase 'greatest predicate'");
                head.extreme = Some(Extremum::Greatest);
                return Ok(());
            } else {
                return Ok(());
            }
        }
    }

    /// `method` after `function`, in the old syntax; decides ghostness.
    fn function_keyword_tail(&mut self, head: &mut Head, start: Span) {
        let word = if head.is_predicate {
            "predicate"
        } else {
            "function"
        };
        if self.is_kw(Kw::Method) {
            self.bump();
            if !self.old_on_purpose {
                self.warning(
                    start,
                    format!("the phrase '{word} method' is deprecated; to declare a compiled {word}, use just '{word}'"),
                );
            }
        } else if self.old_syntax {
            head.ghost = true;
        }
        if head.twostate || head.extreme.is_some() {
            head.ghost = true;
        }
    }

    fn fields(
        &mut self,
        mods: Modifiers,
        start: Span,
        out: &mut Vec<Member>,
        top: bool,
    ) -> PResult<()> {
        self.bump();
        if top {
            self.semantic_error(start, "fields are not allowed to be declared at the module level; instead, wrap the field in a 'class' declaration");
        }
        let attrs = self.attributes()?;
        loop {
            let name = self.field_name()?;
            let ty = if self.eat(P::Colon) {
                self.type_()?
            } else {
                self.semantic_error(name.span, "a mutable field must be declared with a type");
                self.ast.types.push(crate::ast::TypeExpr {
                    kind: crate::ast::TypeKind::Error,
                    span: name.span,
                })
            };
            if self.is(P::ColonEq) {
                let span = self.bump();
                self.semantic_error(span, "a mutable field may not have an initializer");
                self.expr(Ctx::NO_LEMMA)?;
            }
            out.push(Member {
                name,
                mods,
                attrs: attrs.clone(),
                kind: MemberKind::Field(ty),
                span: name.span,
                verify: self.verify,
            });
            if !self.eat(P::Comma) {
                break;
            }
        }
        if self.is(P::Semi) {
            self.old_semicolon();
        }
        Ok(())
    }

    /// Names of fields and constants may be numbers.
    fn field_name(&mut self) -> PResult<Name> {
        if self.kind() == Tok::Int {
            let span = self.bump();
            return Ok(self.name_of(span));
        }
        self.declared_ident()
    }

    fn constant_member(
        &mut self,
        mods: Modifiers,
        at_attrs: Vec<Attr>,
        start: Span,
        out: &mut Vec<Member>,
    ) -> PResult<()> {
        self.bump();
        let mut attrs = self.attributes()?;
        attrs.extend(at_attrs);
        let name = self.field_name()?;
        let ty = self.optional_type()?;
        let refining = self.eat(P::Ellipsis);
        let mut value = None;
        if self.eat(P::ColonEq) {
            value = Some(self.expr(Ctx::NO_LEMMA)?);
        } else if ty.is_none() && !refining {
            self.semantic_error(
                self.span(),
                "a const declaration must have a type or a RHS value",
            );
        }
        if self.is(P::Semi) {
            self.old_semicolon();
        }
        out.push(Member {
            name,
            mods,
            attrs,
            kind: MemberKind::Const(ty, value, refining),
            span: start,
            verify: self.verify,
        });
        Ok(())
    }

    fn extreme_mark(&mut self, extreme: Option<Extremum>) -> PResult<Option<ExtremeMark>> {
        let mut nat = false;
        if self.is(P::LBracket) {
            let span = self.bump();
            match self.kind() {
                Tok::Kw(Kw::Nat) => nat = true,
                Tok::Kw(Kw::Ordinal) => {}
                _ => return self.error("invalid KType"),
            }
            self.bump();
            self.expect(P::RBracket)?;
            if extreme.is_none() {
                self.semantic_error(
                    span,
                    "type of _k can only be specified for least and greatest predicates and lemmas",
                );
            }
        }
        Ok(extreme.map(|kind| ExtremeMark { kind, nat }))
    }

    fn function(
        &mut self,
        mut mods: Modifiers,
        at_attrs: Vec<Attr>,
        start: Span,
        out: &mut Vec<Member>,
        head: &Head,
    ) -> PResult<()> {
        let mut attrs = self.attributes()?;
        attrs.extend(at_attrs);
        let name = self.declared_ident()?;
        if let Some(span) = mods.is_abstract {
            let word = if head.is_predicate {
                "predicate"
            } else {
                "function"
            };
            self.semantic_error(span, format!("a {word} cannot be declared 'abstract'"));
        }
        let mut function = Function {
            is_predicate: head.is_predicate,
            twostate: head.twostate,
            extreme: None,
            params: Vec::new(),
            ins: Vec::new(),
            result_name: None,
            result: None,
            spec: crate::ast::Spec::default(),
            body: None,
            by_method: None,
            refining: false,
        };
        if self.eat(P::Ellipsis) {
            function.refining = true;
            function.extreme = head.extreme.map(|kind| ExtremeMark { kind, nat: false });
        } else {
            self.function_signature(&mut function, head)?;
        }
        function.spec = self.spec()?;
        if self.is(P::LBrace) {
            self.bump();
            function.body = Some(self.function_body()?);
            self.expect(P::RBrace)?;
            if self.is_kw(Kw::By) && self.peek(1) == Tok::Kw(Kw::Method) {
                self.bump();
                self.bump();
                function.by_method = Some(self.block()?);
            }
        }
        if head.ghost && mods.ghost.is_none() {
            mods.ghost = Some(start);
        }
        let span = self.since(start);
        out.push(Member {
            name,
            mods,
            attrs,
            kind: MemberKind::Function(Box::new(function)),
            span,
            verify: self.verify,
        });
        Ok(())
    }

    fn function_body(&mut self) -> PResult<crate::ast::ExprId> {
        self.expr(Ctx::FULL)
    }

    fn function_signature(&mut self, function: &mut Function, head: &Head) -> PResult<()> {
        function.params = self.type_params(false)?;
        function.extreme = self.extreme_mark(head.extreme)?;
        if self.is(P::LParen) {
            let kind = if head.twostate {
                FormalKind::Twostate
            } else {
                FormalKind::Function
            };
            function.ins = self.formals(kind)?;
        } else if head.is_predicate {
            let span = self.span();
            self.warning(span, "with the early draft of the language, parameterless predicates needed no parentheses; write ()");
        } else {
            return self.error("openparen expected");
        }
        if self.eat(P::Colon) {
            let named = self.is(P::LParen)
                && self.peek(1) == Tok::Ident
                && self.peek(2) == Tok::P(P::Colon);
            if named {
                self.bump();
                function.result_name = Some(self.declared_ident()?);
                self.bump();
                function.result = Some(self.type_()?);
                self.expect(P::RParen)?;
            } else {
                let start = self.span();
                function.result = Some(self.type_()?);
                if head.is_predicate && head.extreme.is_none() {
                    let _ = start;
                }
            }
        } else if !head.is_predicate {
            return self.error("invalid FunctionDecl");
        }
        Ok(())
    }

    fn method(
        &mut self,
        mods: Modifiers,
        at_attrs: Vec<Attr>,
        start: Span,
        out: &mut Vec<Member>,
        kind: MethodKind,
        extreme: Option<Extremum>,
    ) -> PResult<()> {
        let keyword = self.previous();
        let mut attrs = self.attributes()?;
        attrs.extend(at_attrs);
        let constructor = kind == MethodKind::Constructor;
        let name = if constructor && self.kind() != Tok::Ident {
            Name {
                sym: self.names.intern("_ctor"),
                span: keyword,
            }
        } else {
            self.declared_ident()?
        };
        let mut method = Method {
            kind,
            extreme: extreme.map(|kind| ExtremeMark { kind, nat: false }),
            params: Vec::new(),
            ins: Vec::new(),
            outs: Vec::new(),
            spec: crate::ast::Spec::default(),
            body: None,
            after_new: None,
            refining: false,
            has_signature: true,
        };
        if self.eat(P::Ellipsis) {
            method.refining = true;
            method.has_signature = false;
        } else {
            method.params = self.type_params(false)?;
            if extreme.is_some() {
                method.extreme = self.extreme_mark(extreme)?;
            }
            let formal_kind = if kind == MethodKind::TwostateLemma {
                FormalKind::Twostate
            } else {
                FormalKind::Method
            };
            method.ins = self.formals(formal_kind)?;
            if self.is_kw(Kw::Returns) {
                let span = self.bump();
                if constructor {
                    self.semantic_error(span, "constructors cannot have out-parameters");
                }
                method.outs = self.formals(FormalKind::Out)?;
            }
        }
        method.spec = self.spec()?;
        if self.is(P::LBrace) {
            self.method_body(&mut method, constructor)?;
        }
        let span = self.since(start);
        out.push(Member {
            name,
            mods,
            attrs,
            kind: MemberKind::Method(Box::new(method)),
            span,
            verify: self.verify,
        });
        Ok(())
    }

    fn method_body(&mut self, method: &mut Method, constructor: bool) -> PResult<()> {
        if !constructor {
            method.body = Some(self.block()?);
            return Ok(());
        }
        let start = self.expect(P::LBrace)?;
        let first = self.statements_until_brace()?;
        method.body = Some(self.push_stmt(start, start, crate::ast::StmtKind::Block(first)));
        if self.is_kw(Kw::New) && self.peek(1) == Tok::P(P::Semi) {
            let tok = self.bump();
            self.bump();
            let second = self.statements_until_brace()?;
            method.after_new = Some(self.push_stmt(tok, tok, crate::ast::StmtKind::Block(second)));
        }
        let close = self.expect(P::RBrace)?;
        if let Some(last) = method.after_new.or(method.body) {
            self.ast.stmts[last].span.end = close.end;
        }
        Ok(())
    }

    /// `( formals )`
    pub(crate) fn formals(&mut self, kind: FormalKind) -> PResult<Vec<Formal>> {
        self.expect(P::LParen)?;
        let mut formals = Vec::new();
        if !self.is(P::RParen) {
            loop {
                formals.push(self.formal(kind)?);
                if !self.eat(P::Comma) {
                    break;
                }
            }
        }
        self.expect(P::RParen)?;
        Ok(formals)
    }

    fn formal(&mut self, kind: FormalKind) -> PResult<Formal> {
        let attrs = self.attributes()?;
        let start = self.span();
        let mut formal = Formal {
            name: None,
            ty: <crate::ast::TypeId as stet_base::Index>::from_index(0),
            ghost: false,
            is_new: false,
            is_older: false,
            nameonly: false,
            default: None,
            attrs,
            span: start,
        };
        self.formal_words(&mut formal);
        let anonymous_allowed = kind == FormalKind::Ctor;
        let named =
            matches!(self.kind(), Tok::Ident | Tok::Int) && self.peek(1) == Tok::P(P::Colon);
        if named {
            let span = self.span();
            let name = if self.kind() == Tok::Int {
                self.bump();
                self.name_of(span)
            } else {
                self.declared_ident()?
            };
            self.bump();
            formal.name = Some(name);
            formal.span = name.span;
        } else if !anonymous_allowed {
            self.ident()?;
            return self.error("colon expected");
        }
        formal.ty = self.type_()?;
        if self.is(P::ColonEq) {
            let span = self.bump();
            let value = self.expr(Ctx::FULL)?;
            if kind == FormalKind::Out {
                self.semantic_error(span, "out-parameters cannot have default-value expressions");
            } else {
                formal.default = Some(value);
            }
        }
        Ok(formal)
    }

    fn formal_words(&mut self, formal: &mut Formal) {
        loop {
            match self.kind() {
                Tok::Kw(Kw::Ghost) => formal.ghost = true,
                Tok::Kw(Kw::New) => formal.is_new = true,
                Tok::Ident if self.is_word("nameonly") && self.peek(1) != Tok::P(P::Colon) => {
                    formal.nameonly = true;
                }
                Tok::Ident if self.is_word("older") && self.peek(1) != Tok::P(P::Colon) => {
                    formal.is_older = true;
                }
                _ => return,
            }
            self.bump();
        }
    }
}
