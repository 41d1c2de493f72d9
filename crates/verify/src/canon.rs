//! The canonical form of expressions: what digests are taken of, and what snapshots keep.
//!
//! Positions are left out, variables bound inside are numbered from the binder inwards, everything declared
//! enters by name. [`encode`] writes the form, [`decode`] reads it into another program by looking the names
//! up there; a name that is missing, or has another type or kind, makes the whole expression unreadable.
//! What was written once in an expression (a type, a variable, the name of a function) is referred to by number from then on:
//! forms are hashed and kept in large numbers.
//!
//! | in the form | not in the form |
//! |---|---|
//! | structure, literals, operators, types and type arguments | positions, spelling of bound variables |
//! | names, kinds and types of free variables; names of functions | definitions (they have digests of their own) |
//! | triggers, `:weight`, `:qid` | other attributes of quantifiers |

mod tags;

use num_bigint::BigInt;
use stet_base::{FastMap, Span, Symbol};
use stet_boogie::ast::{
    AttrParam, Attribute, Attributes, Binder, Decimal, ExprId, ExprKind, FloatLit, FloatValue,
    FuncId, LetExpr, Trigger, TypeCtorId, TypeVarId, VarId,
};
use stet_boogie::{Program, Type, TypeId, TypeVar, VarKind, Variable};
use stet_key::{DecodeError, Decoder, Digest, Encoder};
pub(crate) use tags::kind_tag;

/// The digest of the canonical form.
pub(crate) fn digest(program: &Program, expr: ExprId) -> Digest {
    let mut encoder = Encoder::new();
    encode(program, expr, &mut encoder);
    encoder.digest_of_all()
}

/// Writes the canonical form of an expression.
pub(crate) fn encode(program: &Program, expr: ExprId, encoder: &mut Encoder) -> Symbols {
    let mut writer = Writer::new(program, encoder);
    writer.expr(expr);
    debug_assert!(
        writer.vars.is_empty() && writer.type_vars.is_empty(),
        "every binder that was entered is left"
    );
    Symbols {
        functions: writer.functions,
        variables: writer.variables,
    }
}

/// Writes the canonical form of a type.
pub(crate) fn encode_type(program: &Program, ty: TypeId, encoder: &mut Encoder) {
    Writer::new(program, encoder).ty(ty);
}

/// What an expression speaks of; in large ones, some more than once.
pub(crate) struct Symbols {
    /// By name, and which that is if it is known.
    pub(crate) functions: Vec<(Symbol, Option<FuncId>)>,
    /// Those not bound in it.
    pub(crate) variables: Vec<VarId>,
}

/// The first tag of types that are referred to.
const KNOWN_TYPE: u8 = 16;
/// The first tag of variables that are referred to.
const KNOWN_VARIABLE: u8 = 16;
/// How many types, variables and functions can be referred to: tags end before that of a missing variable, and no expression is
/// so large that looking for them takes long.
const KNOWN: usize = 200;

struct Writer<'a> {
    program: &'a Program,
    encoder: &'a mut Encoder,
    vars: Vec<VarId>,
    type_vars: Vec<TypeVarId>,
    /// Composed types written outside of all type binders.
    types: Vec<TypeId>,
    variables: Vec<VarId>,
    functions: Vec<(Symbol, Option<FuncId>)>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, encoder: &'a mut Encoder) -> Self {
        Writer {
            program,
            encoder,
            vars: Vec::new(),
            type_vars: Vec::new(),
            types: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
        }
    }
}

