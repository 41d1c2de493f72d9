//! Linking: which definition each symbol of several modules means. Modules are not copied.
//!
//! Strong definitions win over weak ones, weak over tentative ones, all of them over declarations. A *library*
//! module gives definitions only for what the program does not define itself, as an archive does.

use crate::module::{FunctionId, GlobalId, Linkage, Module};
use stet_base::FastMap;

/// Something a name can mean, in a given module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A function.
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

/// Two modules define the same name.
#[derive(Clone, Debug)]
pub struct LinkError {
    /// The name.
    pub name: String,
    /// The two modules.
    pub modules: (usize, usize),
}

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
    let mut linked = Linked::default();
    let mut ranks: FastMap<String, (u32, usize)> = FastMap::default();
    for (index, module) in modules.iter().enumerate() {
        let is_library = library.get(index).copied().unwrap_or(false);
        let mut local = FastMap::default();
        let mut offer = |name: &str, linkage: Linkage, defined: bool, target: Target| {
            if matches!(linkage, Linkage::Internal | Linkage::Appending) {
                if defined {
                    local.insert(name.to_owned(), target);
                }
                return Ok(());
            }
            if !defined || linkage == Linkage::ExternWeak {
                return Ok(());
            }
            let rank = rank(linkage, is_library);
            match ranks.get(name) {
                Some(&(known, other)) if known == rank && strong(linkage) && !is_library => {
                    return Err(LinkError {
                        name: name.to_owned(),
                        modules: (other, index),
                    });
                }
                Some(&(known, _)) if known >= rank => return Ok(()),
                _ => {}
            }
            ranks.insert(name.to_owned(), (rank, index));
            let reference = ObjectRef {
                module: index as u32,
                target,
            };
            linked.exported.insert(name.to_owned(), reference);
            Ok(())
        };
        for (id, function) in module.functions.iter() {
            let name = module.name(function.name);
            offer(
                name,
                function.linkage,
                function.body.is_some(),
                Target::Function(id),
            )?;
        }
        for (id, global) in module.globals.iter() {
            let name = module.name(global.name);
            offer(
                name,
                global.linkage,
                global.init.is_some(),
                Target::Global(id),
            )?;
        }
        for (position, alias) in module.aliases.iter().enumerate() {
            let name = module.name(alias.name);
            offer(name, alias.linkage, true, Target::Alias(position as u32))?;
        }
        linked.local.push(local);
    }
    Ok(linked)
}

fn strong(linkage: Linkage) -> bool {
    linkage == Linkage::External
}

fn rank(linkage: Linkage, library: bool) -> u32 {
    let own = match linkage {
        Linkage::External => 4,
        Linkage::Common => 3,
        Linkage::Weak => 2,
        _ => 1,
    };
    if library { own } else { own + 10 }
}
