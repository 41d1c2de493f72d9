//! Patterns of `match`, `var` and `let`.

use super::token::{Kw, P, Tok};
use super::{PResult, Parser};
use crate::ast::{Expr, ExprKind, Pat, PatId, PatKind, UnOp};

impl Parser<'_> {
    /// A pattern with alternatives, as after `case`.
    pub(crate) fn case_pattern(&mut self) -> PResult<PatId> {
        let start = self.span();
        let first = self.pattern()?;
        if !self.is(P::Bar) {
            return Ok(first);
        }
        let mut alternatives = vec![first];
        while self.eat(P::Bar) {
            alternatives.push(self.pattern()?);
        }
        let span = self.since(start);
        Ok(self.ast.pats.push(Pat {
            kind: PatKind::Or(alternatives),
            span,
        }))
    }

    /// A pattern without top-level alternatives.
    pub(crate) fn pattern(&mut self) -> PResult<PatId> {
        self.nested(Self::pattern_inner)
    }

    fn pattern_inner(&mut self) -> PResult<PatId> {
        let start = self.span();
        let kind = match self.kind() {
            Tok::P(P::LParen) => {
                // With one part: parentheses, unless the value is a tuple of one part.
                PatKind::Tuple(self.pattern_args()?)
            }
            Tok::Kw(Kw::Ghost) | Tok::Ident => self.id_pattern()?,
            _ => self.literal_pattern()?,
        };
        let span = self.since(start);
        Ok(self.ast.pats.push(Pat { kind, span }))
    }

    fn id_pattern(&mut self) -> PResult<PatKind> {
        let ghost = self.eat_kw(Kw::Ghost);
        let first = self.ident()?;
        if self.text_of(first.span) == "_" {
            let path = vec![first];
            // one with a type is a variable that nobody can name: values must be of that type
            return Ok(match self.optional_type()? {
                None => PatKind::Wild,
                ty => PatKind::Id {
                    path,
                    args: None,
                    ty,
                    ghost,
                },
            });
        }
        let mut path = vec![first];
        while self.is(P::Dot) && self.peek(1) == Tok::Ident {
            self.bump();
            path.push(self.ident()?);
        }
        if self.is(P::LParen) {
            let args = Some(self.pattern_args()?);
            return Ok(PatKind::Id {
                path,
                args,
                ty: None,
                ghost,
            });
        }
        let ty = if path.len() == 1 {
            self.optional_type()?
        } else {
            None
        };
        Ok(PatKind::Id {
            path,
            args: None,
            ty,
            ghost,
        })
    }

    fn literal_pattern(&mut self) -> PResult<PatKind> {
        let start = self.span();
        let negative = self.eat(P::Minus);
        let kind = match self.kind() {
            Tok::Kw(Kw::True) => {
                self.bump();
                ExprKind::Bool(true)
            }
            Tok::Kw(Kw::False) => {
                self.bump();
                ExprKind::Bool(false)
            }
            Tok::Kw(Kw::Null) => {
                self.bump();
                ExprKind::Null
            }
            Tok::Int | Tok::Hex | Tok::Decimal | Tok::Char | Tok::Str | Tok::VerbatimStr => {
                self.literal()?
            }
            _ => return self.error("invalid ExtendedPattern"),
        };
        let span = self.since(start);
        let literal = self.ast.exprs.push(Expr {
            kind,
            span,
            tok: start,
        });
        if !negative {
            return Ok(PatKind::Lit(literal));
        }
        Ok(PatKind::Lit(self.ast.exprs.push(Expr {
            kind: ExprKind::Unary(UnOp::Neg, literal),
            span,
            tok: start,
        })))
    }

    /// `( patterns )`
    fn pattern_args(&mut self) -> PResult<Vec<PatId>> {
        self.expect(P::LParen)?;
        let mut items = Vec::new();
        if !self.is(P::RParen) {
            loop {
                items.push(self.case_pattern()?);
                if !self.eat(P::Comma) {
                    break;
                }
            }
        }
        self.expect(P::RParen)?;
        Ok(items)
    }

    /// `: T`, if it is there.
    pub(crate) fn optional_type(&mut self) -> PResult<Option<crate::ast::TypeId>> {
        if self.eat(P::Colon) {
            Ok(Some(self.type_()?))
        } else {
            Ok(None)
        }
    }
}
