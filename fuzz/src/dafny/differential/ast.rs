//! Generated methods as trees, and their text in the syntax that Dafny 2.3.0 and Dafny 4 have in common.

use std::fmt::Write;

/// Types of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `int`.
    Int,
    /// `bool`.
    Bool,
    /// `seq<int>`.
    Seq,
    /// `set<int>`.
    Set,
    /// `multiset<int>`.
    Multiset,
    /// `map<int, int>`.
    Map,
    /// The datatype of the header.
    Tree,
    /// `array<int>`.
    Array,
    /// The class of the header.
    Cell,
}

impl Ty {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Ty::Int => "int",
            Ty::Bool => "bool",
            Ty::Seq => "seq<int>",
            Ty::Set => "set<int>",
            Ty::Multiset => "multiset<int>",
            Ty::Map => "map<int, int>",
            Ty::Tree => "Tree",
            Ty::Array => "array<int>",
            Ty::Cell => "Cell",
        }
    }
}

/// Operators; [`Expr::write`] says what they stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Lt,
    Le,
    Eq,
    Neq,
    And,
    Or,
    Implies,
    Iff,
    Not,
    Ite,
    Index,
    Take,
    Drop,
    Update,
    Length,
    Concat,
    Union,
    Intersection,
    Difference,
    Subset,
    In,
    MultisetOf,
    Node,
    Left,
    Right,
    Value,
    IsNode,
    ArrayLength,
    Elements,
    Field,
    Old,
    Display(Ty),
    MapDisplay,
    Call(&'static str),
}

/// An expression that both versions of Dafny read alike.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A literal; negative ones are written with parentheses.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// The datatype's constant.
    Leaf,
    Var(String),
    /// An operator with its operands, or a function of the header with its arguments.
    Op(Op, Vec<Expr>),
    /// A quantifier over the numbers from one up to another.
    Quantifier {
        /// Whether it is `forall`.
        all: bool,
        /// Bound to numbers.
        var: String,
        /// From the first up to, but not including, the second.
        range: Box<(Expr, Expr)>,
        /// A condition on the variable.
        body: Box<Expr>,
    },
}

/// A statement that both versions of Dafny read alike.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// `var x: T := e;`
    Var(String, Ty, Expr),
    /// `x := e;`
    Assign(String, Expr),
    /// `a[i] := e;`
    SetElement(String, Expr, Expr),
    /// `c.v := e;`
    SetField(String, Expr),
    /// `var a := new int[n];`
    NewArray(String, Expr),
    /// `var c := new Cell;`
    NewCell(String),
    /// `Increment(c);`, `Clear(a);` or `x := Pick(s);`
    Call(&'static str, Option<String>, Expr),
    /// `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while i < limit invariant … { body }`
    While(Expr, Vec<Expr>, Vec<Stmt>),
    /// `assert e;`
    Assert(Expr),
}

/// A generated method, complete with its specification.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    pub params: Vec<(String, Ty)>,
    pub requires: Vec<Expr>,
    /// Arrays and cells it may change.
    pub modifies: Vec<String>,
    pub ensures: Vec<Expr>,
    /// Its statements; the results are assigned in them.
    pub body: Vec<Stmt>,
}

/// What all generated methods may use; `execute` knows what it means.
pub const HEADER: &str = "\
datatype Tree = Leaf | Node(left: Tree, value: int, right: Tree)
class Cell { var v: int }
function Sum(s: seq<int>): int { if |s| == 0 then 0 else s[0] + Sum(s[1..]) }
function Size(t: Tree): nat { if t.Leaf? then 0 else Size(t.left) + 1 + Size(t.right) }
function Mirror(t: Tree): Tree { if t.Leaf? then Leaf else Node(Mirror(t.right), t.value, Mirror(t.left)) }
function Triangle(n: int): int requires n >= 0 { if n == 0 then 0 else n + Triangle(n - 1) }
predicate Sorted(s: seq<int>) { forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j] }
method Increment(c: Cell) modifies c ensures c.v == old(c.v) + 1 { c.v := c.v + 1; }
method Clear(a: array<int>) modifies a ensures forall i :: 0 <= i < a.Length ==> a[i] == 0 {
  var n := 0;
  while n < a.Length invariant 0 <= n <= a.Length invariant forall i :: 0 <= i < n ==> a[i] == 0 { a[n] := 0; n := n + 1; }
}
method Pick(s: seq<int>) returns (k: int) requires |s| > 0 ensures 0 <= k < |s| { k := 0; }
";

impl Expr {
    /// An operator with its operands.
    pub fn op(op: Op, args: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::Op(op, args.into_iter().collect())
    }

    pub fn var(name: &str) -> Expr {
        Expr::Var(name.to_owned())
    }

    /// The text, with parentheses around every operation.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Expr::Int(n) if *n < 0 => drop(write!(out, "({n})")),
            Expr::Int(n) => drop(write!(out, "{n}")),
            Expr::Bool(b) => drop(write!(out, "{b}")),
            Expr::Leaf => out.push_str("Tree.Leaf"),
            Expr::Var(name) => out.push_str(name),
            Expr::Op(op, args) => write_op(*op, args, out),
            Expr::Quantifier {
                all,
                var,
                range,
                body,
            } => {
                let (word, joint) = if *all {
                    ("forall", "==>")
                } else {
                    ("exists", "&&")
                };
                let (from, to) = (range.0.text(), range.1.text());
                let body = body.text();
                let text = format!("({word} {var} :: {from} <= {var} < {to} {joint} {body})");
                out.push_str(&text);
            }
        }
    }
}

