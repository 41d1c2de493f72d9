//! Datatypes with type parameters: their functions, with axioms that say what SMT-LIB's datatypes mean.
//!
//! A datatype of SMT-LIB needs a sort for every parameter, and a value of type `List T` in code that is polymorphic
//! itself has none. So constructors, selectors and testers of such a type become functions like any other, and
//! everything else (encoding of types, choice of axioms, digests) follows from their axioms.

use crate::tree;
use stet_base::FastMap;
use stet_boogie::ast::{
    Attributes, BinaryOp, Binder, BinderKind, ExprId, ExprKind, FuncId, Trigger, TypeCtorId,
    UnaryOp, VarId,
};
use stet_boogie::{DatatypeRole, Function, Program, Type, TypeId};

/// Turns the datatypes with type parameters of a program into functions; returns the axioms.
///
/// Left alone are datatypes with a constructor that is not for all type arguments, as in
/// `function {:constructor} Unit(): List int`: the encoding refuses them.
pub(crate) fn axioms(program: &mut Program) -> Vec<ExprId> {
    let general: Vec<TypeCtorId> = program
        .type_ctors
        .ids()
        .filter(|&datatype| is_general(program, datatype))
        .collect();
    let families: Vec<Family> = general
        .into_iter()
        .filter_map(|datatype| Family::new(program, datatype))
        .collect();
    let ranks: FastMap<TypeCtorId, FuncId> = families
        .iter()
        .map(|family| (family.datatype, family.rank))
        .collect();
    let mut made = Vec::new();
    for family in &families {
        for case in &family.cases {
            made.push(family.constructed(program, case, &ranks));
            made.push(family.recognised(program, case));
        }
        made.push(family.exhaustive(program));
    }
    for family in &families {
        family.forget(program);
    }
    made
}

/// Whether a type is a datatype with parameters, and every constructor makes it for all of them: the type arguments of
/// its result are its own type parameters, each once.
fn is_general(program: &Program, datatype: TypeCtorId) -> bool {
    let ctor = &program.type_ctors[datatype];
    let is_for_all = |&constructor: &FuncId| {
        let function = &program.funcs[constructor];
        let result = program.vars[function.out].ty;
        let Some(Type::Ctor(made, args)) = result.map(|ty| program.types.get(ty)) else {
            return false;
        };
        let is_param = |var| {
            args.iter()
                .any(|&arg| *program.types.get(arg) == Type::Var(var))
        };
        *made == datatype
            && args.len() == function.type_params.len()
            && function.type_params.iter().all(|&var| is_param(var))
    };
    !ctor.params.is_empty()
        && !ctor.constructors.is_empty()
        && ctor.constructors.iter().all(is_for_all)
}

/// A datatype with its functions.
struct Family {
    datatype: TypeCtorId,
    cases: Vec<Case>,
    /// The height of a value: it is greater than that of the values it was made of, so no value contains itself.
    rank: FuncId,
}

struct Case {
    constructor: FuncId,
    selectors: Vec<FuncId>,
    tester: FuncId,
}

impl Family {
    fn new(program: &mut Program, datatype: TypeCtorId) -> Option<Family> {
        let constructors = program.type_ctors[datatype].constructors.clone();
        let cases: Vec<Case> = constructors
            .into_iter()
            .map(|constructor| Case::new(program, constructor))
            .collect::<Option<_>>()?;
        // The parameter and type parameters are those of a tester.
        let tester = &program.funcs[cases.first()?.tester];
        let (span, ins, type_params) =
            (tester.span, tester.ins.clone(), tester.type_params.clone());
        // No function of the program can have this name.
        let text = format!(
            "rank of {}",
            program.name(program.type_ctors[datatype].name)
        );
        let name = program.names.intern(&text);
        let int_type = program.types.int();
        let out = tree::new_local(program, "rank", int_type, span);
        let rank = program.funcs.push(Function {
            name,
            span,
            type_params,
            ins,
            out,
            body: None,
            attrs: Attributes::default(),
            datatype: DatatypeRole::None,
        });
        Some(Family {
            datatype,
            cases,
            rank,
        })
    }

