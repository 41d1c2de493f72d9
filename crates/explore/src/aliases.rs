//! Functions that stand in for others (`--function-alias`): which names mean which functions, decided before linking.
//!
//! A name may be a pattern of literal characters, `.` and `*`, which must match a whole name. The type of the replacement
//! must fit. Aliases apply one after the other, so that a replacement may be replaced by a later one.

use stet_base::FastMap;
use stet_llvm::{Module, Type, TypeId};

/// The outcome: what each name means, and what is told about it (`true`: as a warning).
pub(crate) type Resolved = (FastMap<String, String>, Vec<(bool, String)>);

struct Signature {
    name: String,
    result: String,
    params: Vec<String>,
    varargs: bool,
}

/// Carries out the aliases.
pub(crate) fn resolve(modules: &[Module], wanted: &[(String, String)]) -> Result<Resolved, String> {
    let mut meaning: FastMap<String, String> = FastMap::default();
    let mut told = Vec::new();
    if wanted.is_empty() {
        return Ok((meaning, told));
    }
    let functions = signatures(modules);
    for (pattern, replacement) in wanted {
        let Some(target) = functions.iter().find(|f| f.name == *replacement) else {
            return Err(format!(
                "function-alias: replacement function @{replacement} could not be found"
            ));
        };
        let is_name = functions.iter().any(|f| f.name == *pattern);
        if is_name && pattern == replacement {
            return Err(format!("function-alias: @{pattern} cannot replace itself"));
        }
        let mut replaced = 0;
        for function in &functions {
            let fits = match is_name {
                true => function.name == *pattern,
                false => matches(pattern.as_bytes(), function.name.as_bytes()),
            };
            if !fits {
                continue;
            }
            let from = &function.name;
            let how = match is_name {
                true => String::new(),
                false => format!(" (matching '{pattern}')"),
            };
            if from == replacement {
                let text = format!(
                    "function-alias: do not replace @{from}{how} with @{replacement}: cannot replace itself"
                );
                told.push((true, text));
                continue;
            }
            if let Some(why) = difference(function, target) {
                let text = format!(
                    "function-alias: @{from} could not be replaced with @{replacement}: {why}"
                );
                told.push((true, text));
                continue;
            }
            replaced += 1;
            told.push((
                false,
                format!("function-alias: replaced @{from}{how} with @{replacement}"),
            ));
            for known in meaning.values_mut().filter(|known| *known == from) {
                replacement.clone_into(known);
            }
            meaning.insert(from.clone(), replacement.clone());
        }
        if replaced == 0 {
            let warnings = told
                .iter()
                .map(|(_, text)| format!("\nKLEE: WARNING: {text}"));
            let warnings: String = warnings.collect();
            return Err(format!(
                "function-alias: no (replacable) match for '{pattern}' found{warnings}"
            ));
        }
    }
    Ok((meaning, told))
}

fn signatures(modules: &[Module]) -> Vec<Signature> {
    let mut all: Vec<Signature> = Vec::new();
    for module in modules {
        let text = |ty: TypeId| format!("{:?}", module.types.get(ty));
        for (_, function) in module.functions.iter() {
            let name = module.name(function.name);
            if name.starts_with("llvm.") || all.iter().any(|known| known.name == name) {
                continue;
            }
            all.push(Signature {
                name: name.to_owned(),
                result: text(function.result),
                params: function.params.iter().map(|param| text(param.ty)).collect(),
                varargs: function.varargs,
            });
        }
        for alias in &module.aliases {
            let name = module.name(alias.name);
            let ty = module.types.get(alias.value_type);
            let (
                Type::Function {
                    result,
                    params,
                    varargs,
                },
                false,
            ) = (ty, all.iter().any(|known| known.name == name))
            else {
                continue;
            };
            all.push(Signature {
                name: name.to_owned(),
                result: text(*result),
                params: params.iter().map(|&param| text(param)).collect(),
                varargs: *varargs,
            });
        }
    }
    all
}

fn difference(from: &Signature, to: &Signature) -> Option<&'static str> {
    if from.result != to.result {
        return Some("return types differ");
    }
    if from.varargs != to.varargs {
        return Some("one has varargs while the other does not");
    }
    if from.params.len() != to.params.len() {
        return Some("they have different numbers of parameters");
    }
    (from.params != to.params).then_some("parameter types differ")
}

/// Whether a pattern matches a whole name; every repetition is as long as it has to be.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let mut states = vec![false; pattern.len() + 1];
    let starred = |at: usize| pattern.get(at + 1) == Some(&b'*');
    let open = |states: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            if states[at] && starred(at) {
                states[at + 2] = true;
            }
        }
    };
    states[0] = true;
    open(&mut states);
    for &byte in name {
        let mut next = vec![false; pattern.len() + 1];
        for at in 0..pattern.len() {
            let is_star = pattern[at] == b'*' && at > 0;
            if !states[at] || is_star || !(pattern[at] == b'.' || pattern[at] == byte) {
                continue;
            }
            next[if starred(at) { at } else { at + 1 }] = true;
        }
        open(&mut next);
        states = next;
    }
    states[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("two.*", "twoints", true),
            ("two.*", "atwo", false),
            (".*ints.*", "twointsmul", true),
            ("a*b", "aaab", true),
            ("a*b", "b", true),
            ("a*b", "ac", false),
            ("x", "xx", false),
            (".*", "", true),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }
}