fn write_op(op: Op, args: &[Expr], out: &mut String) {
    let a: Vec<String> = args.iter().map(Expr::text).collect();
    let list = a.join(", ");
    let infix = match op {
        Op::Add | Op::Concat | Op::Union => "+",
        Op::Sub | Op::Difference => "-",
        Op::Mul | Op::Intersection => "*",
        Op::Div => "/",
        Op::Mod => "%",
        Op::Lt => "<",
        Op::Le | Op::Subset => "<=",
        Op::Eq => "==",
        Op::Neq => "!=",
        Op::And => "&&",
        Op::Or => "||",
        Op::Implies => "==>",
        Op::Iff => "<==>",
        Op::In => "in",
        _ => "",
    };
    let text = match op {
        _ if !infix.is_empty() => format!("({} {infix} {})", a[0], a[1]),
        Op::Not => format!("(!{})", a[0]),
        Op::Ite => format!("(if {} then {} else {})", a[0], a[1], a[2]),
        Op::Index => format!("{}[{}]", a[0], a[1]),
        Op::Take => format!("{}[..{}]", a[0], a[1]),
        Op::Drop => format!("{}[{}..]", a[0], a[1]),
        Op::Update => format!("{}[{} := {}]", a[0], a[1], a[2]),
        Op::Length => format!("|{list}|"),
        Op::MultisetOf => format!("multiset({list})"),
        Op::Node => format!("Node({list})"),
        Op::Left => format!("{list}.left"),
        Op::Right => format!("{list}.right"),
        Op::Value => format!("{list}.value"),
        Op::IsNode => format!("{list}.Node?"),
        Op::ArrayLength => format!("{list}.Length"),
        Op::Elements => format!("{list}[..]"),
        Op::Field => format!("{list}.v"),
        Op::Old => format!("old({list})"),
        Op::Display(Ty::Set) => format!("{{{list}}}"),
        Op::Display(Ty::Multiset) => format!("multiset{{{list}}}"),
        Op::Display(_) => format!("[{list}]"),
        Op::MapDisplay => {
            let pairs: Vec<String> = a
                .chunks_exact(2)
                .map(|p| format!("{} := {}", p[0], p[1]))
                .collect();
            format!("map[{}]", pairs.join(", "))
        }
        Op::Call(name) => format!("{name}({list})"),
        _ => String::new(),
    };
    out.push_str(&text);
}

impl Method {
    /// The text: one line for every statement and clause.
    pub fn text(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|(name, ty)| format!("{name}: {}", ty.text()))
            .collect();
        let mut out = format!(
            "method {}({}) returns (r: int)\n",
            self.name,
            params.join(", ")
        );
        for condition in &self.requires {
            let _ = writeln!(out, "  requires {}", condition.text());
        }
        for name in &self.modifies {
            let _ = writeln!(out, "  modifies {name}");
        }
        for condition in &self.ensures {
            let _ = writeln!(out, "  ensures {}", condition.text());
        }
        out.push_str("{\n  r := 0;\n");
        block(&self.body, 1, &mut out);
        out.push_str("}\n");
        out
    }
}

fn block(stmts: &[Stmt], depth: usize, out: &mut String) {
    for stmt in stmts {
        let pad = "  ".repeat(depth);
        let line = match stmt {
            Stmt::Var(name, ty, e) => format!("var {name}: {} := {};", ty.text(), e.text()),
            Stmt::Assign(name, e) => format!("{name} := {};", e.text()),
            Stmt::SetElement(a, i, e) => format!("{a}[{}] := {};", i.text(), e.text()),
            Stmt::SetField(c, e) => format!("{c}.v := {};", e.text()),
            Stmt::NewArray(a, n) => format!("var {a} := new int[{}];", n.text()),
            Stmt::NewCell(c) => format!("var {c} := new Cell;"),
            Stmt::Call(name, Some(x), e) => format!("var {x} := {name}({});", e.text()),
            Stmt::Call(name, None, e) => format!("{name}({});", e.text()),
            Stmt::Assert(e) => format!("assert {};", e.text()),
            Stmt::If(condition, then, otherwise) => {
                let _ = writeln!(out, "{pad}if {} {{", condition.text());
                block(then, depth + 1, out);
                let _ = writeln!(out, "{pad}}} else {{");
                block(otherwise, depth + 1, out);
                "}".to_owned()
            }
            Stmt::While(condition, invariants, body) => {
                let _ = writeln!(out, "{pad}while {}", condition.text());
                for invariant in invariants {
                    let _ = writeln!(out, "{pad}  invariant {}", invariant.text());
                }
                let _ = writeln!(out, "{pad}{{");
                block(body, depth + 1, out);
                "}".to_owned()
            }
        };
        let _ = writeln!(out, "{pad}{line}");
    }
}