impl Writer<'_> {
    fn expr(&mut self, id: ExprId) {
        let program = self.program;
        let node = &program.exprs[id];
        match &node.kind {
            ExprKind::Ascribe(inner, _) => return self.expr(*inner),
            ExprKind::Bool(value) => {
                self.encoder.u8(0);
                self.encoder.bool(*value);
            }
            ExprKind::Int(value) => {
                self.encoder.u8(1);
                self.number(value);
            }
            ExprKind::Real(value) => {
                self.encoder.u8(2);
                self.number(&value.mantissa);
                self.encoder.i64(i64::from(value.exponent));
            }
            ExprKind::Bv { value, width } => {
                self.encoder.u8(3);
                self.number(value);
                self.encoder.u32(*width);
            }
            ExprKind::Float(literal) => {
                self.encoder.u8(4);
                self.float(literal);
            }
            ExprKind::Rounding(mode) => {
                self.encoder.u8(5);
                self.encoder.u8(tags::rounding_tag(*mode));
            }
            ExprKind::Str(text) => {
                self.encoder.u8(6);
                self.encoder.str(text);
            }
            ExprKind::Ident { var, .. } => self.ident(*var),
            ExprKind::Old(a) => self.node(8, &[*a]),
            ExprKind::Unary(op, a) => {
                self.encoder.u8(9);
                self.encoder.u8(tags::unary_tag(*op));
                self.expr(*a);
            }
            ExprKind::Binary(op, a, b) => {
                self.encoder.u8(10);
                self.encoder.u8(tags::binary_tag(*op));
                self.expr(*a);
                self.expr(*b);
            }
            ExprKind::Ite(a, b, c) => self.node(11, &[*a, *b, *c]),
            ExprKind::ToInt(a) => self.node(12, &[*a]),
            ExprKind::ToReal(a) => self.node(13, &[*a]),
            ExprKind::Call { name, func, args } => {
                self.encoder.u8(14);
                self.function(*name, *func);
                self.type_args(id);
                self.list(args);
            }
            ExprKind::Select { map, indices } => {
                self.encoder.u8(15);
                self.type_args(id);
                self.expr(*map);
                self.list(indices);
            }
            ExprKind::Store {
                map,
                indices,
                value,
            } => {
                self.encoder.u8(16);
                self.type_args(id);
                self.expr(*map);
                self.list(indices);
                self.expr(*value);
            }
            ExprKind::Extract { arg, end, start } => {
                self.encoder.u8(17);
                self.encoder.u32(*end);
                self.encoder.u32(*start);
                self.expr(*arg);
            }
            ExprKind::Concat(a, b) => self.node(18, &[*a, *b]),
            ExprKind::Binder(binder) => self.binder(binder),
            ExprKind::Let(binding) => self.let_expr(binding),
            ExprKind::Code(_) => self.encoder.u8(21),
        }
        self.ty(program.type_of(id));
    }

    fn node(&mut self, tag: u8, children: &[ExprId]) {
        self.encoder.u8(tag);
        children.iter().for_each(|&child| self.expr(child));
    }

    fn list(&mut self, items: &[ExprId]) {
        self.encoder.count(items.len());
        items.iter().for_each(|&item| self.expr(item));
    }

    fn number(&mut self, value: &BigInt) {
        self.encoder.raw(&value.to_signed_bytes_le());
    }

    fn float(&mut self, literal: &FloatLit) {
        self.encoder.u32(literal.significand_bits);
        self.encoder.u32(literal.exponent_bits);
        match &literal.value {
            FloatValue::Nan => self.encoder.u8(0),
            FloatValue::Infinity { negative } => {
                self.encoder.u8(1);
                self.encoder.bool(*negative);
            }
            FloatValue::Finite {
                negative,
                exponent,
                significand,
            } => {
                self.encoder.u8(2);
                self.encoder.bool(*negative);
                self.number(exponent);
                self.number(significand);
            }
        }
    }

    fn ident(&mut self, var: Option<VarId>) {
        self.encoder.u8(7);
        let Some(var) = var else {
            return self.encoder.u8(255);
        };
        if let Some(position) = self.vars.iter().rposition(|&v| v == var) {
            self.encoder.u8(0);
            self.encoder.count(self.vars.len() - 1 - position);
            return;
        }
        let mut known = self.variables.iter().take(KNOWN);
        if let Some(number) = known.position(|&v| v == var) {
            return self.encoder.u8(KNOWN_VARIABLE + number as u8);
        }
        self.variables.push(var);
        let variable = &self.program.vars[var];
        self.encoder.u8(1 + kind_tag(variable.kind));
        self.encoder.str(self.program.name(variable.name));
    }

    /// The number of a function written before, or nought and its name.
    fn function(&mut self, name: Symbol, func: Option<FuncId>) {
        let mut known = self.functions.iter().take(KNOWN);
        if let Some(number) = known.position(|&f| f == (name, func)) {
            return self.encoder.count(number + 1);
        }
        self.functions.push((name, func));
        self.encoder.count(0);
        self.encoder.str(self.program.name(name));
    }

    fn type_args(&mut self, id: ExprId) {
        let args = self.program.type_args.get(&id);
        self.types(args.map_or(&[], |args| args));
    }

    fn types(&mut self, types: &[TypeId]) {
        self.encoder.count(types.len());
        types.iter().for_each(|&ty| self.ty(ty));
    }

    fn binder(&mut self, binder: &Binder) {
        self.encoder.u8(19);
        self.encoder.u8(tags::binder_tag(binder.kind));
        self.encoder.count(binder.type_params.len());
        self.type_vars.extend(&binder.type_params);
        self.encoder.count(binder.vars.len());
        for &var in &binder.vars {
            self.ty(self.program.vars[var]
                .ty
                .unwrap_or(self.program.types.bool()));
        }
        self.vars.extend(&binder.vars);
        self.encoder.count(binder.triggers.len());
        for trigger in &binder.triggers {
            self.encoder.bool(trigger.positive);
            self.list(&trigger.exprs);
        }
        let weight = self.program.int_attribute(&binder.attrs, "weight");
        let weight = weight.map(ToString::to_string);
        self.encoder
            .option(weight.as_deref(), |encoder, text| encoder.str(text));
        let qid = self.program.str_attribute(&binder.attrs, "qid");
        self.encoder.option(qid, |encoder, text| encoder.str(text));
        self.expr(binder.body);
        self.vars.truncate(self.vars.len() - binder.vars.len());
        let outer = self.type_vars.len() - binder.type_params.len();
        self.type_vars.truncate(outer);
    }

    fn let_expr(&mut self, binding: &LetExpr) {
        self.encoder.u8(20);
        self.list(&binding.values);
        self.vars.extend(&binding.vars);
        self.expr(binding.body);
        self.vars.truncate(self.vars.len() - binding.vars.len());
    }

    fn ty(&mut self, ty: TypeId) {
        if self.type_vars.is_empty()
            && let Some(number) = self.types.iter().position(|&t| t == ty)
        {
            debug_assert!(number < KNOWN, "a type that is referred to has a tag");
            return self.encoder.u8(KNOWN_TYPE + number as u8);
        }
        match self.program.types.get(ty) {
            Type::Int => self.encoder.u8(0),
            Type::Real => self.encoder.u8(1),
            Type::Bool => self.encoder.u8(2),
            Type::RMode => self.encoder.u8(3),
            Type::Str => self.encoder.u8(4),
            Type::RegEx => self.encoder.u8(5),
            Type::Bv(width) => {
                self.encoder.u8(6);
                self.encoder.u32(*width);
            }
            Type::Float(s, e) => {
                self.encoder.u8(7);
                self.encoder.u32(*s);
                self.encoder.u32(*e);
            }
            Type::Var(var) => match self.type_vars.iter().rposition(|v| v == var) {
                Some(position) => {
                    self.encoder.u8(8);
                    self.encoder.count(self.type_vars.len() - 1 - position);
                }
                None => {
                    self.encoder.u8(9);
                    let name = self.program.type_vars[*var].name;
                    self.encoder.str(self.program.name(name));
                }
            },
            Type::Bound { depth, index } => {
                self.encoder.u8(10);
                self.encoder.u32(*depth);
                self.encoder.u32(*index);
            }
            Type::Ctor(ctor, args) => {
                self.encoder.u8(11);
                let name = self.program.type_ctors[*ctor].name;
                self.encoder.str(self.program.name(name));
                self.types(args);
                self.keep_type(ty);
            }
            Type::Map {
                params,
                args,
                result,
            } => {
                self.encoder.u8(12);
                self.encoder.u32(*params);
                self.types(args);
                self.ty(*result);
                self.keep_type(ty);
            }
        }
    }

    /// From now on the type can be referred to. Not in the scope of type parameters, which give it another form elsewhere.
    fn keep_type(&mut self, ty: TypeId) {
        if self.type_vars.is_empty() && self.types.len() < KNOWN {
            self.types.push(ty);
        }
    }
}

