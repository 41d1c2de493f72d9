//! Linking: which definition each symbol of several modules means. Modules are not copied.
//!
//! Strong definitions win over weak ones, weak over tentative ones, all of them over declarations; of several tentative
//! definitions of a variable the largest wins. A *library* module gives definitions only for what the program does not define
//! itself, as an archive does: the first library that defines a name wins, however it defines it.
//!
//! Modules that cannot work together are refused:
//!
//! - two strong definitions of one name in the program;
//! - different sizes or alignments of types (`target datalayout`);
//! - another processor or operating system (`target triple`), which may pass arguments in another way;
//! - a function with `long double` in its signature whose declaration and definition have another format for it.

use crate::module::{Function, FunctionId, GlobalId, Linkage, Module};
use crate::types::{FloatKind, Type, TypeId};
use stet_base::FastMap;

/// Something a name can mean, in a given module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    Function(FunctionId),
    /// A global variable.
    Global(GlobalId),
    /// An alias, by its position in the module's list.
    Alias(u32),
}

/// A target and the module it is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ObjectRef {
    /// The index of the module.
    pub module: u32,
    /// What it is there.
    pub target: Target,
}

/// Why modules cannot be linked; modules are given by their positions.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LinkError {
    /// Two modules of the program define the same name.
    Duplicate {
        name: String,
        modules: (usize, usize),
    },
    /// Types have different sizes or alignments.
    Layout {
        modules: (usize, usize),
        /// Their data layouts.
        layouts: (String, String),
    },
    /// The modules are for different machines.
    Triple {
        modules: (usize, usize),
        /// Their target triples.
        triples: (String, String),
    },
    /// A function is declared with one format of `long double` and defined with another.
    LongDouble {
        name: String,
        /// The module that declares it, and the one that defines it.
        modules: (usize, usize),
    },
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkError::Duplicate { name, .. } => write!(f, "`{name}` is defined twice"),
            LinkError::Layout { layouts, .. } => write!(
                f,
                "inputs have different data layouts: `{}` and `{}`",
                layouts.0, layouts.1
            ),
            LinkError::Triple { triples, .. } => write!(
                f,
                "inputs are compiled for different targets: `{}` and `{}`",
                triples.0, triples.1
            ),
            LinkError::LongDouble { name, .. } => write!(
                f,
                "inputs have different formats of long double: `{name}` is declared with one and defined with another"
            ),
        }
    }
}

impl std::error::Error for LinkError {}

/// The symbols of a program.
#[derive(Debug, Default)]
pub struct Linked {
    exported: FastMap<String, ObjectRef>,
    local: Vec<FastMap<String, Target>>,
}

impl Linked {
    /// What a name means in a module: its own private definition, or the program's.
    pub fn resolve(&self, module: usize, name: &str) -> Option<ObjectRef> {
        let private = self.local.get(module).and_then(|names| names.get(name));
        match private {
            Some(&target) => Some(ObjectRef {
                module: module as u32,
                target,
            }),
            None => self.exported.get(name).copied(),
        }
    }

    /// The definition of a name other modules can see.
    pub fn exported(&self, name: &str) -> Option<ObjectRef> {
        self.exported.get(name).copied()
    }
}

/// Links modules; `library[i]` says that module `i` only fills gaps.
pub fn link(modules: &[Module], library: &[bool]) -> Result<Linked, LinkError> {
    check_targets(modules)?;
    let mut linked = Linked::default();
    let mut ranks: FastMap<String, Offer> = FastMap::default();
    for (index, module) in modules.iter().enumerate() {
        let is_library = library.get(index).copied().unwrap_or(false);
        let mut local = FastMap::default();
        for offer in offers(module, is_library) {
            let Offer { name, linkage, .. } = offer;
            let text = module.name(name);
            if matches!(linkage, Linkage::Internal | Linkage::Appending) {
                local.insert(text.to_owned(), offer.target);
                continue;
            }
            let offer = Offer { index, ..offer };
            match ranks.get(text) {
                Some(known) if known.clashes(&offer) => {
                    return Err(LinkError::Duplicate {
                        name: text.to_owned(),
                        modules: (known.index, index),
                    });
                }
                Some(known) if known.strength >= offer.strength => continue,
                _ => {}
            }
            let reference = ObjectRef {
                module: index as u32,
                target: offer.target,
            };
            linked.exported.insert(text.to_owned(), reference);
            ranks.insert(text.to_owned(), offer);
        }
        linked.local.push(local);
    }
    check_long_doubles(modules, &linked)?;
    Ok(linked)
}

/// A definition that a module has for a name.
struct Offer {
    name: stet_base::Symbol,
    linkage: Linkage,
    target: Target,
    index: usize,
    is_library: bool,
    /// How it compares with others: the kind of definition, and the size of a tentative one.
    strength: (u32, u64),
}

impl Offer {
    fn clashes(&self, other: &Offer) -> bool {
        let is_strong = |offer: &Offer| offer.linkage == Linkage::External && !offer.is_library;
        is_strong(self) && is_strong(other)
    }
}

