//! Counterexamples in Dafny's terms: the prover's model says what the functions of the translation are; from them sequences,
//! sets, multisets, maps, characters, datatypes, arrays and objects are put together.
//!
//! A model is partial and finite. What it does not say is left out or written `?`; collections are shown as far as the model
//! names their elements, with `…` where there may be more.

use std::collections::BTreeMap;
use stet_boogie::Program;
use stet_boogie::ast::ExprKind;
use stet_verify::{Model, ModelState};

/// How many elements of a collection are shown.
const SHOWN: i64 = 12;
/// How deep values are taken apart.
const DEPTH: usize = 4;

/// Reads the states of one model, in order.
pub struct Values<'m> {
    model: &'m Model,
    /// Sorts of fields, by the constants that stand for them.
    fields: BTreeMap<String, String>,
    /// Values at the entry: parameters keep them.
    entry: Option<Vec<(String, String)>>,
}

impl<'m> Values<'m> {
    /// A reader that does not know the types of fields, and leaves them out.
    pub fn new(model: &'m Model) -> Values<'m> {
        Values::with_fields(model, BTreeMap::new())
    }

    /// A reader that knows the sorts of fields ([`field_sorts`]).
    pub fn with_fields(model: &'m Model, fields: BTreeMap<String, String>) -> Values<'m> {
        Values {
            model,
            fields,
            entry: None,
        }
    }

    /// The variables of the program in a state, with their values. A parameter that nothing after the state reads has the
    /// value that it had at the entry.
    pub fn state(&mut self, state: &ModelState) -> Vec<(String, String)> {
        let heap = state.values.iter().find(|(name, _)| name == "$Heap");
        let heap = heap.map(|(_, value)| value.as_str());
        let mut found: Vec<(String, String)> = Vec::new();
        let entry = self.entry.clone().unwrap_or_default();
        let missing = entry
            .iter()
            .filter(|(name, _)| !state.values.iter().any(|(n, _)| n == name));
        for (name, value) in state.values.iter().chain(missing) {
            let (Some(name), Some(value)) = (plain_name(name), self.value(value, heap, DEPTH))
            else {
                continue;
            };
            if !found.iter().any(|(n, _)| *n == name) {
                found.push((name, value));
            }
        }
        if self.entry.is_none() {
            // Locals are numbered, parameters are not.
            let params = state.values.iter().filter(|(name, _)| name.ends_with('#'));
            self.entry = Some(params.cloned().collect());
        }
        found
    }

    /// A value; `None` if it means nothing to a reader.
    fn value(&self, text: &str, heap: Option<&str>, depth: usize) -> Option<String> {
        if let Some(parts) = list(text) {
            return self.application(&parts, heap, depth);
        }
        let Some((sort, _)) = text.strip_prefix("T@").and_then(|t| t.split_once("!val!")) else {
            return match text.split_once(".#") {
                Some((_, constructor)) => Some(constructor.to_owned()),
                None => Some(bit_vector(text).unwrap_or(text).to_owned()),
            };
        };
        if depth == 0 {
            return Some("…".to_owned());
        }
        if let Some(element) = sort.strip_prefix("$Seq$") {
            return self.sequence(text, element, heap, depth);
        }
        if let Some(element) = sort.strip_prefix("$Set$") {
            return self.set(text, element, heap, depth);
        }
        if let Some(element) = sort.strip_prefix("$MultiSet$") {
            return self.multiset(text, element, heap, depth);
        }
        if let Some(pair) = sort.strip_prefix("$Map$") {
            return self.map(text, pair, heap, depth);
        }
        match sort {
            "char" => self.char(text).map(|c| format!("'{}'", c.escape_default())),
            "ref" => self.object(text, heap?, depth),
            _ => None,
        }
    }

    /// `(constructor …)`, a fraction, a negative number.
    fn application(&self, parts: &[String], heap: Option<&str>, depth: usize) -> Option<String> {
        let (head, arguments) = parts.split_first()?;
        match (head.as_str(), arguments) {
            ("/", [a, b]) => {
                let (a, b) = (self.value(a, heap, depth)?, self.value(b, heap, depth)?);
                return Some(format!("{a} / {b}"));
            }
            ("-", [a]) => return Some(format!("-{}", self.value(a, heap, depth)?)),
            _ => {}
        }
        if depth == 0 {
            return Some("…".to_owned());
        }
        let value = |a: &String| self.value(a, heap, depth - 1).unwrap_or("?".to_owned());
        let arguments: Vec<String> = arguments.iter().map(value).collect();
        let arguments = arguments.join(", ");
        if head.starts_with("$make.$Tuple") {
            return Some(format!("({arguments})"));
        }
        let (_, constructor) = head.split_once(".#")?;
        Some(format!("{constructor}({arguments})"))
    }

    fn sequence(
        &self,
        text: &str,
        element: &str,
        heap: Option<&str>,
        depth: usize,
    ) -> Option<String> {
        let length: i64 = self
            .apply(&format!("$Seq.len${element}"), &[text])?
            .parse()
            .ok()?;
        let nth = format!("$Seq.nth${element}");
        let tokens: Vec<Option<&str>> = (0..length.min(SHOWN))
            .map(|i| self.apply(&nth, &[text, &i.to_string()]))
            .collect();
        if element == "char" && length <= SHOWN {
            let chars: Option<String> = tokens.iter().map(|t| self.char((*t)?)).collect();
            if let Some(chars) = chars {
                return Some(format!("\"{}\"", chars.escape_default()));
            }
        }
        let value = |t: &Option<&str>| (*t).and_then(|t| self.value(t, heap, depth - 1));
        let mut items: Vec<String> = tokens
            .iter()
            .map(|t| value(t).unwrap_or("?".to_owned()))
            .collect();
        if length > SHOWN {
            items.push(format!("… {length} elements"));
        }
        Some(format!("[{}]", items.join(", ")))
    }

    fn set(&self, text: &str, element: &str, heap: Option<&str>, depth: usize) -> Option<String> {
        let name = format!("$Set.in${element}");
        let items = self.members(&name, text, &|v| v == "true");
        let mut shown: Vec<String> = items
            .iter()
            .filter_map(|(x, _)| self.value(x, heap, depth - 1))
            .collect();
        if self.otherwise(&name).is_some_and(|o| o != "false") {
            shown.push("…".to_owned());
        }
        Some(format!("{{{}}}", shown.join(", ")))
    }

    fn multiset(
        &self,
        text: &str,
        element: &str,
        heap: Option<&str>,
        depth: usize,
    ) -> Option<String> {
        let name = format!("$MultiSet.count${element}");
        let items = self.members(&name, text, &|v| v != "0");
        let mut shown = Vec::new();
        for (x, count) in &items {
            let x = self.value(x, heap, depth - 1)?;
            match *count {
                "1" => shown.push(x),
                count => shown.push(format!("{count} × {x}")),
            }
        }
        if self.otherwise(&name).is_some_and(|o| o != "0") {
            shown.push("…".to_owned());
        }
        Some(format!("multiset{{{}}}", shown.join(", ")))
    }

    fn map(&self, text: &str, pair: &str, heap: Option<&str>, depth: usize) -> Option<String> {
        let domain = self.apply(&format!("$Map.dom${pair}"), &[text])?;
        let set = domain.strip_prefix("T@$Set$")?.split_once("!val!")?.0;
        let name = format!("$Set.in${set}");
        let keys = self.members(&name, domain, &|v| v == "true");
        let get = format!("$Map.get${pair}");
        let mut shown = Vec::new();
        for (key, _) in &keys {
            let value = self.apply(&get, &[text, key]);
            let value = value.and_then(|v| self.value(v, heap, depth - 1));
            let key = self.value(key, heap, depth - 1)?;
            shown.push(format!("{key} := {}", value.unwrap_or("?".to_owned())));
        }
        if self.otherwise(&name).is_some_and(|o| o != "false") {
            shown.push("…".to_owned());
        }
        Some(format!("map[{}]", shown.join(", ")))
    }

    fn char(&self, text: &str) -> Option<char> {
        let code = self.apply("$char.code", &[text])?;
        char::from_u32(code.parse().ok()?)
    }

    /// An object: its class, a number that tells it from others, and the fields or elements in this heap.
    fn object(&self, text: &str, heap: &str, depth: usize) -> Option<String> {
        if self.constant("null") == Some(text) {
            return Some("null".to_owned());
        }
        let number = text.rsplit('!').next()?;
        let class = self.apply("$dtype", &[text])?;
        let class = self.constant_of("$class.", class)?;
        if depth == 1 {
            let short = class.rsplit('.').next().unwrap_or(class);
            let short = if class.starts_with("$Array") {
                "array"
            } else {
                short
            };
            return Some(format!("{short}#{number}"));
        }
        let contents = self.apply("Select_[ref][$Field]$Box", &[heap, text]);
        let read = |field: &str, sort: &str| {
            let held = self.apply("Select_[$Field]$Box", &[contents?, field])?;
            let value = self.apply(&format!("$Unbox${sort}"), &[held])?;
            // Objects lead to others, and back: those inside are only named.
            self.value(value, Some(heap), 1)
        };
        if let Some(sort) = class.strip_prefix("$Array1$") {
            let length: i64 = self.apply("$length", &[text])?.parse().ok()?;
            let element = |i: i64| {
                let field = self.apply("$index", &[&i.to_string()])?;
                read(field, sort)
            };
            let mut items: Vec<String> = (0..length.min(SHOWN))
                .map(|i| element(i).unwrap_or("?".to_owned()))
                .collect();
            if length > SHOWN {
                items.push(format!("… {length} elements"));
            }
            return Some(format!("array#{number} [{}]", items.join(", ")));
        }
        if class.starts_with("$Array") {
            return Some(format!("array#{number}"));
        }
        let mut fields = Vec::new();
        for (name, sort) in &self.fields {
            let of_class = name
                .strip_prefix("$field.")
                .and_then(|n| n.rsplit_once('.'));
            let Some((owner, field)) = of_class else {
                continue;
            };
            if owner == class
                && let Some(value) = self.constant(name).and_then(|f| read(f, sort))
            {
                fields.push(format!("{field} := {value}"));
            }
        }
        let class = class.rsplit('.').next().unwrap_or(class);
        Some(match fields.is_empty() {
            true => format!("{class}#{number}"),
            false => format!("{class}#{number} {{{}}}", fields.join(", ")),
        })
    }

    fn constant(&self, name: &str) -> Option<&'m str> {
        let found = self.model.constants.iter().find(|(n, _)| n == name)?;
        Some(&found.1)
    }

    /// The rest of the name of the constant with this prefix and value.
    fn constant_of(&self, prefix: &str, value: &str) -> Option<&'m str> {
        let mut all = self.model.constants.iter();
        all.find_map(|(name, v)| name.strip_prefix(prefix).filter(|_| v == value))
    }