/// Where [`decode`] looks names up.
pub(crate) struct Scope {
    /// Variables other than bound ones, by kind and name.
    pub(crate) vars: FastMap<(VarKindTag, String), VarId>,
    pub(crate) funcs: FastMap<String, FuncId>,
    pub(crate) ctors: FastMap<String, TypeCtorId>,
    /// Free type parameters.
    pub(crate) type_vars: FastMap<String, TypeVarId>,
    /// The place of everything read.
    pub(crate) span: Span,
}

/// The kind of a variable as a number of the canonical form.
pub(crate) type VarKindTag = u8;

/// Reads an expression written by [`encode`] into a program.
pub(crate) fn decode(
    program: &mut Program,
    scope: &Scope,
    decoder: &mut Decoder<'_>,
) -> Result<ExprId, DecodeError> {
    Reader {
        program,
        scope,
        decoder,
        vars: Vec::new(),
        type_vars: Vec::new(),
        types: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        depth: 0,
    }
    .expr()
}

struct Reader<'a, 'b> {
    program: &'a mut Program,
    scope: &'a Scope,
    decoder: &'a mut Decoder<'b>,
    vars: Vec<VarId>,
    type_vars: Vec<TypeVarId>,
    types: Vec<TypeId>,
    variables: Vec<VarId>,
    functions: Vec<FuncId>,
    depth: u32,
}

