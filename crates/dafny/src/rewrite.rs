//! Syntactic rewriting, done before names are resolved: iterators get the callables of their classes
//! ([`iterators`]), the bodies of refining methods are merged with those they refine ([`skeleton`]), and
//! `{:autocontracts}` adds its members, clauses and statements ([`autocontracts`]).

mod autocontracts;
pub(crate) mod iterators;
mod skeleton;

use crate::ast::{Ast, Attr, Decl, ExprKind};
use stet_base::Interner;
use stet_diag::Diagnostic;

/// Rewrites the declarations of all files.
pub(crate) fn rewrite(
    ast: &mut Ast,
    decls: &mut [Decl],
    names: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) {
    iterators::apply(ast, decls, names);
    autocontracts::apply(ast, decls, names, diagnostics);
    skeleton::merge_bodies(ast, decls, diagnostics);
}

/// What `{:name}`, `{:name true}` or `{:name false}` says, if it is there.
fn flag(ast: &Ast, attrs: &[Attr], names: &Interner, name: &str) -> Option<bool> {
    let attr = attrs.iter().find(|a| names.text(a.name.sym) == name)?;
    Some(match attr.args.first() {
        Some(&arg) => !matches!(ast.exprs[arg].kind, ExprKind::Bool(false)),
        None => true,
    })
}
