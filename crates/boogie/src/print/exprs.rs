//! Expressions.

use super::{Printer, binary_name, unary_name};
use crate::ast::*;
use crate::typecheck::members::Member;
use num_bigint::BigInt;
use stet_base::Symbol;

/// How tightly a binary operator binds, and whether equals on its left or right need parentheses.
fn strength(op: BinaryOp) -> (u8, bool, bool) {
    match op {
        BinaryOp::Add => (0x40, false, false),
        BinaryOp::Sub => (0x40, false, true),
        BinaryOp::Mul => (0x50, false, false),
        BinaryOp::Div | BinaryOp::Mod | BinaryOp::RealDiv => (0x50, false, true),
        BinaryOp::Pow => (0x60, true, true),
        BinaryOp::Eq
        | BinaryOp::Neq
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::Subtype => (0x30, true, true),
        BinaryOp::And => (0x20, false, false),
        BinaryOp::Or => (0x21, false, false),
        BinaryOp::Imp => (0x10, true, false),
        BinaryOp::Iff => (0x00, false, false),
    }
}

impl Printer<'_> {
    /// `context` is how tightly the surroundings bind; `fragile` asks for parentheses among equals.
    pub(super) fn expr(&mut self, id: ExprId, context: u8, fragile: bool) {
        let program = self.program;
        match &program.exprs[id].kind {
            ExprKind::Bool(value) => self.out.write(if *value { "true" } else { "false" }),
            ExprKind::Int(value) => self.out.write(&value.to_string()),
            ExprKind::Real(value) => {
                self.out
                    .write(&format!("{}e{}", value.mantissa, value.exponent));
            }
            ExprKind::Bv { value, width } => self.out.write(&format!("{value}bv{width}")),
            ExprKind::Float(float) => self.out.write(&float_text(float)),
            ExprKind::Rounding(mode) => self.out.write(rounding_text(*mode)),
            ExprKind::Str(text) => self.out.write(&format!("\"{text}\"")),
            ExprKind::Ident { name, .. } => self.name(*name),
            ExprKind::Old(arg) => self.wrapped("old(", *arg),
            ExprKind::ToInt(arg) => self.wrapped("int(", *arg),
            ExprKind::ToReal(arg) => self.wrapped("real(", *arg),
            ExprKind::Unary(op, arg) => {
                let open = 0x70 < context || (fragile && context == 0x70);
                self.parenthesis(open, "(");
                self.out.write(unary_name(*op));
                self.expr(*arg, 0x70, false);
                self.parenthesis(open, ")");
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right, context, fragile),
            ExprKind::Concat(left, right) => {
                let open = 0x32 < context || (fragile && context == 0x32);
                self.parenthesis(open, "(");
                self.expr(*left, 0x32, false);
                self.out.write(" ++ ");
                self.expr(*right, 0x32, true);
                self.parenthesis(open, ")");
            }
            ExprKind::Ite(condition, yes, no) => self.ite(*condition, *yes, *no),
            ExprKind::Call {
                name,
                func: None,
                args,
            } if Member::of(self.program.name(*name)).is_some() => self.member(*name, args),
            ExprKind::Call { name, args, .. } => {
                self.name(*name);
                self.out.write("(");
                self.exprs(args);
                self.out.write(")");
            }
            ExprKind::Select { map, indices } => {
                self.suffixed(*map, context, fragile, |this| this.exprs(indices));
            }
            ExprKind::Store {
                map,
                indices,
                value,
            } => self.suffixed(*map, context, fragile, |this| {
                this.exprs(indices);
                this.out.write(" := ");
                this.expr(*value, 0, false);
            }),
            ExprKind::Extract { arg, end, start } => {
                self.suffixed(*arg, context, fragile, |this| {
                    this.out.write(&format!("{end}:{start}"));
                });
            }
            ExprKind::Ascribe(arg, ty) => {
                let open = 0x80 < context || (fragile && context == 0x80);
                self.parenthesis(open, "(");
                self.expr(*arg, 0x80, false);
                self.out.write(": ");
                self.type_expr(*ty, 0);
                self.parenthesis(open, ")");
            }
            ExprKind::Binder(binder) => self.binder(binder),
            ExprKind::Let(let_expr) => self.let_expr(let_expr),
            ExprKind::Code(code) => self.code(*code),
        }
    }

    /// A member of a datatype before type checking.
    fn member(&mut self, name: Symbol, args: &[ExprId]) {
        let Some(member) = Member::of(self.program.name(name)) else {
            return;
        };
        if let Some(&record) = args.first() {
            self.expr(record, 0x90, false);
        }
        match member {
            Member::Field(field) => self.out.write(&format!("->{field}")),
            Member::Test(constructor) | Member::Unpacked(constructor) => {
                self.out.write(&format!(" is {constructor}"));
            }
            Member::Update(field) => {
                self.out.write(&format!("->({field} := "));
                if let Some(&value) = args.get(1) {
                    self.expr(value, 0, false);
                }
                self.out.write(")");
            }
        }
    }

    /// The steps to the part of a variable that is assigned to.
    pub(super) fn path(&mut self, path: &[Step]) {
        for step in path {
            match step {
                Step::Field { name, .. } => {
                    self.out.write("->");
                    self.name(*name);
                }
                Step::Index { indices, .. } => {
                    self.out.write("[");
                    self.exprs(indices);
                    self.out.write("]");
                }
            }
        }
    }

    fn parenthesis(&mut self, needed: bool, text: &str) {
        if needed {
            self.out.write(text);
        }
    }

    fn wrapped(&mut self, opening: &str, arg: ExprId) {
        self.out.write(opening);
        self.expr(arg, 0, false);
        self.out.write(")");
    }

    fn suffixed(
        &mut self,
        arg: ExprId,
        context: u8,
        fragile: bool,
        inside: impl FnOnce(&mut Self),
    ) {
        let open = 0x90 < context || (fragile && context == 0x90);
        self.parenthesis(open, "(");
        self.expr(arg, 0x90, false);
        self.out.write("[");
        inside(self);
        self.out.write("]");
        self.parenthesis(open, ")");
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, context: u8, fragile: bool) {
        let (own, fragile_left, fragile_right) = strength(op);
        let (class, around) = (own & 0xF0, context & 0xF0);
        let open = class < around || (class == around && (own != context || fragile));
        let opened = self.out.push(Some(binary_name(op)));
        self.parenthesis(open, "(");
        self.expr(left, own, fragile_left);
        self.out.separate();
        self.out.write(&format!(" {} ", binary_name(op)));
        self.expr(right, own, fragile_right);
        self.parenthesis(open, ")");
        self.out.pop(opened);
    }

    fn ite(&mut self, condition: ExprId, yes: ExprId, no: ExprId) {
        let opened = self.out.push(None);
        self.out.write("(if ");
        self.expr(condition, 0, false);
        self.out.separate();
        self.out.write(" then ");
        self.expr(yes, 0, false);
        self.out.separate();
        self.out.write(" else ");
        self.expr(no, 0, false);
        self.out.write(")");
        self.out.pop(opened);
    }

    fn binder(&mut self, binder: &Binder) {
        let opened = self.out.push(None);
        self.out.write(match binder.kind {
            BinderKind::Forall => "(forall",
            BinderKind::Exists => "(exists",
            BinderKind::Lambda => "(lambda",
        });
        self.type_params(&binder.type_params);
        self.out.write(" ");
        self.typed_idents(&binder.vars);
        self.out.write(" :: ");
        self.out.separate();
        self.attributes(&binder.attrs);
        for trigger in &binder.triggers {
            self.out
                .write(if trigger.positive { "{ " } else { "{:nopats " });
            self.exprs(&trigger.exprs);
            self.out.write(" } ");
        }
        self.out.separate();
        self.expr(binder.body, 0, false);
        self.out.write(")");
        self.out.pop(opened);
    }

    fn let_expr(&mut self, let_expr: &LetExpr) {
        let opened = self.out.push(None);
        self.out.write("(var ");
        for (i, &var) in let_expr.vars.iter().enumerate() {
            if i > 0 {
                self.out.write(", ");
            }
            let variable = &self.program.vars[var];
            self.attributes(&variable.attrs);
            self.name(variable.name);
        }
        self.out.write(" := ");
        self.exprs(&let_expr.values);
        self.out.write("; ");
        self.attributes(&let_expr.attrs);
        self.out.separate();
        self.expr(let_expr.body, 0, false);
        self.out.write(")");
        self.out.pop(opened);
    }

    fn code(&mut self, code: CodeId) {
        let code = &self.program.codes[code];
        self.out.line("|{");
        for &local in &code.locals {
            self.out.indent(1);
            self.out.write("var ");
            self.typed_ident(local, true);
            self.out.line(";");
        }
        for block in &code.blocks {
            self.block(1, block, false);
        }
        self.out.line("");
        self.out.line("}|");
    }
}

