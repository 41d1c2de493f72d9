//! Declarations and axioms of one [`Feature`]: what must stand before a text that uses it.

use super::maps::{MapClass, ShapeTerm, inverse_name};
use super::{Feature, Native, Smt, Types};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;
use stet_boogie::Program;
use stet_boogie::ast::{FuncId, TypeCtorId, VarId};

/// The text of a feature.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// Declarations of sorts, which come first.
    pub(crate) sorts: String,
    /// Declarations of functions.
    pub(crate) declarations: String,
    pub(crate) axioms: String,
    /// Its type function with its number of parameters: type functions are numbered when printed.
    pub(crate) type_function: Option<(String, usize)>,
    /// What it needs in turn.
    pub(crate) needs: BTreeSet<Feature>,
    /// What in it could not be translated.
    pub(crate) unsupported: Option<String>,
}

impl Smt {
    /// The unit of a feature, made on first use.
    pub(crate) fn unit(&mut self, program: &Program, feature: &Feature) -> Rc<Unit> {
        if let Some(unit) = self.units.get(feature) {
            return unit.clone();
        }
        let outer = std::mem::take(&mut self.needs);
        let outside = self.unsupported.take();
        let mut unit = Unit::default();
        match feature {
            Feature::Native(native) => self.native_unit(program, *native, &mut unit),
            Feature::Ctor(ctor) => self.ctor_unit(program, *ctor, &mut unit),
            Feature::Map(name) => {
                let class = self.classes[name].clone();
                self.map_unit(&class, &mut unit);
            }
            Feature::Order => order_unit(&mut unit, self.encoding.types != Types::Erased),
            Feature::NativeOrder(native) => self.native_order_unit(program, *native, &mut unit),
            Feature::Power => unit
                .declarations
                .push_str("(declare-fun real_pow (Real Real) Real)\n"),
            Feature::Func(func) => self.function_unit(program, *func, &mut unit),
            Feature::Const(var) => self.constant_unit(program, *var, &mut unit),
            Feature::Datatype(ctor) => self.datatype_unit(program, *ctor, &mut unit),
            Feature::Sort(name) => {
                let _ = writeln!(unit.sorts, "(declare-sort {name} 0)");
            }
            Feature::MapSort(name) => self.map_sort_unit(program, name, &mut unit),
            Feature::MapFunction(name) => self.map_function_unit(program, name, &mut unit),
        }
        unit.needs = std::mem::replace(&mut self.needs, outer);
        unit.unsupported = std::mem::replace(&mut self.unsupported, outside);
        let unit = Rc::new(unit);
        self.units.insert(feature.clone(), unit.clone());
        unit
    }

    fn native_unit(&mut self, program: &Program, native: Native, unit: &mut Unit) {
        let tag = self.native_tag(program, native);
        let sort = self.native_sort(program, native);
        if self.encoding.types == Types::Erased {
            let _ = write!(
                unit.declarations,
                "(declare-fun {tag}Type () T@T)\n(declare-fun {tag}_2_U ({sort}) T@U)\n\
                 (declare-fun U_2_{tag} (T@U) {sort})\n"
            );
            let _ = write!(
                unit.axioms,
                "(assert (forall ((a {sort})) (! (= (U_2_{tag} ({tag}_2_U a)) a) :pattern (({tag}_2_U a)))))\n\
                 (assert (forall ((x T@U)) (! (= ({tag}_2_U (U_2_{tag} x)) x) :pattern ((U_2_{tag} x)))))\n"
            );
            return;
        }
        unit.type_function = Some((format!("{tag}Type"), 0));
        let _ = write!(
            unit.declarations,
            "(declare-fun {tag}Type () T@T)\n(declare-fun {tag}_2_U ({sort}) T@U)\n\
             (declare-fun U_2_{tag} (T@U) {sort})\n"
        );
        let _ = write!(
            unit.axioms,
            "(assert (forall ((a {sort})) (! (= (U_2_{tag} ({tag}_2_U a)) a) :pattern (({tag}_2_U a)))))\n\
             (assert (forall ((x T@U)) (! (=> (= (type x) {tag}Type) (= ({tag}_2_U (U_2_{tag} x)) x)) \
             :pattern ((U_2_{tag} x)))))\n\
             (assert (forall ((a {sort})) (! (= (type ({tag}_2_U a)) {tag}Type) :pattern (({tag}_2_U a)))))\n"
        );
    }

    fn ctor_unit(&mut self, program: &Program, ctor: TypeCtorId, unit: &mut Unit) {
        let name = self.names.ctor(ctor);
        let params = program.type_ctors[ctor].params.len();
        self.type_function_unit(&name, params, unit);
    }

