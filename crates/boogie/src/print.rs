//! Programs to text, laid out as Boogie's `/print` does; the text parses to the same program.
//!
//! [`print_program`] prints declarations, [`expr_text`] a single expression on one line. Parentheses appear where
//! binding strengths need them. With [`PrintOptions::pretty`], expressions longer than a line are broken at their separators.

mod decls;
mod exprs;
mod stmts;
mod types;
mod writer;

use crate::ast::*;
use crate::program::*;
use writer::Writer;

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct PrintOptions {
    /// Break long expressions.
    pub pretty: bool,
    /// How bodies are shown.
    pub bodies: Bodies,
}

/// How bodies are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bodies {
    Structured,
    /// As written, in a comment, then as blocks.
    Both,
    Blocks,
}

/// The text of a whole program.
pub fn print_program(program: &Program, options: PrintOptions) -> String {
    let mut printer = Printer::new(program, options);
    for (i, &decl) in program.decls.iter().enumerate() {
        if i > 0 {
            printer.out.line("");
        }
        printer.decl(decl);
    }
    printer.out.finish()
}

/// The text of an implementation, as after a transformation of its blocks.
pub fn print_implementation(program: &Program, id: ImplId, options: PrintOptions) -> String {
    let mut printer = Printer::new(program, options);
    printer.implementation(id);
    printer.out.finish()
}

/// The text of a procedure declaration.
pub fn print_procedure(program: &Program, id: ProcId, options: PrintOptions) -> String {
    let mut printer = Printer::new(program, options);
    printer.procedure(id);
    printer.out.finish()
}

/// The text of a command, without line end.
pub fn cmd_text(program: &Program, cmd: CmdId) -> String {
    let mut printer = Printer::new(program, ONE_LINE);
    printer.cmd(0, cmd);
    printer.out.finish().trim_end().to_owned()
}

/// The text of an expression, on one line.
pub fn expr_text(program: &Program, expr: ExprId) -> String {
    let mut printer = Printer::new(program, ONE_LINE);
    printer.expr(expr, 0, false);
    printer.out.finish()
}

/// The text of a type as written.
pub fn type_text(program: &Program, ty: TypeExprId) -> String {
    let mut printer = Printer::new(program, ONE_LINE);
    printer.type_expr(ty, 0);
    printer.out.finish()
}

/// A name, with a backslash if it would be read as something else.
pub fn quoted(name: &str) -> String {
    let is_bv = name
        .strip_prefix("bv")
        .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
    if is_bv || crate::parse::is_keyword(name) || matches!(name, "cast" | "public" | "rmode") {
        format!("\\{name}")
    } else if name.contains('@') {
        quoted(&name.replace('@', "#AT#"))
    } else {
        name.to_owned()
    }
}

/// The symbol of a unary operator.
pub fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Not => "!",
    }
}

/// The symbol of a binary operator.
pub fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "div",
        BinaryOp::Mod => "mod",
        BinaryOp::RealDiv => "/",
        BinaryOp::Pow => "**",
        BinaryOp::Eq => "==",
        BinaryOp::Neq => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Imp => "==>",
        BinaryOp::Iff => "<==>",
        BinaryOp::Subtype => "<:",
    }
}

const ONE_LINE: PrintOptions = PrintOptions {
    pretty: false,
    bodies: Bodies::Blocks,
};

struct Printer<'a> {
    program: &'a Program,
    options: PrintOptions,
    out: Writer,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, options: PrintOptions) -> Self {
        Printer {
            program,
            options,
            out: Writer::new(options.pretty),
        }
    }

    fn name(&mut self, name: stet_base::Symbol) {
        let text = quoted(self.program.name(name));
        self.out.write(&text);
    }

    fn attributes(&mut self, attrs: &Attributes) {
        for attribute in &attrs.0 {
            self.out.write("{:");
            self.out.write(self.program.name(attribute.key));
            for (i, param) in attribute.params.iter().enumerate() {
                self.out.write(if i == 0 { " " } else { ", " });
                match param {
                    AttrParam::Expr(expr) => self.expr(*expr, 0, false),
                    AttrParam::Str(text) => {
                        self.out.write("\"");
                        self.out.write(text);
                        self.out.write("\"");
                    }
                }
            }
            self.out.write("} ");
        }
    }

    /// `name: T where e`, or the type alone without a name.
    fn typed_ident(&mut self, var: VarId, attributes: bool) {
        let variable = &self.program.vars[var];
        if attributes {
            self.attributes(&variable.attrs);
        }
        if !self.program.name(variable.name).is_empty() {
            self.name(variable.name);
            self.out.write(": ");
        }
        match (variable.type_expr, variable.ty) {
            (Some(ty), _) => self.type_expr(ty, 0),
            (None, Some(ty)) => self.type_id(ty, 0, 0),
            (None, None) => {}
        }
        if let Some(expr) = variable.where_clause {
            self.out.write(" where ");
            self.expr(expr, 0, false);
        }
    }

    fn typed_idents(&mut self, vars: &[VarId]) {
        self.out.push(None);
        for (i, &var) in vars.iter().enumerate() {
            if i > 0 {
                self.out.write(", ");
            }
            self.out.separate();
            self.typed_ident(var, true);
        }
        self.out.pop(true);
    }

    fn exprs(&mut self, exprs: &[ExprId]) {
        self.out.push(None);
        for (i, &expr) in exprs.iter().enumerate() {
            if i > 0 {
                self.out.write(", ");
            }
            self.out.separate();
            self.expr(expr, 0, false);
        }
        self.out.pop(true);
    }
}
