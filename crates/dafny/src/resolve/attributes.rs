//! Attributes and specification clauses.

use super::Resolver;
use crate::ast;
use crate::tree::{Attribute, Clause, Decreases, ExprKind, Label};

/// Attributes whose arguments are expressions over the scope.
const RESOLVED: &[&str] = &[
    "trigger",
    "induction",
    "error",
    "fuel",
    "split",
    "rlimit",
    "timeLimit",
];

impl Resolver<'_> {
    pub(crate) fn attributes(&mut self, attrs: &[ast::Attr]) -> Vec<Attribute> {
        attrs
            .iter()
            .map(|attr| {
                let text = self.text(attr.name.sym);
                let args = attr
                    .args
                    .iter()
                    .map(|&arg| self.attribute_arg(&text, arg))
                    .collect();
                Attribute {
                    name: attr.name.sym,
                    span: attr.name.span,
                    args,
                }
            })
            .collect()
    }

    /// Literals everywhere; other expressions only where the attribute is about them.
    fn attribute_arg(&mut self, name: &str, arg: ast::ExprId) -> crate::tree::ExprId {
        let literal = matches!(
            self.ast.exprs[arg].kind,
            ast::ExprKind::Bool(_)
                | ast::ExprKind::Int(_)
                | ast::ExprKind::Str(_)
                | ast::ExprKind::Real(_)
        );
        if literal || (RESOLVED.contains(&name) && name != "fuel") {
            return self.expr(arg);
        }
        if name == "fuel"
            && let ast::ExprKind::Name(_) | ast::ExprKind::Dot(..) = self.ast.exprs[arg].kind
        {
            let callee = self.callee(arg);
            if let super::names::Callee::Member {
                member,
                receiver,
                owner_args,
                ..
            } = callee
            {
                let ty = self.program.types.bool_;
                let kind = ExprKind::FunctionValue {
                    function: member,
                    receiver,
                    owner_args,
                    type_args: Vec::new(),
                };
                return self.push_expr(arg, kind, ty);
            }
        }
        let ty = self.program.types.bool_;
        self.push_expr(arg, ExprKind::Bool(true), ty)
    }

    pub(crate) fn clauses(&mut self, clauses: &[ast::Clause], what: &str) -> Vec<Clause> {
        clauses
            .iter()
            .map(|clause| {
                let attributes = self.attributes(&clause.attrs);
                let expr = self.bool_expr(clause.expr, what);
                let label = clause.label.map(|name| {
                    let label = self.program.labels.push(Label {
                        name: name.sym,
                        span: name.span,
                    });
                    self.scope.declare_label(name.sym, label);
                    label
                });
                Clause {
                    expr,
                    label,
                    attributes,
                    free: clause.free,
                }
            })
            .collect()
    }

    pub(crate) fn decreases_of(&mut self, decreases: &ast::Decreases) -> Decreases {
        let mut out = Decreases {
            exprs: Vec::new(),
            star: false,
            star_span: None,
            inferred: decreases.given.is_none(),
            attributes: self.attributes(&decreases.attrs),
        };
        for &expr in &decreases.exprs {
            if matches!(self.ast.exprs[expr].kind, ast::ExprKind::Wild) {
                out.star = true;
                out.star_span = Some(self.ast.exprs[expr].tok);
            } else {
                out.exprs.push(self.expr(expr));
            }
        }
        out
    }
}
