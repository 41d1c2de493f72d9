//! The SMT-LIB names of declared things: unique within a program, quoted where SMT-LIB demands it.

use std::rc::Rc;
use stet_base::{FastMap, FastSet, Index};
use stet_boogie::Program;
use stet_boogie::ast::{FuncId, TypeCtorId, VarId};

/// Names that mean something to SMT-LIB, Z3 or this encoding.
const RESERVED: &[&str] = &[
    "and",
    "or",
    "not",
    "xor",
    "true",
    "false",
    "ite",
    "let",
    "forall",
    "exists",
    "distinct",
    "par",
    "as",
    "assert",
    "div",
    "mod",
    "rem",
    "abs",
    "to_real",
    "to_int",
    "is_int",
    "select",
    "store",
    "const",
    "type",
    "Ctor",
    "ControlFlow",
    "UOrdering2",
    "UOrdering3",
    "real_pow",
    "tickleBool",
    "Int",
    "Bool",
    "Real",
    "String",
    "Array",
    "push",
    "pop",
    "if",
    "implies",
    "iff",
    "map",
    "lambda",
    "concat",
    "extract",
    "repeat",
    "insert",
    "union",
    "subset",
    "complement",
    "intersection",
    "difference",
    "oneStep",
    "root-obj",
    "is",
    "update",
    "min",
    "max",
    "seq",
    "bag",
    "set",
    "exp",
    "pi",
    "sin",
    "cos",
    "tan",
    "divisible",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "fp",
    "NaN",
    "char",
    "List",
    "nil",
    "head",
    "tail",
    "Pair",
    "pair",
    "first",
    "second",
    "mk-pair",
    "Set",
    "Seq",
    "RegEx",
    "RegLan",
];

/// The table of names.
pub(super) struct Names {
    funcs: Vec<Rc<str>>,
    consts: FastMap<VarId, Rc<str>>,
    ctors: Vec<Rc<str>>,
    taken: FastSet<String>,
}

impl Names {
    /// Names everything declared in a program, in order.
    pub(super) fn new(program: &Program) -> Self {
        let mut names = Names {
            funcs: Vec::new(),
            consts: FastMap::default(),
            ctors: Vec::new(),
            taken: RESERVED.iter().map(|&name| name.to_owned()).collect(),
        };
        for (_, ctor) in program.type_ctors.iter() {
            let name = names.fresh(&format!("{}Type", program.name(ctor.name)));
            names.ctors.push(name);
        }
        for (_, constant) in program.consts.iter() {
            let name = names.fresh(program.name(program.vars[constant.var].name));
            names.consts.insert(constant.var, name);
        }
        names.extend(program);
        names
    }

    /// Names functions added to the program since.
    pub(super) fn extend(&mut self, program: &Program) {
        for (_, function) in program.funcs.iter().skip(self.funcs.len()) {
            let name = self.fresh(program.name(function.name));
            self.funcs.push(name);
        }
    }

    pub(super) fn func(&self, func: FuncId) -> Rc<str> {
        self.funcs[func.index()].clone()
    }

    pub(super) fn constant(&self, var: VarId) -> Option<Rc<str>> {
        self.consts.get(&var).cloned()
    }

    pub(super) fn ctor(&self, ctor: TypeCtorId) -> Rc<str> {
        self.ctors[ctor.index()].clone()
    }

    /// Whether a name (without quotes) is in use.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    fn fresh(&mut self, base: &str) -> Rc<str> {
        let mut name = base.to_owned();
        let mut suffix = 0;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}@@{suffix}");
            suffix += 1;
        }
        quoted(&name).into()
    }
}

/// A symbol as SMT-LIB writes it.
pub(crate) fn quoted(name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    if !name.is_empty()
        && name.chars().all(simple)
        && !name.starts_with(|c: char| c.is_ascii_digit())
    {
        name.to_owned()
    } else {
        let safe: String = name
            .chars()
            .map(|c| if c == '|' || c == '\\' { '_' } else { c })
            .collect();
        format!("|{safe}|")
    }
}
