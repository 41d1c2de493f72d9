//! Types.

use super::token::{Kw, P, Tok};
use super::{PResult, Parser};
use crate::ast::{Coll, Seg, TypeExpr, TypeId, TypeKind};
use crate::tree::ArrowKind;
use stet_base::Span;

impl Parser<'_> {
    /// A type, arrows included.
    pub(crate) fn type_(&mut self) -> PResult<TypeId> {
        self.nested(Self::type_inner)
    }

    fn type_inner(&mut self) -> PResult<TypeId> {
        let start = self.span();
        let first = self.type_atom()?;
        let kind = match self.kind() {
            Tok::P(P::Arrow) => ArrowKind::Total,
            Tok::P(P::LongDash) => ArrowKind::Partial,
            Tok::P(P::LongTilde) => ArrowKind::General,
            _ => return Ok(first),
        };
        self.bump();
        let result = self.type_()?;
        let params = match &self.ast.types[first].kind {
            TypeKind::Tuple(items) => items.iter().map(|&(ty, _)| ty).collect(),
            _ => vec![first],
        };
        Ok(self.push_type(start, TypeKind::Arrow(kind, params, result)))
    }

    fn push_type(&mut self, start: Span, kind: TypeKind) -> TypeId {
        let span = self.since(start);
        self.ast.types.push(TypeExpr { kind, span })
    }

    fn type_atom(&mut self) -> PResult<TypeId> {
        let start = self.span();
        let simple = match self.kind() {
            Tok::Kw(Kw::Bool) => TypeKind::Bool,
            Tok::Kw(Kw::Char) => TypeKind::Char,
            Tok::Kw(Kw::IntT) => TypeKind::Int,
            Tok::Kw(Kw::Nat) => TypeKind::Nat,
            Tok::Kw(Kw::RealT) => TypeKind::Real,
            Tok::Kw(Kw::Ordinal) => TypeKind::Ordinal,
            Tok::Kw(Kw::StringT) => TypeKind::Str,
            Tok::Kw(Kw::Object) => TypeKind::Object(false),
            Tok::Kw(Kw::ObjectQ) => TypeKind::Object(true),
            Tok::P(P::LParen) => return self.tuple_type(start),
            Tok::Ident => return self.named_type(start),
            _ => return self.collection_type(start),
        };
        self.bump();
        Ok(self.push_type(start, simple))
    }

    fn collection_type(&mut self, start: Span) -> PResult<TypeId> {
        let coll = match self.kind() {
            Tok::Kw(Kw::Set) => Coll::Set,
            Tok::Kw(Kw::Iset) => Coll::Iset,
            Tok::Kw(Kw::Multiset) => Coll::Multiset,
            Tok::Kw(Kw::Seq) => Coll::Seq,
            Tok::Kw(Kw::Map) => Coll::Map,
            Tok::Kw(Kw::Imap) => Coll::Imap,
            _ => return self.error("invalid TypeAndToken"),
        };
        self.bump();
        let args = self.optional_type_args()?;
        if let Some(args) = &args {
            let want = if matches!(coll, Coll::Map | Coll::Imap) {
                2
            } else {
                1
            };
            if args.len() != want {
                let word = self.text_of(start);
                let plural = if want == 1 { "argument" } else { "arguments" };
                self.semantic_error(start, format!("{word} type expects {want} type {plural}"));
            }
        }
        Ok(self.push_type(start, TypeKind::Coll(coll, args)))
    }

    fn tuple_type(&mut self, start: Span) -> PResult<TypeId> {
        self.bump();
        let mut items = Vec::new();
        if !self.is(P::RParen) {
            loop {
                let ghost = self.eat_kw(Kw::Ghost);
                items.push((self.type_()?, ghost));
                if !self.eat(P::Comma) {
                    break;
                }
            }
        }
        self.expect(P::RParen)?;
        if let [(only, false)] = items[..] {
            return Ok(only);
        }
        Ok(self.push_type(start, TypeKind::Tuple(items)))
    }

    fn named_type(&mut self, start: Span) -> PResult<TypeId> {
        let text = self.text_of(start);
        if let Some(kind) = built_in_word(text) {
            let next_dot = self.peek(1) == Tok::P(P::Dot);
            if !next_dot {
                return self.built_in_type(start, kind);
            }
        }
        let mut path = Vec::new();
        loop {
            let name = self.ident()?;
            let args = self.optional_type_args()?;
            path.push(Seg { name, args });
            if !(self.is(P::Dot) && self.peek(1) == Tok::Ident) {
                break;
            }
            self.bump();
        }
        Ok(self.push_type(start, TypeKind::Path(path)))
    }

    fn built_in_type(&mut self, start: Span, word: BuiltIn) -> PResult<TypeId> {
        let name = self.ident()?;
        let kind = match word {
            BuiltIn::Bv(width) => TypeKind::Bv(width),
            BuiltIn::Float => TypeKind::Float(name.sym),
            BuiltIn::Array(dims, nullable) => TypeKind::Array {
                dims,
                nullable,
                args: self.optional_type_args()?,
            },
        };
        Ok(self.push_type(start, kind))
    }

    pub(crate) fn optional_type_args(&mut self) -> PResult<Option<Vec<TypeId>>> {
        if !self.is(P::Lt) {
            return Ok(None);
        }
        self.bump();
        let mut args = vec![self.type_()?];
        while self.eat(P::Comma) {
            args.push(self.type_()?);
        }
        self.expect(P::Gt)?;
        Ok(Some(args))
    }

    /// Whether a list of type arguments starts here, in an expression: by the token after its `>`.
    pub(crate) fn is_generic_instantiation(&self) -> bool {
        let Some(after) = self.skip_type_list(self.at, 0) else {
            return false;
        };
        matches!(
            self.token_at(after).kind,
            Tok::P(
                P::Dot
                    | P::LParen
                    | P::RParen
                    | P::RBracket
                    | P::RBrace
                    | P::LBrace
                    | P::Comma
                    | P::Semi
                    | P::Colon
                    | P::EqEq
                    | P::NotEq
                    | P::At
                    | P::Hash
                    | P::ColonEq
                    | P::Bar
                    | P::AndAnd
                    | P::OrOr
                    | P::ImpA
                    | P::ColonColon
                    | P::FatArrow
                    | P::DotDot
            ) | Tok::Kw(Kw::In | Kw::Then | Kw::Else | Kw::Case | Kw::Is | Kw::As | Kw::By)
                | Tok::Eof
        )
    }

    /// The token index after `< types >`, if such a list starts at `at`.
    fn skip_type_list(&self, at: usize, depth: u32) -> Option<usize> {
        if self.token_at(at).kind != Tok::P(P::Lt) || depth > 50 {
            return None;
        }
        let mut at = at + 1;
        loop {
            at = self.skip_type(at, depth + 1)?;
            match self.token_at(at).kind {
                Tok::P(P::Comma) => at += 1,
                Tok::P(P::Gt) => return Some(at + 1),
                _ => return None,
            }
        }
    }

    fn skip_type(&self, at: usize, depth: u32) -> Option<usize> {
        if depth > 50 {
            return None;
        }
        let mut at = match self.token_at(at).kind {
            Tok::Kw(
                Kw::Bool
                | Kw::Char
                | Kw::IntT
                | Kw::Nat
                | Kw::RealT
                | Kw::Ordinal
                | Kw::StringT
                | Kw::Object
                | Kw::ObjectQ,
            ) => at + 1,
            Tok::Kw(Kw::Set | Kw::Iset | Kw::Multiset | Kw::Seq | Kw::Map | Kw::Imap) => {
                self.skip_optional_list(at + 1, depth)?
            }
            Tok::Ident => self.skip_path(at, depth)?,
            Tok::P(P::LParen) => self.skip_tuple(at + 1, depth)?,
            _ => return None,
        };
        while let Tok::P(P::Arrow | P::LongDash | P::LongTilde) = self.token_at(at).kind {
            at = self.skip_type(at + 1, depth + 1)?;
        }
        Some(at)
    }

    fn skip_optional_list(&self, at: usize, depth: u32) -> Option<usize> {
        if self.token_at(at).kind == Tok::P(P::Lt) {
            self.skip_type_list(at, depth)
        } else {
            Some(at)
        }
    }

    fn skip_path(&self, mut at: usize, depth: u32) -> Option<usize> {
        loop {
            at = self.skip_optional_list(at + 1, depth)?;
            let dot = self.token_at(at).kind == Tok::P(P::Dot);
            if !(dot && self.token_at(at + 1).kind == Tok::Ident) {
                return Some(at);
            }
            at += 1;
        }
    }

    fn skip_tuple(&self, mut at: usize, depth: u32) -> Option<usize> {
        if self.token_at(at).kind == Tok::P(P::RParen) {
            return Some(at + 1);
        }
        loop {
            if self.token_at(at).kind == Tok::Kw(Kw::Ghost) {
                at += 1;
            }
            at = self.skip_type(at, depth + 1)?;
            match self.token_at(at).kind {
                Tok::P(P::Comma) => at += 1,
                Tok::P(P::RParen) => return Some(at + 1),
                _ => return None,
            }
        }
    }
}

enum BuiltIn {
    Bv(u32),
    Float,
    /// Dimensions, nullable.
    Array(u32, bool),
}

/// `array`, `array3?`, `bv8`: identifiers that name built-in types.
fn built_in_word(text: &str) -> Option<BuiltIn> {
    if let Some(digits) = text.strip_prefix("bv") {
        return number_suffix(digits).map(BuiltIn::Bv);
    }
    if matches!(text, "fp32" | "fp64") {
        return Some(BuiltIn::Float);
    }
    let rest = text.strip_prefix("array")?;
    let (rest, nullable) = match rest.strip_suffix('?') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    if rest.is_empty() {
        return Some(BuiltIn::Array(1, nullable));
    }
    let dims = number_suffix(rest).filter(|&dims| dims >= 1)?;
    Some(BuiltIn::Array(dims, nullable))
}

fn number_suffix(digits: &str) -> Option<u32> {
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if leading_zero || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|&n| n <= 1 << 20)
}