type Read<T> = Result<T, DecodeError>;
const BAD: DecodeError = DecodeError::OutOfRange;

impl Reader<'_, '_> {
    fn expr(&mut self) -> Read<ExprId> {
        self.depth += 1;
        if self.depth > 100_000 {
            return Err(BAD);
        }
        let tag = self.decoder.u8()?;
        let mut type_args: Box<[TypeId]> = Box::default();
        let kind = match tag {
            0 => ExprKind::Bool(self.decoder.bool()?),
            1 => ExprKind::Int(Box::new(self.number()?)),
            2 => ExprKind::Real(Box::new(Decimal {
                mantissa: self.number()?,
                exponent: i32::try_from(self.decoder.i64()?).map_err(|_| BAD)?,
            })),
            3 => ExprKind::Bv {
                value: Box::new(self.number()?),
                width: self.decoder.u32()?,
            },
            4 => ExprKind::Float(Box::new(self.float()?)),
            5 => ExprKind::Rounding(tags::rounding(self.decoder.u8()?)?),
            6 => ExprKind::Str(self.decoder.str()?.into()),
            7 => self.ident()?,
            8 => ExprKind::Old(self.expr()?),
            9 => {
                let op = tags::unary(self.decoder.u8()?)?;
                ExprKind::Unary(op, self.expr()?)
            }
            10 => {
                let op = tags::binary(self.decoder.u8()?)?;
                ExprKind::Binary(op, self.expr()?, self.expr()?)
            }
            11 => ExprKind::Ite(self.expr()?, self.expr()?, self.expr()?),
            12 => ExprKind::ToInt(self.expr()?),
            13 => ExprKind::ToReal(self.expr()?),
            14 => {
                let func = self.function()?;
                type_args = self.type_args()?;
                let args = self.list()?;
                if args.len() != self.program.funcs[func].ins.len() {
                    return Err(BAD);
                }
                ExprKind::Call {
                    name: self.program.funcs[func].name,
                    func: Some(func),
                    args,
                }
            }
            15 => {
                type_args = self.type_args()?;
                ExprKind::Select {
                    map: self.expr()?,
                    indices: self.list()?,
                }
            }
            16 => {
                type_args = self.type_args()?;
                ExprKind::Store {
                    map: self.expr()?,
                    indices: self.list()?,
                    value: self.expr()?,
                }
            }
            17 => ExprKind::Extract {
                end: self.decoder.u32()?,
                start: self.decoder.u32()?,
                arg: self.expr()?,
            },
            18 => ExprKind::Concat(self.expr()?, self.expr()?),
            19 => self.binder()?,
            20 => self.let_expr()?,
            _ => return Err(BAD),
        };
        let ty = self.ty()?;
        self.depth -= 1;
        if let ExprKind::Ident { var: Some(var), .. } = &kind
            && self.program.vars[*var].ty != Some(ty)
        {
            return Err(BAD);
        }
        let id = self.program.add_expr(self.scope.span, kind, Some(ty));
        if !type_args.is_empty() {
            self.program.type_args.insert(id, type_args);
        }
        Ok(id)
    }