    fn apply(&self, function: &str, arguments: &[&str]) -> Option<&'m str> {
        let function = self.model.functions.iter().find(|f| f.name == function)?;
        let entry = function.entries.iter().find(|(given, _)| {
            given
                .iter()
                .map(String::as_str)
                .eq(arguments.iter().copied())
        });
        match entry {
            Some((_, value)) => Some(value),
            // A value that depends on the arguments was not written out.
            None if mentions_argument(&function.otherwise) => None,
            None => Some(&function.otherwise),
        }
    }

    fn otherwise(&self, function: &str) -> Option<&'m str> {
        let mut functions = self.model.functions.iter();
        Some(&functions.find(|f| f.name == function)?.otherwise)
    }

    /// The second arguments at which a function with this first argument is known to have a value of a kind.
    fn members(
        &self,
        function: &str,
        first: &str,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<(&'m str, &'m str)> {
        let functions = self.model.functions.iter();
        let entries = functions
            .filter(|f| f.name == function)
            .flat_map(|f| &f.entries);
        let mut found = Vec::new();
        for (arguments, value) in entries {
            if let [a, b] = &arguments[..]
                && a == first
                && wanted(value)
            {
                found.push((b.as_str(), value.as_str()));
            }
        }
        found.sort_by_key(|(item, _)| (item.parse::<i64>().ok(), *item));
        found.truncate(SHOWN as usize);
        found
    }
}

