//! The modules of Dafny's standard library that Stet has, written here: a program that imports from `Std`, and declares no such
//! module itself, gets them as a file of its own. Results of whole programs are kept by the texts of the user's files: a change
//! of the library needs a new version of the engine.

use crate::ast::Decl;
use stet_base::Interner;

/// The name of the file in messages.
pub(crate) const NAME: &str = "<Std>";

/// The modules as Dafny text; the tests verify it as a program of its own.
pub(crate) const TEXT: &str = include_str!("library/std.dfy");

/// Whether a program needs the library.
pub(crate) fn is_needed(decls: &[Decl], names: &Interner) -> bool {
    let declares = decls.iter().any(|decl| match decl {
        Decl::Module(m) => m.path.first().is_some_and(|n| names.text(n.sym) == "Std"),
        _ => false,
    });
    !declares && imports(decls, names)
}

fn imports(decls: &[Decl], names: &Interner) -> bool {
    decls.iter().any(|decl| match decl {
        Decl::Module(module) => imports(&module.decls, names),
        Decl::Import(import) => {
            let first = import.path.first();
            first.is_some_and(|n| names.text(n.sym) == "Std")
        }
        _ => false,
    })
}
