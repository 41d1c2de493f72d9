//! Names of symbols in SMT-LIB: quoting and escaping, injectively.

use std::borrow::Cow;

/// Names of theories that a symbol must not take.
const THEORY: &[&str] = &[
    "!",
    "_",
    "as",
    "let",
    "forall",
    "exists",
    "match",
    "par",
    "true",
    "false",
    "not",
    "and",
    "or",
    "xor",
    "=>",
    "=",
    "distinct",
    "ite",
    "if",
    "iff",
    "implies",
    "+",
    "-",
    "*",
    "/",
    "<",
    "<=",
    ">",
    ">=",
    "div",
    "mod",
    "rem",
    "abs",
    "to_real",
    "to_int",
    "is_int",
    "select",
    "store",
    "const",
    "map",
    "concat",
    "extract",
    "is",
    "repeat",
    "Bool",
    "Int",
    "Real",
    "Array",
    "BitVec",
    "String",
    "RegLan",
    "Seq",
    "RoundingMode",
    "FloatingPoint",
    "Float32",
    "Float64",
    "int2bv",
    "bv2int",
    "bv2nat",
    "nat2bv",
    "ext_rotate_left",
    "BINARY",
    "DECIMAL",
    "HEXADECIMAL",
    "NUMERAL",
    "STRING",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "union",
    "intersect",
    "intersection",
    "complement",
    "difference",
    "setminus",
    "subset",
    "member",
    "insert",
    "List",
    "nil",
    "head",
    "tail",
    "Set",
    "root-obj",
    "^",
    "pi",
    "euler",
    "sin",
    "cos",
    "tan",
    "power",
    "lambda",
    "choice",
];

fn is_theory_name(name: &str) -> bool {
    THEORY.contains(&name)
        || ["bv", "fp.", "str.", "re.", "seq.", "int.", "@", "."]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Whether a name may be written without bars.
pub fn is_simple_symbol(name: &str) -> bool {
    let simple = |byte: u8| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte);
    !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(simple)
}

/// The SMT-LIB form of a name. Different names have different forms.
pub fn quoted(name: &str) -> Cow<'_, str> {
    let escape = |c: char| matches!(c, '%' | '|' | '\\');
    let mut result = Cow::Borrowed(name);
    if name.contains(escape) {
        let mut escaped = String::with_capacity(name.len() + 8);
        for c in name.chars() {
            match c {
                '%' => escaped.push_str("%25"),
                '|' => escaped.push_str("%7c"),
                '\\' => escaped.push_str("%5c"),
                _ => escaped.push(c),
            }
        }
        result = escaped.into();
    } else if is_theory_name(name) {
        result = format!("{name}%").into();
    }
    if is_simple_symbol(&result) {
        result
    } else {
        format!("|{result}|").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_distinct() {
        let names = [
            "x", "and", "and%", "a|b", "a%7cb", "a b", "1x", "", "bvadd", "é",
        ];
        let forms: Vec<Cow<'_, str>> = names.iter().map(|name| quoted(name)).collect();
        assert_eq!(
            forms,
            [
                "x", "and%", "and%25", "a%7cb", "a%257cb", "|a b|", "|1x|", "||", "bvadd%", "|é|"
            ]
        );
    }
}