    /// From now on these are functions like any other.
    fn forget(&self, program: &mut Program) {
        program.type_ctors[self.datatype].constructors.clear();
        for case in &self.cases {
            for &func in case
                .selectors
                .iter()
                .chain([&case.constructor, &case.tester])
            {
                program.funcs[func].datatype = DatatypeRole::None;
            }
        }
    }

    /// What a constructed value is: of this constructor and no other, with these fields, higher than each of them.
    fn constructed(
        &self,
        program: &mut Program,
        case: &Case,
        ranks: &FastMap<TypeCtorId, FuncId>,
    ) -> ExprId {
        let Function { span, ins, out, .. } = program.funcs[case.constructor].clone();
        let at = type_arguments(program, out);
        let fields: Vec<ExprId> = ins
            .iter()
            .map(|&var| program.add_var_ref(span, var))
            .collect();
        let value = call(program, case.constructor, &fields, &at);
        debug_assert_eq!(
            case.selectors.len(),
            fields.len(),
            "a selector for every field"
        );
        let mut facts = Vec::new();
        for other in &self.cases {
            let test = call(program, other.tester, &[value], &at);
            let is_other = other.constructor != case.constructor;
            facts.push(if is_other { not(program, test) } else { test });
        }
        for (&selector, &field) in case.selectors.iter().zip(&fields) {
            let selected = call(program, selector, &[value], &at);
            facts.push(tree::binary(program, BinaryOp::Eq, selected, field));
        }
        let height = call(program, self.rank, &[value], &at);
        for (&var, &field) in ins.iter().zip(&fields) {
            if let Some(rank) = datatype_of(program, var).and_then(|ctor| ranks.get(&ctor)) {
                let at = type_arguments(program, var);
                let part = call(program, *rank, &[field], &at);
                facts.push(tree::binary(program, BinaryOp::Lt, part, height));
            }
        }
        let body = joined(program, BinaryOp::And, &facts);
        forall(program, case.constructor, vec![value], body)
    }

    /// A value of a constructor was made by it from its fields.
    fn recognised(&self, program: &mut Program, case: &Case) -> ExprId {
        let (value, at) = parameter(program, case.tester);
        let test = call(program, case.tester, &[value], &at);
        let fields: Vec<ExprId> = case
            .selectors
            .iter()
            .map(|&selector| call(program, selector, &[value], &at))
            .collect();
        let made = call(program, case.constructor, &fields, &at);
        let equal = tree::binary(program, BinaryOp::Eq, value, made);
        let body = tree::binary(program, BinaryOp::Imp, test, equal);
        forall(program, case.tester, vec![test], body)
    }

    /// Every value is of some constructor: asked for by a test or a selection.
    fn exhaustive(&self, program: &mut Program) -> ExprId {
        let first = self.cases[0].tester;
        let (value, at) = parameter(program, first);
        let mut tests = Vec::new();
        let mut selections = Vec::new();
        for case in &self.cases {
            tests.push(call(program, case.tester, &[value], &at));
            for &selector in &case.selectors {
                selections.push(call(program, selector, &[value], &at));
            }
        }
        let body = joined(program, BinaryOp::Or, &tests);
        let triggers = tests.into_iter().chain(selections).collect();
        forall(program, first, triggers, body)
    }
}

impl Case {
    fn new(program: &Program, constructor: FuncId) -> Option<Case> {
        let find = |role: DatatypeRole| {
            let mut funcs = program.funcs.iter();
            funcs
                .find(|(_, function)| function.datatype == role)
                .map(|(id, _)| id)
        };
        let fields = 0..program.funcs[constructor].ins.len() as u32;
        Some(Case {
            constructor,
            selectors: fields
                .map(|field| find(DatatypeRole::Selector { constructor, field }))
                .collect::<Option<_>>()?,
            tester: find(DatatypeRole::Tester { constructor })?,
        })
    }
}