fn offers(module: &Module, is_library: bool) -> Vec<Offer> {
    let offer = |name, linkage, target, size| Offer {
        name,
        linkage,
        target,
        index: 0,
        is_library,
        strength: strength(linkage, is_library, size),
    };
    let functions = module.functions.iter().filter(|(_, f)| f.body.is_some());
    let functions = functions.map(|(id, f)| offer(f.name, f.linkage, Target::Function(id), 0));
    let globals = module.globals.iter().filter(|(_, g)| g.init.is_some());
    let globals = globals.map(|(id, g)| {
        let size = module.layout.size(&module.types, g.ty);
        offer(g.name, g.linkage, Target::Global(id), size)
    });
    let aliases = module.aliases.iter().enumerate();
    let aliases = aliases.map(|(k, a)| offer(a.name, a.linkage, Target::Alias(k as u32), 0));
    let all = functions.chain(globals).chain(aliases);
    all.filter(|offer| offer.linkage != Linkage::ExternWeak)
        .collect()
}

fn strength(linkage: Linkage, is_library: bool, size: u64) -> (u32, u64) {
    match (linkage, is_library) {
        (Linkage::AvailableExternally, true) => (0, 0),
        (_, true) => (1, 0),
        (Linkage::External, false) => (14, 0),
        (Linkage::Common, false) => (13, size),
        (Linkage::Weak, false) => (12, 0),
        (_, false) => (11, 0),
    }
}

/// The function of the C library that an intrinsic on `long double` is a call of, as compilers for the platform translate it.
pub fn library_function(intrinsic: &str) -> Option<String> {
    const NAMES: &[&str] = &[
        "sin", "cos", "tan", "exp", "exp2", "log", "log2", "log10", "pow",
    ];
    let name = intrinsic.strip_prefix("llvm.")?.strip_suffix(".f80")?;
    NAMES.contains(&name).then(|| format!("{name}l"))
}

/// Sizes, alignments and calling conventions are the same in all modules, as far as they say.
fn check_targets(modules: &[Module]) -> Result<(), LinkError> {
    let Some(first) = modules.first() else {
        return Ok(());
    };
    let first_triple = modules
        .iter()
        .position(|module| machine(&module.triple).is_some());
    for (index, module) in modules.iter().enumerate().skip(1) {
        if !module.layout.agrees(&first.layout) {
            let text = |module: &Module| module.layout.text().to_owned();
            return Err(LinkError::Layout {
                modules: (0, index),
                layouts: (text(first), text(module)),
            });
        }
        let Some(known) = first_triple else { continue };
        let other = &modules[known].triple;
        if machine(&module.triple).is_some_and(|own| machine(other) != Some(own)) {
            return Err(LinkError::Triple {
                modules: (known, index),
                triples: (other.clone(), module.triple.clone()),
            });
        }
    }
    Ok(())
}

/// Processor and operating system of a triple. Vendor and C library are left out: they do not change how functions are called.
fn machine(triple: &str) -> Option<(&str, &str)> {
    const SYSTEMS: &[&str] = &[
        "linux", "windows", "darwin", "macosx", "ios", "freebsd", "netbsd", "openbsd", "none",
        "unknown", "wasi", "uefi",
    ];
    let mut parts = triple.split('-');
    let processor = parts.next().filter(|processor| !processor.is_empty())?;
    let system = parts.find_map(|part| {
        let known = SYSTEMS.iter().find(|system| part.starts_with(**system));
        known.filter(|system| **system != "unknown").copied()
    });
    Some((processor, system.unwrap_or("none")))
}

fn check_long_doubles(modules: &[Module], linked: &Linked) -> Result<(), LinkError> {
    for (index, module) in modules.iter().enumerate() {
        for (_, declared) in module.functions.iter().filter(|(_, f)| f.body.is_none()) {
            let name = module.name(declared.name);
            let Some(ObjectRef {
                module: home,
                target: Target::Function(id),
            }) = linked.exported(name)
            else {
                continue;
            };
            let owner = &modules[home as usize];
            if signatures_differ((module, declared), (owner, &owner.functions[id])) {
                return Err(LinkError::LongDouble {
                    name: name.to_owned(),
                    modules: (index, home as usize),
                });
            }
        }
    }
    Ok(())
}

/// Whether one of two signatures has a format of `long double` where the other has another floating-point type.
fn signatures_differ(a: (&Module, &Function), b: (&Module, &Function)) -> bool {
    fn float(module: &Module, ty: TypeId) -> Option<FloatKind> {
        match module.types.resolved(ty) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        }
    }
    let is_long = |kind| {
        matches!(
            kind,
            FloatKind::X86Fp80 | FloatKind::Fp128 | FloatKind::PpcFp128
        )
    };
    let types = |function: &Function| {
        let params = function.params.iter().map(|param| param.ty);
        std::iter::once(function.result)
            .chain(params)
            .collect::<Vec<_>>()
    };
    let (own, other) = (types(a.1), types(b.1));
    own.into_iter()
        .zip(other)
        .any(|(own, other)| match (float(a.0, own), float(b.0, other)) {
            (Some(own), Some(other)) => own != other && (is_long(own) || is_long(other)),
            _ => false,
        })
}
