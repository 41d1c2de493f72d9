//! Counterexample models: what the prover says, and what it means for the program's variables along the failing path.
//!
//! `assume {:captureState "name"} …` names a state; the first is the entry of the implementation. Values of
//! variables are read off the constants that stand for them in the verification condition.

use stet_base::FastMap;
use stet_solve::pipe::Sexpr;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Constants with their values, by name.
    pub constants: Vec<(String, String)>,
    /// Functions, by name.
    pub functions: Vec<ModelFunction>,
    /// Captured states on the failing path, in order.
    pub states: Vec<ModelState>,
}

/// A function in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelFunction {
    pub name: String,
    /// Its values at some arguments.
    pub entries: Vec<(Vec<String>, String)>,
    /// Its value elsewhere.
    pub otherwise: String,
}

/// The values of variables at one point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelState {
    pub name: String,
    /// Variables with their values.
    pub values: Vec<(String, String)>,
}

impl Model {
    /// Reads the answer to `get-model`; what has another form is left out.
    pub(crate) fn read(text: &str) -> Model {
        let mut model = Model::default();
        let Some(answer) = Sexpr::parse(text) else {
            return model;
        };
        for item in answer.items() {
            let [Sexpr::Atom(word), Sexpr::Atom(name), params, _, body] = item.items() else {
                continue;
            };
            if word != "define-fun" {
                continue;
            }
            let params: Vec<&str> = params
                .items()
                .iter()
                .filter_map(|param| param.items().first()?.atom())
                .collect();
            if params.is_empty() {
                model.constants.push((name.clone(), value(body)));
            } else {
                model.functions.push(function(name, &params, body));
            }
        }
        model.constants.sort();
        model.functions.sort_by(|a, b| a.name.cmp(&b.name));
        model
    }

    /// The value of a constant, by its name in SMT-LIB; literals stand for themselves.
    pub(crate) fn lookup(&self, symbol: &str) -> Option<String> {
        debug_assert!(
            self.constants.is_sorted(),
            "constants are looked up by halving"
        );
        let name = symbol.trim_matches('|');
        let at = self.constants.binary_search_by(|(n, _)| (**n).cmp(name));
        match at {
            Ok(at) => Some(self.constants[at].1.clone()),
            Err(_) if symbol == "true" || symbol == "false" => Some(symbol.to_owned()),
            Err(_) if symbol.bytes().all(|b| b.is_ascii_digit()) => Some(symbol.to_owned()),
            Err(_) => None,
        }
    }

    /// Gives constants the names of the program's variables.
    pub(crate) fn rename(&mut self, names: &[(std::rc::Rc<str>, String)]) {
        let names: FastMap<&str, &str> = names
            .iter()
            .map(|(symbol, shown)| (symbol.trim_matches('|'), shown.as_str()))
            .collect();
        for (name, _) in &mut self.constants {
            if let Some(shown) = names.get(name.as_str()) {
                *name = (*shown).to_owned();
            }
        }
        self.constants.sort();
    }

    /// The lines Boogie prints.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec!["*** MODEL".to_owned()];
        for (name, value) in &self.constants {
            lines.push(format!("{name} -> {value}"));
        }
        for function in &self.functions {
            lines.push(format!("{} -> {{", function.name));
            for (arguments, value) in &function.entries {
                lines.push(format!("  {} -> {value}", arguments.join(" ")));
            }
            lines.push(format!("  else -> {}", function.otherwise));
            lines.push("}".to_owned());
        }
        for state in &self.states {
            lines.push(format!("*** STATE {}", state.name));
            for (name, value) in &state.values {
                lines.push(format!("  {name} -> {value}"));
            }
            lines.push("*** END_STATE".to_owned());
        }
        lines.push("*** END_MODEL".to_owned());
        lines
    }
}

/// A value in Boogie's notation where it has one.
fn value(expr: &Sexpr) -> String {
    match expr {
        Sexpr::Atom(text) => match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
            (Some(digits), _) => bits(digits, 16, 4).unwrap_or_else(|| text.clone()),
            (_, Some(digits)) => bits(digits, 2, 1).unwrap_or_else(|| text.clone()),
            _ => text.clone(),
        },
        Sexpr::List(items) => match &items[..] {
            [Sexpr::Atom(minus), inner] if minus == "-" => format!("-{}", value(inner)),
            [Sexpr::Atom(mark), Sexpr::Atom(bv), Sexpr::Atom(width)]
                if mark == "_" && bv.starts_with("bv") =>
            {
                format!("{}bv{width}", &bv[2..])
            }
            _ => expr.to_string(),
        },
    }
}

fn bits(digits: &str, radix: u32, per_digit: usize) -> Option<String> {
    let number = u128::from_str_radix(digits, radix).ok()?;
    Some(format!("{number}bv{}", digits.len() * per_digit))
}

/// Takes a chain of `ite`s apart into a table.
fn function(name: &str, params: &[&str], body: &Sexpr) -> ModelFunction {
    let mut entries = Vec::new();
    let mut rest = body;
    while let [Sexpr::Atom(ite), condition, then, otherwise] = rest.items() {
        let arguments = match ite.as_str() {
            "ite" => arguments(condition, params),
            _ => None,
        };
        let Some(arguments) = arguments else { break };
        entries.push((arguments, value(then)));
        rest = otherwise;
    }
    ModelFunction {
        name: name.to_owned(),
        entries,
        otherwise: value(rest),
    }
}

/// The arguments in `(= x 1)` or `(and (= x 1) (= y 2))`.
fn arguments(condition: &Sexpr, params: &[&str]) -> Option<Vec<String>> {
    let equations: Vec<&Sexpr> = match condition.items() {
        [Sexpr::Atom(and), rest @ ..] if and == "and" => rest.iter().collect(),
        _ => vec![condition],
    };
    let mut found = vec![None; params.len()];
    for equation in equations {
        let [Sexpr::Atom(equals), Sexpr::Atom(param), argument] = equation.items() else {
            return None;
        };
        let place = params.iter().position(|p| p == param)?;
        if equals != "=" {
            return None;
        }
        found[place] = Some(value(argument));
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::Model;
    use expect_test::expect;

    #[test]
    fn reads_constants_and_tables() {
        let model = Model::read(
            "((define-fun |b c| () Bool true) (define-fun x () Int (- 3)) (define-fun v () (_ BitVec 8) #x0a)\
             (define-fun f ((x!0 Int) (x!1 Int)) Int (ite (and (= x!0 1) (= x!1 (- 2))) 7 (ite (and (= x!0 0) (= x!1 0)) 1 4)))\
             (define-fun g ((x!0 Int)) Int (+ x!0 1)))",
        );
        expect![[r#"
            *** MODEL
            b c -> true
            v -> 10bv8
            x -> -3
            f -> {
              1 -2 -> 7
              0 0 -> 1
              else -> 4
            }
            g -> {
              else -> (+ x!0 1)
            }
            *** END_MODEL"#]]
        .assert_eq(&model.lines().join("\n"));
        assert_eq!(model.lookup("|b c|").as_deref(), Some("true"));
        assert_eq!(model.lookup("12").as_deref(), Some("12"));
        assert_eq!(model.lookup("nothing"), None);
    }
}