/// The datatype (or other declared type) of a variable.
fn datatype_of(program: &Program, var: VarId) -> Option<TypeCtorId> {
    match program.types.get(program.vars[var].ty?) {
        Type::Ctor(ctor, _) => Some(*ctor),
        _ => None,
    }
}

/// The type arguments in the type of a variable.
fn type_arguments(program: &Program, var: VarId) -> Box<[TypeId]> {
    match program.vars[var].ty.map(|ty| program.types.get(ty)) {
        Some(Type::Ctor(_, args)) => args.clone(),
        _ => Box::default(),
    }
}

/// The parameter of a selector, tester or rank, and the type arguments of its type.
fn parameter(program: &mut Program, func: FuncId) -> (ExprId, Box<[TypeId]>) {
    let Function { span, ref ins, .. } = program.funcs[func];
    debug_assert_eq!(
        ins.len(),
        1,
        "selectors, testers and ranks are of one value"
    );
    let var = ins[0];
    let at = type_arguments(program, var);
    (program.add_var_ref(span, var), at)
}

/// Applies a function of a datatype to values, where the datatype's type arguments are `at`.
fn call(program: &mut Program, func: FuncId, args: &[ExprId], at: &[TypeId]) -> ExprId {
    let Function { name, span, .. } = program.funcs[func];
    let Function {
        ins,
        out,
        type_params,
        datatype,
        ..
    } = program.funcs[func].clone();
    debug_assert_eq!(
        args.len(),
        ins.len(),
        "a call has an argument for every parameter"
    );
    let is_constructor = datatype == DatatypeRole::Constructor;
    let of_datatype = if is_constructor { out } else { ins[0] };
    let mut by = FastMap::default();
    for (&param, &arg) in type_arguments(program, of_datatype).iter().zip(at) {
        if let Type::Var(var) = program.types.get(param) {
            by.insert(*var, arg);
        }
    }
    debug_assert!(
        type_params.iter().all(|var| by.contains_key(var)),
        "the type arguments of a datatype determine those of its functions"
    );
    let bool_type = program.types.bool();
    let ty = program.vars[out].ty.unwrap_or(bool_type);
    let ty = program.types.substitute(ty, &by);
    let kind = ExprKind::Call {
        name,
        func: Some(func),
        args: args.into(),
    };
    let call = program.add_expr(span, kind, Some(ty));
    let types = type_params.iter().filter_map(|var| by.get(var).copied());
    program.type_args.insert(call, types.collect());
    call
}

fn not(program: &mut Program, expr: ExprId) -> ExprId {
    let bool_type = program.types.bool();
    let span = program.exprs[expr].span;
    program.add_expr(span, ExprKind::Unary(UnaryOp::Not, expr), Some(bool_type))
}

/// Formulas joined by an operator; there is at least one.
fn joined(program: &mut Program, op: BinaryOp, formulas: &[ExprId]) -> ExprId {
    debug_assert!(!formulas.is_empty(), "a datatype has a constructor");
    let mut all = formulas[0];
    for &formula in &formulas[1..] {
        all = tree::binary(program, op, all, formula);
    }
    all
}

/// A fact about all arguments of a function, woken by any of `triggers`.
fn forall(program: &mut Program, func: FuncId, triggers: Vec<ExprId>, body: ExprId) -> ExprId {
    let Function {
        span,
        ins,
        type_params,
        ..
    } = program.funcs[func].clone();
    let trigger = |expr| Trigger {
        span,
        positive: true,
        exprs: vec![expr],
    };
    let binder = Binder {
        kind: BinderKind::Forall,
        type_params,
        vars: ins,
        attrs: Attributes::default(),
        triggers: triggers.into_iter().map(trigger).collect(),
        body,
    };
    let bool_type = program.types.bool();
    program.add_expr(span, ExprKind::Binder(Box::new(binder)), Some(bool_type))
}
