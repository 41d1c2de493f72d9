//! A validator for the part of JSON Schema that our schema uses.

use serde_json::Value;

/// What is wrong with `value`, with the place of each problem.
pub(super) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (keyword, argument) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$ref" => {
                let pointer = argument.as_str().expect("a reference is a string");
                let target = root.pointer(pointer.trim_start_matches('#'));
                check(root, target.expect("a definition"), value, at, found);
            }
            "type" => {
                let names: Vec<&Value> = match argument.as_array() {
                    Some(names) => names.iter().collect(),
                    None => vec![argument],
                };
                if !names
                    .iter()
                    .any(|name| has_type(value, name.as_str().unwrap()))
                {
                    found.push(format!("{at}: not of type {argument}"));
                }
            }
            "const" if value != argument => found.push(format!("{at}: not {argument}")),
            "enum" if !argument.as_array().unwrap().contains(value) => {
                found.push(format!("{at}: none of {argument}"));
            }
            "minimum"
                if value
                    .as_f64()
                    .is_some_and(|n| n < argument.as_f64().unwrap()) =>
            {
                found.push(format!("{at}: too small"));
            }
            "maximum"
                if value
                    .as_f64()
                    .is_some_and(|n| n > argument.as_f64().unwrap()) =>
            {
                found.push(format!("{at}: too large"));
            }
            "required" => {
                for name in argument.as_array().unwrap() {
                    if value.get(name.as_str().unwrap()).is_none() {
                        found.push(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" => {
                for (name, inner) in argument.as_object().unwrap() {
                    if let Some(value) = value.get(name) {
                        check(root, inner, value, &format!("{at}/{name}"), found);
                    }
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, argument, value, &format!("{at}/{index}"), found);
                }
            }
            "anyOf" => {
                let attempts = argument.as_array().unwrap().iter().map(|option| {
                    let mut inner = Vec::new();
                    check(root, option, value, at, &mut inner);
                    inner
                });
                if let Some(best) = attempts.min_by_key(Vec::len) {
                    found.extend(best);
                }
            }
            "const" | "enum" | "minimum" | "maximum" | "title" | "description" | "$schema"
            | "definitions" => {}
            other => panic!("the validator does not know `{other}`"),
        }
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the validator does not know the type `{other}`"),
    }
}
