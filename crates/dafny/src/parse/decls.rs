//! Files, modules, imports, exports and type declarations.

use super::token::{Kw, P, Tok};
use super::{Ctx, PResult, ParsedFile, Parser};
use crate::ast::{
    Attr, Constrained, Ctor, Decl, Export, Import, Iterator, Modifiers, Module, Name, TypeDecl,
    TypeDeclKind, TypeId, TypeParam, Witness,
};
use crate::tree::Variance;
use stet_base::Span;

impl Parser<'_> {
    /// A whole file.
    pub(crate) fn file_decls(&mut self) -> ParsedFile {
        let mut includes = Vec::new();
        while self.is_kw(Kw::Include) {
            self.bump();
            let span = self.span();
            match self.literal() {
                Ok(crate::ast::ExprKind::Str(text)) => {
                    let path = text.into_iter().filter_map(char::from_u32).collect();
                    includes.push((path, span));
                }
                _ => break,
            }
        }
        let mut decls = Vec::new();
        while self.kind() != Tok::Eof {
            let before = self.at;
            if self.decl(&mut decls, true).is_err() {
                self.skip_decl(before);
            }
        }
        ParsedFile { decls, includes }
    }

    /// Skips to the next word that starts a declaration at the beginning of a line.
    fn skip_decl(&mut self, before: usize) {
        if self.at == before {
            self.bump();
        }
        while self.kind() != Tok::Eof {
            let starts = matches!(
                self.kind(),
                Tok::Kw(
                    Kw::Method
                        | Kw::Lemma
                        | Kw::Class
                        | Kw::Trait
                        | Kw::Datatype
                        | Kw::Codatatype
                        | Kw::Module
                        | Kw::Predicate
                        | Kw::Function
                        | Kw::Newtype
                        | Kw::Type
                        | Kw::Const
                        | Kw::Ghost
                        | Kw::Import
                        | Kw::Export
                        | Kw::Static
                        | Kw::Abstract
                        | Kw::Iterator
                        | Kw::Twostate
                )
            );
            let start = self.span().start as usize;
            let line_start = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
            if starts && line_start {
                return;
            }
            self.bump();
        }
    }

    fn modifiers(&mut self) -> Modifiers {
        let mut mods = Modifiers::default();
        loop {
            match self.kind() {
                Tok::Kw(Kw::Abstract) => self.set_modifier(&mut mods.is_abstract),
                Tok::Kw(Kw::Ghost) => self.set_modifier(&mut mods.ghost),
                Tok::Kw(Kw::Static) => self.set_modifier(&mut mods.is_static),
                Tok::Ident if self.is_word("opaque") => self.set_modifier(&mut mods.opaque),
                Tok::Ident if self.is_word("replaceable") => {
                    self.set_modifier(&mut mods.replaceable);
                }
                _ => return mods,
            }
        }
    }

    /// Members of modules have no receiver anyway.
    fn warn_static(&mut self, mods: &Modifiers, kind: Tok) {
        let what = match kind {
            Tok::Kw(Kw::Function | Kw::Predicate) => "functions",
            Tok::Kw(Kw::Const) => "const fields",
            _ => "methods",
        };
        if let Some(span) = mods.is_static {
            self.warning(
                span,
                format!("module-level {what} are always non-instance, so the 'static' keyword is not allowed here"),
            );
        }
    }

    /// One declaration of a module (or, without `top`, a member of a type is read by `member`).
    fn decl(&mut self, decls: &mut Vec<Decl>, top: bool) -> PResult<()> {
        self.nested(|p| {
            let at_attrs = p.at_attributes()?;
            let start = p.span();
            let mods = p.modifiers();
            let decl = match p.kind() {
                Tok::Kw(Kw::Module) => Decl::Module(Box::new(p.module(mods, at_attrs)?)),
                Tok::Kw(Kw::Import) => Decl::Import(p.import()?),
                Tok::Kw(Kw::Export) => Decl::Export(p.export()?),
                Tok::Kw(
                    Kw::Class
                    | Kw::Trait
                    | Kw::Datatype
                    | Kw::Codatatype
                    | Kw::Newtype
                    | Kw::Type
                    | Kw::Iterator,
                ) => Decl::Type(Box::new(p.type_decl(mods, at_attrs, start)?)),
                Tok::Kw(Kw::Include) if top => {
                    return p.error("include directives must come before all declarations");
                }
                kind => {
                    p.warn_static(&mods, kind);
                    let mut members = Vec::new();
                    p.member(mods, at_attrs, start, &mut members, true)?;
                    decls.extend(members.into_iter().map(|m| Decl::Member(Box::new(m))));
                    return Ok(());
                }
            };
            decls.push(decl);
            Ok(())
        })
    }

    fn dotted(&mut self) -> PResult<Vec<Name>> {
        let mut path = vec![self.ident()?];
        while self.is(P::Dot) && self.peek(1) == Tok::Ident {
            self.bump();
            path.push(self.ident()?);
        }
        Ok(path)
    }

    fn module(&mut self, mods: Modifiers, at_attrs: Vec<Attr>) -> PResult<Module> {
        let start = self.bump();
        let mut attrs = self.attributes()?;
        attrs.extend(at_attrs);
        let path = self.dotted()?;
        for name in &path {
            if self.text_of(name.span).starts_with('_') {
                self.semantic_error(
                    name.span,
                    "cannot declare identifier beginning with underscore",
                );
            }
        }
        let mut refines = None;
        let mut replaces = false;
        if self.eat_kw(Kw::Refines) {
            refines = Some(self.dotted()?);
        } else if self.is_word("replaces") {
            self.bump();
            replaces = true;
            refines = Some(self.dotted()?);
        }
        self.expect(P::LBrace)?;
        let mut decls = Vec::new();
        let outer = (self.old_syntax, self.old_on_purpose);
        self.function_syntax(&attrs);
        while !self.is(P::RBrace) && self.kind() != Tok::Eof {
            self.decl(&mut decls, false)?;
        }
        (self.old_syntax, self.old_on_purpose) = outer;
        self.expect(P::RBrace)?;
        Ok(Module {
            path,
            is_abstract: mods.is_abstract.is_some(),
            replaceable: mods.replaceable.is_some(),
            refines,
            replaces,
            attrs,
            decls,
            span: self.since(start),
            verify: self.verify,
        })
    }

    /// `{:options "/functionSyntax:3"}`: what `function` means in a module; the last attribute decides.
    fn function_syntax(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            if self.text_of(attr.name.span) != "options" {
                continue;
            }
            for &arg in &attr.args {
                let text = self.text_of(self.ast.exprs[arg].span);
                for (ending, is_old) in [(":3\"", true), (":4\"", false)] {
                    if text.contains("unctionSyntax") && text.ends_with(ending) {
                        self.old_syntax = is_old;
                        self.old_on_purpose = is_old;
                    }
                }
            }
        }
    }

    fn import(&mut self) -> PResult<Import> {
        let keyword = self.bump();
        let opened = self.eat_kw(Kw::Opened);
        let first = self.ident()?;
        let mut path = vec![first];
        let mut is_abstract = false;
        let mut explicit_name = false;
        let mut name = first;
        if self.is(P::Assign1) || self.is(P::Colon) {
            is_abstract = self.is(P::Colon);
            self.bump();
            explicit_name = true;
            path = self.dotted()?;
        } else {
            while self.is(P::Dot) && self.peek(1) == Tok::Ident {
                self.bump();
                name = self.ident()?;
                path.push(name);
            }
        }
        let exports = self.export_choice()?;
        if self.is(P::Semi) {
            self.old_semicolon();
        }
        Ok(Import {
            opened,
            name,
            path,
            is_abstract,
            exports,
            explicit_name,
            span: if explicit_name { name.span } else { keyword },
        })
    }

    /// `` `A`` or `` `{A, B}``
    fn export_choice(&mut self) -> PResult<Vec<Name>> {
        if !self.eat(P::Backtick) {
            return Ok(Vec::new());
        }
        if !self.eat(P::LBrace) {
            return Ok(vec![self.ident()?]);
        }
        let mut names = vec![self.ident()?];
        while self.eat(P::Comma) {
            names.push(self.ident()?);
        }
        self.expect(P::RBrace)?;
        Ok(names)
    }

    fn export(&mut self) -> PResult<Export> {
        let span = self.bump();
        let name = if self.kind() == Tok::Ident {
            Some(self.ident()?)
        } else {
            None
        };
        let mut export = Export {
            name,
            span,
            extends: Vec::new(),
            provides: Vec::new(),
            reveals: Vec::new(),
            provides_all: false,
            reveals_all: false,
        };
        loop {
            if self.eat_kw(Kw::Extends) {
                export.extends.push(self.ident()?);
                while self.eat(P::Comma) {
                    export.extends.push(self.ident()?);
                }
            } else if self.is_kw(Kw::Provides) || self.is_kw(Kw::Reveals) {
                let provides = self.is_kw(Kw::Provides);
                self.bump();
                if self.eat(P::Star) {
                    if provides {
                        export.provides_all = true;
                    } else {
                        export.reveals_all = true;
                    }
                    continue;
                }
                loop {
                    let path = self.dotted()?;
                    if provides {
                        export.provides.push(path);
                    } else {
                        export.reveals.push(path);
                    }
                    if !self.eat(P::Comma) {
                        break;
                    }
                }
            } else {
                break;
            }
        }
        if self.is(P::Semi) {
            self.old_semicolon();
        }
        Ok(export)
    }

    fn type_decl(
        &mut self,
        mods: Modifiers,
        at_attrs: Vec<Attr>,
        start: Span,
    ) -> PResult<TypeDecl> {
        let Tok::Kw(keyword) = self.kind() else {
            return self.error("invalid TopDecl");
        };
        self.bump();
        let mut attrs = self.attributes()?;
        attrs.extend(at_attrs);
        let name = self.declared_ident()?;
        let mut decl = TypeDecl {
            name,
            mods,
            attrs,
            params: Vec::new(),
            parents: Vec::new(),
            kind: TypeDeclKind::Class,
            members: Vec::new(),
            refining: false,
            promised: None,
            span: start,
            verify: self.verify,
        };
        match keyword {
            Kw::Class | Kw::Trait => self.class_decl(&mut decl, keyword)?,
            Kw::Datatype | Kw::Codatatype => self.datatype_decl(&mut decl, keyword)?,
            Kw::Newtype => self.newtype_decl(&mut decl)?,
            Kw::Iterator => self.iterator_decl(&mut decl)?,
            _ => self.synonym_decl(&mut decl)?,
        }
        decl.span = self.since(start);
        Ok(decl)
    }

    fn class_decl(&mut self, decl: &mut TypeDecl, keyword: Kw) -> PResult<()> {
        if keyword == Kw::Trait {
            decl.kind = TypeDeclKind::Trait;
        }
        decl.params = self.type_params(keyword == Kw::Trait)?;
        if self.eat_kw(Kw::Extends) {
            decl.parents = self.parent_list()?;
        }
        decl.refining = self.eat(P::Ellipsis);
        self.expect(P::LBrace)?;
        self.member_list(decl)
    }

    fn parent_list(&mut self) -> PResult<Vec<TypeId>> {
        let mut parents = vec![self.type_()?];
        while self.eat(P::Comma) {
            parents.push(self.type_()?);
        }
        Ok(parents)
    }

    /// Members up to the closing brace, which is consumed.
    fn member_list(&mut self, decl: &mut TypeDecl) -> PResult<()> {
        while !self.is(P::RBrace) && self.kind() != Tok::Eof {
            let at_attrs = self.at_attributes()?;
            let start = self.span();
            let mods = self.modifiers();
            let mut members = Vec::new();
            self.member(mods, at_attrs, start, &mut members, false)?;
            decl.members.extend(members);
        }
        self.expect(P::RBrace)?;
        Ok(())
    }

    fn optional_members(&mut self, decl: &mut TypeDecl) -> PResult<()> {
        if self.eat(P::LBrace) {
            self.member_list(decl)?;
        }
        Ok(())
    }

    fn datatype_decl(&mut self, decl: &mut TypeDecl, keyword: Kw) -> PResult<()> {
        let co = keyword == Kw::Codatatype;
        decl.params = self.type_params(true)?;
        if self.eat_kw(Kw::Extends) {
            decl.parents = self.parent_list()?;
        }
        let mut ctors = Vec::new();
        if self.eat(P::Ellipsis) {
            decl.refining = true;
        } else {
            self.expect(P::Assign1)?;
            self.eat(P::Bar);
            loop {
                ctors.push(self.ctor()?);
                if !self.eat(P::Bar) {
                    break;
                }
            }
            if self.is(P::Semi) {
                self.old_semicolon();
            }
        }
        decl.kind = TypeDeclKind::Datatype { co, ctors };
        self.optional_members(decl)
    }

    fn ctor(&mut self) -> PResult<Ctor> {
        let attrs = self.attributes()?;
        let ghost = self.eat_kw(Kw::Ghost);
        let mut attrs2 = self.attributes()?;
        attrs2.extend(attrs);
        let name = self.declared_ident()?;
        let formals = if self.is(P::LParen) {
            self.formals(super::members::FormalKind::Ctor)?
        } else {
            Vec::new()
        };
        Ok(Ctor {
            name,
            ghost,
            formals,
            attrs: attrs2,
        })
    }

    fn newtype_decl(&mut self, decl: &mut TypeDecl) -> PResult<()> {
        decl.params = self.type_params(true)?;
        if self.eat_kw(Kw::Extends) {
            decl.parents = self.parent_list()?;
        }
        if self.is(P::Ellipsis) {
            self.bump();
            decl.refining = true;
            decl.kind = TypeDeclKind::Newtype(Constrained {
                var: None,
                base: None,
                constraint: None,
                witness: Witness::None,
            });
            return self.optional_members(decl);
        }
        self.expect(P::Assign1)?;
        let bound = self.kind() == Tok::Ident && matches!(self.peek(1), Tok::P(P::Colon | P::Bar));
        let constrained = if bound {
            self.constrained()?
        } else {
            Constrained {
                var: None,
                base: Some(self.type_()?),
                constraint: None,
                witness: self.witness()?,
            }
        };
        decl.kind = TypeDeclKind::Newtype(constrained);
        self.optional_members(decl)
    }

    fn constrained(&mut self) -> PResult<Constrained> {
        let name = self.wild_ident()?;
        let base = self.optional_type()?;
        self.expect(P::Bar)?;
        let constraint = self.expr(Ctx::NO_LEMMA)?;
        Ok(Constrained {
            var: Some((name, base)),
            base,
            constraint: Some(constraint),
            witness: self.witness()?,
        })
    }

    fn witness(&mut self) -> PResult<Witness> {
        if self.is_kw(Kw::Ghost) && self.peek(1) == Tok::Kw(Kw::Witness) {
            self.bump();
            self.bump();
            return Ok(Witness::Ghost(self.expr(Ctx::NO_LEMMA)?));
        }
        if !self.eat_kw(Kw::Witness) {
            return Ok(Witness::None);
        }
        if self.eat(P::Star) {
            return Ok(Witness::Star);
        }
        Ok(Witness::Compiled(self.expr(Ctx::NO_LEMMA)?))
    }

    /// `type T = …`, `type T = x: U | …`, `type T(==)`.
    fn synonym_decl(&mut self, decl: &mut TypeDecl) -> PResult<()> {
        let mut own = TypeParam {
            name: decl.name,
            variance: None,
            equality: false,
            auto_init: false,
            nonempty: false,
            no_references: false,
            bounds: Vec::new(),
        };
        self.characteristics(&mut own)?;
        decl.params = self.type_params(true)?;
        if self.eat_kw(Kw::Extends) {
            decl.parents = self.parent_list()?;
        }
        if self.eat(P::Assign1) {
            let bound = self.kind() == Tok::Ident
                && (self.peek(1) == Tok::P(P::Bar)
                    || (self.peek(1) == Tok::P(P::Colon) && self.peek(2) != Tok::P(P::Colon)));
            decl.promised = Some(own);
            decl.kind = if bound {
                TypeDeclKind::Subset(self.constrained()?)
            } else {
                TypeDeclKind::Synonym(self.type_()?)
            };
        } else {
            decl.refining = self.eat(P::Ellipsis);
            decl.kind = TypeDeclKind::Abstract(own);
            self.optional_members(decl)?;
        }
        if self.is(P::Semi) {
            self.old_semicolon();
        }
        Ok(())
    }

    fn iterator_decl(&mut self, decl: &mut TypeDecl) -> PResult<()> {
        decl.params = self.type_params(false)?;
        let mut ins = Vec::new();
        let mut outs = Vec::new();
        if self.eat(P::Ellipsis) {
            decl.refining = true;
        } else {
            ins = self.formals(super::members::FormalKind::Method)?;
            if self.eat_kw(Kw::Yields) || self.eat_kw(Kw::Returns) {
                outs = self.formals(super::members::FormalKind::Out)?;
            }
        }
        let spec = self.spec()?;
        let body = if self.is(P::LBrace) {
            Some(self.block()?)
        } else {
            None
        };
        decl.kind = TypeDeclKind::Iterator(Box::new(Iterator {
            ins,
            outs,
            spec,
            body,
        }));
        Ok(())
    }

    /// `<+T(==), …>`
    pub(crate) fn type_params(&mut self, variance: bool) -> PResult<Vec<TypeParam>> {
        let mut params = Vec::new();
        if !self.eat(P::Lt) {
            return Ok(params);
        }
        loop {
            let sign = match self.kind() {
                Tok::P(P::Plus) => Some(Variance::Covariant),
                Tok::P(P::Star) => Some(Variance::CovariantPermissive),
                Tok::P(P::Minus) => Some(Variance::Contravariant),
                Tok::P(P::Not) => Some(Variance::InvariantPermissive),
                _ => None,
            };
            if sign.is_some() {
                let span = self.bump();
                if !variance {
                    self.semantic_error(
                        span,
                        "type-parameter variance is not allowed to be specified in this context",
                    );
                }
            }
            let name = self.declared_ident()?;
            let mut param = TypeParam {
                name,
                variance: sign,
                equality: false,
                auto_init: false,
                nonempty: false,
                no_references: false,
                bounds: Vec::new(),
            };
            self.characteristics(&mut param)?;
            while self.eat_kw(Kw::Extends) {
                param.bounds.push(self.type_()?);
            }
            params.push(param);
            if !self.eat(P::Comma) {
                break;
            }
        }
        self.expect(P::Gt)?;
        Ok(params)
    }

    /// `(==)`, `(0)`, `(00)`, `(!new)`, also `(==, 0)`.
    fn characteristics(&mut self, param: &mut TypeParam) -> PResult<()> {
        while self.is(P::LParen) {
            self.bump();
            loop {
                match self.kind() {
                    Tok::P(P::EqEq) => {
                        param.equality = true;
                        self.bump();
                    }
                    Tok::Int if self.text_of(self.span()) == "0" => {
                        param.auto_init = true;
                        param.nonempty = true;
                        self.bump();
                    }
                    Tok::Int if self.text_of(self.span()) == "00" => {
                        param.nonempty = true;
                        self.bump();
                    }
                    Tok::P(P::Not) if self.peek(1) == Tok::Kw(Kw::New) => {
                        param.no_references = true;
                        self.bump();
                        self.bump();
                    }
                    _ => return self.error("invalid TPCharOption"),
                }
                if !self.eat(P::Comma) {
                    break;
                }
            }
            self.expect(P::RParen)?;
        }
        Ok(())
    }
}