    fn list(&mut self) -> Read<Box<[ExprId]>> {
        let count = self.decoder.length()?;
        (0..count).map(|_| self.expr()).collect()
    }

    fn number(&mut self) -> Read<BigInt> {
        Ok(BigInt::from_signed_bytes_le(self.decoder.raw()?))
    }

    fn float(&mut self) -> Read<FloatLit> {
        let significand_bits = self.decoder.u32()?;
        let exponent_bits = self.decoder.u32()?;
        let value = match self.decoder.u8()? {
            0 => FloatValue::Nan,
            1 => FloatValue::Infinity {
                negative: self.decoder.bool()?,
            },
            2 => FloatValue::Finite {
                negative: self.decoder.bool()?,
                exponent: self.number()?,
                significand: self.number()?,
            },
            _ => return Err(BAD),
        };
        Ok(FloatLit {
            significand_bits,
            exponent_bits,
            value,
        })
    }

    fn ident(&mut self) -> Read<ExprKind> {
        let tag = self.decoder.u8()?;
        let var = if tag == 0 {
            outward(&self.vars, self.decoder.count()?)?
        } else if tag >= KNOWN_VARIABLE {
            let number = usize::from(tag - KNOWN_VARIABLE);
            *self.variables.get(number).ok_or(BAD)?
        } else {
            let name = self.decoder.str()?;
            let key = (tag - 1, name.to_owned());
            let var = *self.scope.vars.get(&key).ok_or(BAD)?;
            self.variables.push(var);
            var
        };
        Ok(ExprKind::Ident {
            name: self.program.vars[var].name,
            var: Some(var),
        })
    }

    fn function(&mut self) -> Read<FuncId> {
        if let Some(number) = self.decoder.count()?.checked_sub(1) {
            return self.functions.get(number).copied().ok_or(BAD);
        }
        let func = *self.scope.funcs.get(self.decoder.str()?).ok_or(BAD)?;
        self.functions.push(func);
        Ok(func)
    }

    fn type_args(&mut self) -> Read<Box<[TypeId]>> {
        let count = self.decoder.length()?;
        (0..count).map(|_| self.ty()).collect()
    }

    fn bound(&mut self, ty: Option<TypeId>) -> VarId {
        let name = self.program.names.intern("b");
        self.program.vars.push(Variable {
            name,
            span: self.scope.span,
            kind: VarKind::Bound,
            type_expr: None,
            ty,
            where_clause: None,
            attrs: Attributes::default(),
        })
    }