    /// A type function and its inverses.
    fn type_function_unit(&self, name: &str, params: usize, unit: &mut Unit) {
        let _ = writeln!(
            unit.declarations,
            "(declare-fun {name} ({}) T@T)",
            "T@T ".repeat(params)
        );
        let vars: Vec<String> = (0..params).map(|i| format!("a{i}")).collect();
        let head: String = vars.iter().map(|v| format!("({v} T@T) ")).collect();
        let application = applied(name, &vars);
        let typed = self.encoding.types != Types::Erased;
        for (i, var) in vars.iter().enumerate() {
            let inverse = inverse_name(name, i);
            let _ = writeln!(unit.declarations, "(declare-fun {inverse} (T@T) T@T)");
            if typed {
                let _ = writeln!(
                    unit.axioms,
                    "(assert (forall ({head}) (! (= ({inverse} {application}) {var}) :pattern ({application}))))"
                );
            }
        }
        unit.type_function = typed.then(|| (name.to_owned(), params));
    }

    /// Select and store of a class of map types, with McCarthy's axioms.
    fn map_unit(&mut self, class: &MapClass, unit: &mut Unit) {
        let name = &class.name;
        let type_name = format!("{name}Type");
        let typed = self.encoding.types != Types::Erased;
        self.type_function_unit(&type_name, class.params, unit);
        let parts = class.args.iter().chain([&class.result]);
        parts.for_each(|part| self.need_shape(part));
        let explicit = class.explicit();
        let types = "T@T ".repeat(explicit.len());
        let indices = "T@U ".repeat(class.args.len());
        let _ = write!(
            unit.declarations,
            "(declare-fun {name}Select ({types}T@U {indices}) T@U)\n\
             (declare-fun {name}Store ({types}T@U {indices}T@U) T@U)\n"
        );
        let texts = |prefix: &str| -> Vec<String> {
            (0..class.args.len())
                .map(|i| format!("{prefix}{i}"))
                .collect()
        };
        let (x, y) = (texts("x"), texts("y"));
        let type_vars: Vec<String> = explicit.iter().map(|i| format!("t{i}")).collect();
        let binders = |vars: &[&[String]]| -> String {
            let types = type_vars.iter().map(|v| format!("({v} T@T) "));
            let values = vars.iter().flat_map(|vs| vs.iter());
            let values = values.map(|v| format!("({v} T@U) "));
            types.chain(values).collect()
        };
        let (m, v) = (["m".to_owned()], ["v".to_owned()]);
        let apply = |op: &str, parts: &[&[String]]| -> String {
            let parts = std::iter::once(&type_vars[..]).chain(parts.iter().copied());
            let mut out = format!("({name}{op}");
            for part in parts.flatten() {
                let _ = write!(out, " {part}");
            }
            out.push(')');
            out
        };
        let select = apply("Select", &[&m, &x]);
        let store = apply("Store", &[&m, &x, &v]);
        // Types of results, read off the arguments.
        let own = self.own_terms(class, &x);
        let from_map = self.params_from_map(class, "(type m)");
        let mut result = String::new();
        self.shape_term(&class.result, &from_map, &own, &mut result);
        let read_back = apply("Select", &[std::slice::from_ref(&store), &x]);
        if typed {
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ({}) (! (= (type {select}) {result}) :pattern ({select}))))",
                binders(&[&m, &x])
            );
            let from_args = self.params_from_arguments(class, &x, &from_map);
            let map_type = applied(&type_name, &from_args);
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ({}) (! (= (type {store}) {map_type}) :pattern ({store}))))",
                binders(&[&m, &x, &v])
            );
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ({}) (! (=> (= (type v) {result}) (= {read_back} v)) :weight 0)))",
                binders(&[&m, &x, &v])
            );
        } else {
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ({}) (! (= {read_back} v) :weight 0)))",
                binders(&[&m, &x, &v])
            );
        }
        let read_other = apply("Select", &[std::slice::from_ref(&store), &y]);
        let unchanged = apply("Select", &[&m, &y]);
        for (a, b) in x.iter().zip(&y) {
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ({}) (! (or (= {a} {b}) (= {read_other} {unchanged})) :weight 0)))",
                binders(&[&v, &m, &x, &y])
            );
        }
        if !explicit.is_empty() {
            self.other_instance_axioms(class, unit);
        }
    }

    /// A store at one instance of a map type leaves other instances alone.
    fn other_instance_axioms(&self, class: &MapClass, unit: &mut Unit) {
        let name = &class.name;
        let explicit = class.explicit();
        let list = |prefix: &str, n: usize| -> Vec<String> {
            (0..n).map(|i| format!("{prefix}{i}")).collect()
        };
        let (s, t) = (list("s", explicit.len()), list("t", explicit.len()));
        let (x, y) = (list("x", class.args.len()), list("y", class.args.len()));
        let mut head = String::new();
        for var in s.iter().chain(&t) {
            let _ = write!(head, "({var} T@T) ");
        }
        for var in x.iter().chain(&y) {
            let _ = write!(head, "({var} T@U) ");
        }
        let (s_text, t_text) = (s.join(" "), t.join(" "));
        let (x_text, y_text) = (x.join(" "), y.join(" "));
        for (a, b) in s.iter().zip(&t) {
            let _ = writeln!(
                unit.axioms,
                "(assert (forall ({head}(m T@U) (v T@U)) (! (or (= {a} {b}) (= ({name}Select {t_text} \
                 ({name}Store {s_text} m {x_text} v) {y_text}) ({name}Select {t_text} m {y_text}))) :weight 0)))"
            );
        }
    }

    /// Terms for the own type parameters of a map type, from the types of the indices.
    fn own_terms(&self, class: &MapClass, indices: &[String]) -> Vec<String> {
        debug_assert_eq!(
            indices.len(),
            class.args.len(),
            "an index for every argument"
        );
        (0..class.own)
            .map(|own| {
                let target = ShapeTerm::Own(own);
                let mut args = class.args.iter().zip(indices);
                args.find_map(|(arg, text)| {
                    self.extract_shape(&target, arg, &format!("(type {text})"))
                })
                .unwrap_or_else(|| format!("t{own}"))
            })
            .collect()
    }

    fn params_from_map(&self, class: &MapClass, map_type: &str) -> Vec<String> {
        let type_name = format!("{}Type", class.name);
        (0..class.params)
            .map(|i| format!("({} {map_type})", inverse_name(&type_name, i)))
            .collect()
    }

    /// Terms for the abstracted types, from the indices and the value where they occur there.
    fn params_from_arguments(
        &self,
        class: &MapClass,
        indices: &[String],
        otherwise: &[String],
    ) -> Vec<String> {
        debug_assert_eq!(
            indices.len(),
            class.args.len(),
            "an index for every argument"
        );
        debug_assert_eq!(
            otherwise.len(),
            class.params,
            "a term for every abstracted type"
        );
        (0..class.params)
            .map(|i| {
                let target = ShapeTerm::Param(i);
                let args = class.args.iter().zip(indices.iter().map(String::as_str));
                let mut places = args.chain([(&class.result, "v")]);
                places
                    .find_map(|(term, text)| {
                        self.extract_shape(&target, term, &format!("(type {text})"))
                    })
                    .unwrap_or_else(|| otherwise[i].clone())
            })
            .collect()
    }

    fn native_order_unit(&mut self, program: &Program, native: Native, unit: &mut Unit) {
        let tag = self.native_tag(program, native);
        let sort = self.native_sort(program, native);
        let name = format!("UOrdering_{tag}");
        let _ = writeln!(
            unit.declarations,
            "(declare-fun {name} ({sort} {sort}) Bool)"
        );
        let _ = write!(
            unit.axioms,
            "(assert (forall ((x {sort})) (! ({name} x x) :pattern (({name} x x)))))\n\
             (assert (forall ((x {sort}) (y {sort}) (z {sort})) (! (=> (and ({name} x y) ({name} y z)) ({name} x z)) \
             :pattern (({name} x y) ({name} y z)))))\n\
             (assert (forall ((x {sort}) (y {sort})) (! (=> (and ({name} x y) ({name} y x)) (= x y)) \
             :pattern (({name} x y) ({name} y x)))))\n"
        );
    }

    fn function_unit(&mut self, program: &Program, func: FuncId, unit: &mut Unit) {
        let function = &program.funcs[func];
        let name = self.names.func(func);
        let explicit = Self::explicit_type_params(program, func);
        let bool_type = program.types.bool();
        // No function can have the names bound here.
        let mut sorts: Vec<String> = vec!["T@T".to_owned(); explicit.len()];
        let mut head = String::new();
        let mut application = format!("({name}");
        for &i in &explicit {
            let _ = write!(head, "(t!{i} T@T) ");
            let _ = write!(application, " t!{i}");
        }
        let mut arg_types = Vec::new();
        for (i, &var) in function.ins.iter().enumerate() {
            let ty = program.vars[var].ty.unwrap_or(bool_type);
            let sort = self.sort(program, ty);
            let _ = write!(head, "(x!{i} {sort}) ");
            let _ = write!(application, " x!{i}");
            sorts.push(sort);
            arg_types.push(ty);
        }
        application.push(')');
        if sorts.is_empty() {
            application = name.to_string();
        }
        let result = program.vars[function.out].ty.unwrap_or(bool_type);
        let result_sort = self.sort(program, result);
        let _ = writeln!(
            unit.declarations,
            "(declare-fun {name} ({}) {result_sort})",
            sorts.join(" ")
        );
        if !self.is_universal(program, result) || self.encoding.types == Types::Erased {
            return;
        }
        let outer = self.type_vars.clone();
        for (i, &param) in function.type_params.iter().enumerate() {
            let found = arg_types.iter().enumerate().find_map(|(k, &ty)| {
                self.is_universal(program, ty)
                    .then(|| self.extract_type_var(program, param, ty, &format!("(type x!{k})")))
                    .flatten()
            });
            let text = found.unwrap_or_else(|| format!("t!{i}"));
            self.type_vars.insert(param, text.into());
        }
        let mut term = String::new();
        self.type_term(program, result, &mut Vec::new(), &mut term);
        self.type_vars = outer;
        let _ = if head.is_empty() {
            writeln!(unit.axioms, "(assert (= (type {application}) {term}))")
        } else {
            writeln!(
                unit.axioms,
                "(assert (forall ({}) (! (= (type {application}) {term}) :pattern ({application}))))",
                head.trim_end()
            )
        };
    }

    fn constant_unit(&mut self, program: &Program, var: VarId, unit: &mut Unit) {
        let Some(name) = self.names.constant(var) else {
            return;
        };
        let ty = program.vars[var].ty.unwrap_or(program.types.bool());
        let sort = self.sort(program, ty);
        let _ = writeln!(unit.declarations, "(declare-fun {name} () {sort})");
        if let Some(premise) = self.type_premise(program, &name, ty) {
            let _ = writeln!(unit.axioms, "(assert {premise})");
        }
    }

    /// All datatypes of the program are declared together: they may be mutually recursive.
    fn datatype_unit(&mut self, program: &Program, wanted: TypeCtorId, unit: &mut Unit) {
        let all: Vec<TypeCtorId> = program
            .type_ctors
            .ids()
            .filter(|&ctor| {
                let ctor = &program.type_ctors[ctor];
                !ctor.constructors.is_empty() && ctor.params.is_empty()
            })
            .collect();
        if all.first() != Some(&wanted) {
            if let Some(&first) = all.first() {
                self.need(Feature::Datatype(first));
            }
            return;
        }
        let mut heads = String::new();
        let mut bodies = String::new();
        for &ctor in &all {
            let _ = write!(heads, "({} 0)", self.datatype_sort(program, ctor));
            bodies.push('(');
            for &constructor in &program.type_ctors[ctor].constructors {
                let name = self.names.func(constructor);
                let _ = write!(bodies, "({name}");
                for (i, &field) in program.funcs[constructor].ins.iter().enumerate() {
                    let ty = program.vars[field].ty.unwrap_or(program.types.bool());
                    let sort = self.sort(program, ty);
                    let selector = self.selector_name(program, constructor, i as u32);
                    let _ = write!(bodies, " ({selector} {sort})");
                }
                bodies.push(')');
            }
            bodies.push(')');
        }
        let _ = writeln!(unit.sorts, "(declare-datatypes ({heads}) ({bodies}))");
    }

    fn selector_name(&self, program: &Program, constructor: FuncId, field: u32) -> String {
        let role = stet_boogie::DatatypeRole::Selector { constructor, field };
        let found = program
            .funcs
            .iter()
            .find(|(_, function)| function.datatype == role);
        match found {
            Some((func, _)) => self.names.func(func).to_string(),
            None => super::names::quoted(&format!("{field}#{}", self.names.func(constructor))),
        }
    }
}

fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() {
        name.to_owned()
    } else {
        format!("({name} {})", args.join(" "))
    }
}

fn order_unit(unit: &mut Unit, typed: bool) {
    unit.declarations
        .push_str("(declare-fun UOrdering2 (T@U T@U) Bool)\n");
    let (two, three) = if typed {
        (
            "(= (type y) (type x))",
            "(and (= (type y) (type x)) (= (type z) (type x)))",
        )
    } else {
        ("true", "true")
    };
    let reflexive = if typed {
        "(! (UOrdering2 x x) :no-pattern (type x))"
    } else {
        "(UOrdering2 x x)"
    };
    let _ = write!(
        unit.axioms,
        "(assert (forall ((x T@U)) {reflexive}))\n\
         (assert (forall ((x T@U) (y T@U) (z T@U)) (! (=> (and {three} \
         (and (UOrdering2 x y) (UOrdering2 y z))) (UOrdering2 x z)) :pattern ((UOrdering2 x y) (UOrdering2 y z)))))\n\
         (assert (forall ((x T@U) (y T@U)) (! (=> {two} (=> (and (UOrdering2 x y) (UOrdering2 y x)) \
         (= x y))) :pattern ((UOrdering2 x y) (UOrdering2 y x)))))\n"
    );
}
