//! The SMT-LIB names of declared things: unique within a program, quoted where SMT-LIB demands it.

use std::rc::Rc;
use stet_base::{FastMap, FastSet, Index};
use stet_boogie::Program;
use stet_boogie::ast::{FuncId, TypeCtorId, VarId};
use stet_key::Digest;

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
        names.reserve_builtins(program);
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

    /// A function called like one of the prover's would be taken for it where that is used.
    fn reserve_builtins(&mut self, program: &Program) {
        let of_types = program.type_ctors.iter().map(|(_, ctor)| &ctor.attrs);
        let of_functions = program.funcs.iter().map(|(_, function)| &function.attrs);
        for attrs in of_types.chain(of_functions) {
            for key in ["builtin", "bvbuiltin"] {
                let text = program.str_attribute(attrs, key).unwrap_or_default();
                let words = text.split(|c: char| c.is_whitespace() || "()|".contains(c));
                self.taken.extend(words.map(str::to_owned));
            }
        }
    }

    /// Names functions added to the program since.
    pub(super) fn extend(&mut self, program: &Program) {
        debug_assert!(
            self.funcs.len() <= program.funcs.len(),
            "functions are only added"
        );
        for (_, function) in program.funcs.iter().skip(self.funcs.len()) {
            let name = self.fresh(program.name(function.name));
            self.funcs.push(name);
        }
    }

    pub(super) fn func(&self, func: FuncId) -> Rc<str> {
        debug_assert!(
            func.index() < self.funcs.len(),
            "functions are named before texts mention them"
        );
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
        self.taken.contains(name) || is_of_encoding(name)
    }

    fn fresh(&mut self, base: &str) -> Rc<str> {
        let mut name = base.to_owned();
        let mut suffix = 0;
        while is_of_encoding(&name) || !self.taken.insert(name.clone()) {
            name = format!("{base}@@{suffix}");
            suffix += 1;
        }
        debug_assert!(
            !name.contains(['|', '\\']),
            "quoting keeps names apart that have none of these"
        );
        quoted(&name).into()
    }
}

/// Whether the encoding may give this name to something: a cast, a type or its inverse, an operation on maps, an order;
/// or uses what the prover calls so. (Other names it makes have characters that are not for names of programs.)
fn is_of_encoding(name: &str) -> bool {
    const NATIVE: [&str; 10] = [
        "int", "real", "bool", "rmode", "string", "regex", "bv", "float", "data_", "array_",
    ];
    let is_native = |name: &str| NATIVE.iter().any(|tag| name.starts_with(tag));
    let is_inverse = |name: &str| {
        let inverse = name.rsplit_once("TypeInv");
        inverse.is_some_and(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()))
    };
    !name.contains('@')
        && (name.starts_with("U_2_")
            || name.ends_with("_2_U")
            || name.ends_with("Type") && is_native(name)
            || is_inverse(name)
            || name.starts_with("MapType")
            || name.starts_with("UOrdering")
            || name.starts_with("fp."))
}

/// The name of the sort of a declared type. The sorts of all values and of all types are called `T@U` and `T@T`.
pub(super) fn sort(name: &str) -> String {
    match name {
        "U" | "T" => format!("T@{name}@"),
        _ => quoted(&format!("T@{name}")),
    }
}

/// Stands for a text in a name, where the text itself has characters or a length that names do not have. Half of a digest is
/// enough that no two texts are found to share it; fewer digits are not, and types that share a name share their functions.
pub(super) fn digits(text: &str) -> String {
    let mut digest = Digest::of_bytes(text.as_bytes()).to_hex();
    digest.truncate(32);
    digest
}

/// A symbol as SMT-LIB writes it. Those that begin with a full stop or an at sign belong to the prover, even in quotation marks,
/// so they get something in front that is in no name of a program.
pub(crate) fn quoted(name: &str) -> String {
    if name.starts_with(['.', '@']) {
        return quoted(&format!("n%{name}"));
    }
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