    fn binder(&mut self) -> Read<ExprKind> {
        let kind = tags::binder(self.decoder.u8()?)?;
        let outer_types = self.type_vars.len();
        for _ in 0..self.decoder.length()? {
            let name = self.program.names.intern("t");
            let var = self.program.type_vars.push(TypeVar {
                name,
                span: self.scope.span,
            });
            self.type_vars.push(var);
        }
        let outer = self.vars.len();
        let mut types = Vec::new();
        for _ in 0..self.decoder.length()? {
            types.push(self.ty()?);
        }
        for ty in types {
            let var = self.bound(Some(ty));
            self.vars.push(var);
        }
        let mut triggers = Vec::new();
        for _ in 0..self.decoder.length()? {
            triggers.push(Trigger {
                span: self.scope.span,
                positive: self.decoder.bool()?,
                exprs: self.list()?.into_vec(),
            });
        }
        let mut attrs = Attributes::default();
        if self.decoder.bool()? {
            let value: BigInt = self.decoder.str()?.parse().map_err(|_| BAD)?;
            let int = self.program.types.int();
            let kind = ExprKind::Int(Box::new(value));
            let value = self.program.add_expr(self.scope.span, kind, Some(int));
            self.attribute(&mut attrs, "weight", AttrParam::Expr(value));
        }
        if self.decoder.bool()? {
            let text = self.decoder.str()?.into();
            self.attribute(&mut attrs, "qid", AttrParam::Str(text));
        }
        let body = self.expr()?;
        let vars = self.vars.split_off(outer);
        let type_params = self.type_vars.split_off(outer_types);
        Ok(ExprKind::Binder(Box::new(Binder {
            kind,
            type_params,
            vars,
            attrs,
            triggers,
            body,
        })))
    }

    fn attribute(&mut self, attrs: &mut Attributes, key: &str, param: AttrParam) {
        attrs.0.push(Attribute {
            span: self.scope.span,
            key: self.program.names.intern(key),
            params: vec![param],
        });
    }

    fn let_expr(&mut self) -> Read<ExprKind> {
        let values = self.list()?.into_vec();
        let outer = self.vars.len();
        for &value in &values {
            let ty = self.program.exprs[value].ty;
            let var = self.bound(ty);
            self.vars.push(var);
        }
        let body = self.expr()?;
        let vars = self.vars.split_off(outer);
        Ok(ExprKind::Let(Box::new(LetExpr {
            vars,
            values,
            attrs: Attributes::default(),
            body,
        })))
    }

    fn ty(&mut self) -> Read<TypeId> {
        let tag = self.decoder.u8()?;
        if let Some(number) = tag.checked_sub(KNOWN_TYPE) {
            let known = self.types.get(usize::from(number));
            return known.copied().ok_or(BAD);
        }
        let ty = match tag {
            0 => Type::Int,
            1 => Type::Real,
            2 => Type::Bool,
            3 => Type::RMode,
            4 => Type::Str,
            5 => Type::RegEx,
            6 => Type::Bv(self.decoder.u32()?),
            7 => Type::Float(self.decoder.u32()?, self.decoder.u32()?),
            8 => Type::Var(outward(&self.type_vars, self.decoder.count()?)?),
            9 => {
                let name = self.decoder.str()?;
                Type::Var(*self.scope.type_vars.get(name).ok_or(BAD)?)
            }
            10 => Type::Bound {
                depth: self.decoder.u32()?,
                index: self.decoder.u32()?,
            },
            11 => {
                let name = self.decoder.str()?;
                let ctor = *self.scope.ctors.get(name).ok_or(BAD)?;
                let args = self.type_args()?;
                if args.len() != self.program.type_ctors[ctor].params.len() {
                    return Err(BAD);
                }
                Type::Ctor(ctor, args)
            }
            12 => Type::Map {
                params: self.decoder.u32()?,
                args: self.type_args()?,
                result: self.ty()?,
            },
            _ => return Err(BAD),
        };
        let is_composed = matches!(ty, Type::Ctor(..) | Type::Map { .. });
        let ty = self.program.types.intern(ty);
        if is_composed && self.type_vars.is_empty() && self.types.len() < KNOWN {
            self.types.push(ty);
        }
        Ok(ty)
    }
}

/// What was bound that many binders outwards.
fn outward<T: Copy>(bound: &[T], distance: usize) -> Read<T> {
    bound.iter().rev().nth(distance).copied().ok_or(BAD)
}