/// The short name of a rounding mode.
fn rounding_text(mode: Rounding) -> &'static str {
    match mode {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Positive => "RTP",
        Rounding::Negative => "RTN",
        Rounding::Zero => "RTZ",
    }
}

/// A floating-point literal in the notation it is read in.
fn float_text(float: &FloatLit) -> String {
    let size = format!("{}e{}", float.significand_bits, float.exponent_bits);
    match &float.value {
        FloatValue::Nan => format!("0NaN{size}"),
        FloatValue::Infinity { negative: false } => format!("0+oo{size}"),
        FloatValue::Infinity { negative: true } => format!("0-oo{size}"),
        FloatValue::Finite {
            negative,
            exponent,
            significand,
        } => {
            let stored = i64::from(float.significand_bits) - 1;
            let bias = (1i64 << (float.exponent_bits - 1)) - 1;
            let zero = BigInt::from(0);
            let (mantissa, exponent) = if *exponent == zero {
                (significand.clone(), 1 - bias)
            } else {
                let hidden = BigInt::from(1) << stored as u64;
                let exponent = i64::try_from(exponent).unwrap_or(bias) - bias;
                (hidden + significand, exponent)
            };
            let sign = if *negative { "-" } else { "" };
            if mantissa == zero {
                return format!("{sign}0x0.0e0f{size}");
            }
            // The value is mantissa · 2^(exponent - stored): align to hexadecimal digits, one before the point.
            let scale = exponent - stored;
            let shift = scale.rem_euclid(4);
            let mut digits = format!("{:x}", mantissa << shift as u64);
            let mut hex_exponent = (scale - shift) / 4;
            while digits.len() > 1 && digits.ends_with('0') {
                digits.pop();
                hex_exponent += 1;
            }
            let fraction = digits.split_off(1);
            hex_exponent += fraction.len() as i64;
            let fraction = if fraction.is_empty() { "0" } else { &fraction };
            format!("{sign}0x{digits}.{fraction}e{hex_exponent}f{size}")
        }
    }
}
