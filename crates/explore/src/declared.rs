//! Functions that a module of the program declares with other types than another one defines them with.
//!
//! C leaves calls through such a declaration undefined and linkers say nothing. Here they are calls with other types (`shape`), and the
//! difference is a notice where the function is defined, whether it is called or not. Declarations without a prototype say nothing about
//! parameters, so only their results are compared; neither do declarations of what a library defines, whose headers may be others.

use crate::lower::shape;
use crate::program::Program;
use crate::report::Location;
use crate::shape::{Class, Shape};
use stet_llvm::{Function, Module, ObjectRef, Target};

/// What there is to say about each such function, in the order of the declarations.
pub(crate) fn declared_otherwise(program: &Program) -> Vec<(String, Location)> {
    let mut told: Vec<(String, Location)> = Vec::new();
    for (index, module) in program.modules.iter().enumerate() {
        if program.is_library(index as u32) {
            continue;
        }
        for (_, declared) in module.functions.iter().filter(|(_, f)| f.body.is_none()) {
            let name = module.name(declared.name);
            let Some(ObjectRef {
                module: home,
                target: Target::Function(id),
            }) = program.linked.exported(name)
            else {
                continue;
            };
            if program.is_library(home) {
                continue;
            }
            let owner = &program.modules[home as usize];
            let defined = &owner.functions[id];
            let (own, other) = (shape(module, declared), shape(owner, defined));
            if !differ((&own, declared), (&other, defined)) {
                continue;
            }
            let notice = format!(
                "`{name}` is declared as `{}` and defined as `{}`: calls through the declaration pass what the definition's registers hold",
                signature(&own, declared),
                signature(&other, defined)
            );
            if !told.iter().any(|(known, _)| *known == notice) {
                told.push((notice, place_of(owner, defined, home as usize)));
            }
        }
    }
    told
}

/// Whether a call through the declaration would be one with other types.
fn differ(declared: (&Shape, &Function), defined: (&Shape, &Function)) -> bool {
    let (own, other) = (declared.0, defined.0);
    if !own.result.is_like(&other.result) {
        return true;
    }
    let unprototyped = declared.1.varargs && own.params.is_empty();
    let is_shorter = own.params.len() != other.params.len();
    let has_others = declared.1.varargs != defined.1.varargs || is_shorter;
    let mut pairs = own.params.iter().zip(&other.params);
    !unprototyped && (has_others || !pairs.all(|(a, b)| a.is_like(b)))
}

fn place_of(owner: &Module, function: &Function, module: usize) -> Location {
    let place = owner.debug.place(function.debug);
    let (file, directory, line) = match place {
        Some(place) => (place.file, place.directory, place.line),
        None => Default::default(),
    };
    Location {
        file,
        directory,
        line,
        function: owner.name(function.name).to_owned(),
        assembly: (module, function.position),
        ..Location::default()
    }
}

/// The types of a function as they are passed.
fn signature(shape: &Shape, function: &Function) -> String {
    let mut params: Vec<String> = shape.params.iter().map(type_name).collect();
    if function.varargs {
        params.push("...".to_owned());
    }
    format!("{} ({})", type_name(&shape.result), params.join(", "))
}

fn type_name(class: &Class) -> String {
    match class {
        Class::Nothing => "void".to_owned(),
        Class::Whole(bits, _) => format!("i{bits}"),
        Class::Float(bits) => format!("f{bits}"),
        Class::Vector(bytes) => format!("vector of {bytes} bytes"),
        Class::Copy(bytes, _) | Class::Other(bytes) => format!("structure of {bytes} bytes"),
        Class::Fields(fields) => {
            let fields: Vec<String> = fields.iter().map(type_name).collect();
            format!("{{ {} }}", fields.join(", "))
        }
    }
}