/// The sorts of fields, as the program reads them: `$Unbox$int($Heap[o][$field.C.f])`.
pub fn field_sorts(program: &Program) -> BTreeMap<String, String> {
    let mut sorts = BTreeMap::new();
    for (_, expr) in program.exprs.iter() {
        let ExprKind::Call { name, args, .. } = &expr.kind else {
            continue;
        };
        let Some(sort) = program.name(*name).strip_prefix("$Unbox$") else {
            continue;
        };
        if let [argument] = &args[..]
            && let ExprKind::Select { indices, .. } = &program.exprs[*argument].kind
            && let [index] = &indices[..]
            && let ExprKind::Ident { name: field, .. } = &program.exprs[*index].kind
        {
            sorts.insert(program.name(*field).to_owned(), sort.to_owned());
        }
    }
    sorts
}

/// Whether a value is written with the arguments of the function, `x!0` and so on; values of sorts have `!val!` in their names.
fn mentions_argument(value: &str) -> bool {
    let mut after = value.split("x!").skip(1);
    after.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A variable as the source calls it; `None` for those of the translation.
fn plain_name(name: &str) -> Option<String> {
    let plain = name.split(['#', '@']).next().unwrap_or(name);
    let is_name = plain.starts_with(|c: char| c.is_alphabetic())
        && plain
            .chars()
            .all(|c| c.is_alphanumeric() || "_'?".contains(c));
    is_name.then(|| plain.to_owned())
}

/// `5bv8` without its width.
fn bit_vector(text: &str) -> Option<&str> {
    let (value, width) = text.split_once("bv")?;
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    (digits(value) && digits(width)).then_some(value)
}

/// The parts of `(a b (c d))`.
fn list(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let (mut parts, mut depth, mut part) = (Vec::new(), 0_usize, String::new());
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ' ' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.retain(|p| !p.is_empty());
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::Values;
    use stet_verify::{Model, ModelFunction, ModelState};

    fn function(name: &str, entries: &[(&[&str], &str)], otherwise: &str) -> ModelFunction {
        let text = |s: &&str| (*s).to_owned();
        let entry =
            |(args, value): &(&[&str], &str)| (args.iter().map(text).collect(), text(value));
        ModelFunction {
            name: name.to_owned(),
            entries: entries.iter().map(entry).collect(),
            otherwise: otherwise.to_owned(),
        }
    }

    fn state(values: &[(&str, &str)]) -> ModelState {
        ModelState {
            name: String::new(),
            values: values
                .iter()
                .map(|(n, v)| (n.to_string(), v.to_string()))
                .collect(),
        }
    }

    fn shown(reader: &mut Values<'_>, values: &[(&str, &str)]) -> String {
        let found = reader.state(&state(values));
        let found: Vec<String> = found.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        found.join("; ")
    }

    #[test]
    fn values_are_put_together_from_the_functions_of_the_translation() {
        let (s, t, m, c) = (
            "T@$Seq$int!val!0",
            "T@$Set$int!val!0",
            "T@$Map$int$int!val!0",
            "T@ref!val!0",
        );
        let model = Model {
            constants: [
                ("null", "T@ref!val!1"),
                ("$class.C", "T@$Class!val!0"),
                ("$field.C.f", "T@$Field!val!0"),
            ]
            .map(|(n, v)| (n.to_owned(), v.to_owned()))
            .into(),
            functions: vec![
                function("$Seq.len$int", &[(&[s], "2")], "0"),
                function("$Seq.nth$int", &[(&[s, "0"], "7")], "-1"),
                function(
                    "$Set.in$int",
                    &[(&[t, "4"], "true"), (&[t, "5"], "false")],
                    "false",
                ),
                function("$Map.dom$int$int", &[], t),
                function("$Map.get$int$int", &[], "9"),
                function("$dtype", &[], "T@$Class!val!0"),
                function("Select_[ref][$Field]$Box", &[], "T@[$Field]$Box!val!0"),
                function("Select_[$Field]$Box", &[], "T@$Box!val!0"),
                function("$Unbox$int", &[], "3"),
            ],
            states: Vec::new(),
        };
        let fields = [("$field.C.f".to_owned(), "int".to_owned())].into();
        let mut reader = Values::with_fields(&model, fields);
        assert_eq!(
            shown(
                &mut reader,
                &[
                    ("$Heap", "h"),
                    ("x#", "-3"),
                    ("s#", s),
                    ("t#", t),
                    ("m#", m),
                    ("c#", c),
                    ("n#", "T@ref!val!1")
                ]
            ),
            "x = -3; s = [7, -1]; t = {4}; m = map[4 := 9]; c = C#0 {f := 3}; n = null"
        );
        assert_eq!(
            shown(
                &mut reader,
                &[
                    ("d#1", "(T.#B 15 T@$Seq$int!val!0)"),
                    ("e#1", "T.#A"),
                    ("p#1", "($make.$Tuple2$int$bool 3 false)"),
                    ("q", "T@U!val!3")
                ]
            ),
            "d = B(15, [7, -1]); e = A; p = (3, false); x = -3; s = [7, -1]; t = {4}; m = map[4 := 9]",
            "parameters keep their values; objects need a heap"
        );
    }
}
