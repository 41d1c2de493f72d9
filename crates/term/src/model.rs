//! Models: values for symbols.

use crate::bits::Bits;
use crate::{ArrayValue, Op, Rational, Sort, SortKind, Sym, Term, Terms, Value};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The interpretation of a function: a table and a default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    /// Results by arguments.
    pub entries: BTreeMap<Vec<Value>, Value>,
    /// The result elsewhere.
    pub default: Value,
}

/// Values for symbols. A symbol without a value has the default of its sort: false, zero, zeros.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    values: BTreeMap<Sym, Value>,
    functions: BTreeMap<Sym, FunctionValue>,
}

impl Model {
    /// A model in which everything has its default value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a symbol a value.
    pub fn set(&mut self, symbol: Sym, value: Value) {
        self.values.insert(symbol, value);
    }

    /// Gives a symbol term a value; other terms are ignored.
    pub fn set_term(&mut self, terms: &Terms, term: Term, value: Value) {
        if let Op::Symbol(symbol) = terms.op(term) {
            self.set(symbol, value);
        }
    }

    /// Gives a function an interpretation.
    pub fn set_function(&mut self, function: Sym, value: FunctionValue) {
        self.functions.insert(function, value);
    }

    /// The value of a symbol, if it has one.
    pub fn get(&self, symbol: Sym) -> Option<&Value> {
        self.values.get(&symbol)
    }

    /// The interpretation of a function, if it has one.
    pub fn function(&self, function: Sym) -> Option<&FunctionValue> {
        self.functions.get(&function)
    }

    /// All symbols with values, in order of symbols.
    pub fn iter(&self) -> impl Iterator<Item = (Sym, &Value)> {
        self.values.iter().map(|(&symbol, value)| (symbol, value))
    }

    /// How many symbols have values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no symbol has a value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes over the values of another model.
    pub fn extend(&mut self, other: &Model) {
        self.values
            .extend(other.values.iter().map(|(&s, v)| (s, v.clone())));
        self.functions
            .extend(other.functions.iter().map(|(&s, v)| (s, v.clone())));
    }
}

impl Terms {
    /// The value that a symbol of this sort has in a model that does not mention it, if there is one.
    pub fn default_value(&self, sort: Sort) -> Option<Value> {
        default_value(self, sort, 0)
    }
}

/// The value of a symbol that has none. Datatypes take their first constructor without fields of
/// their own sort; nothing if there is none.
pub(crate) fn default_value(terms: &Terms, sort: Sort, depth: u32) -> Option<Value> {
    if depth > 64 {
        return None;
    }
    Some(match terms.sort_kind(sort) {
        SortKind::Bool => Value::Bool(false),
        SortKind::Int => Value::Int(BigInt::ZERO),
        SortKind::Real => Value::Real(Rational::from(BigInt::ZERO)),
        SortKind::BitVec(width) => Value::Bv(Bits::new(width, 0)),
        SortKind::Array { element, .. } => {
            let element = default_value(terms, element, depth + 1)?;
            Value::Array(Arc::new(ArrayValue::filled(element)))
        }
        SortKind::Uninterpreted { .. } => Value::Element(sort, 0),
        SortKind::Datatype { .. } => {
            let constructors = terms.constructors(sort);
            let (index, constructor) = constructors
                .iter()
                .enumerate()
                .find(|(_, c)| c.fields.iter().all(|field| field.1 != sort))?;
            let fields: Option<Vec<Value>> = constructor
                .fields
                .iter()
                .map(|field| default_value(terms, field.1, depth + 1))
                .collect();
            Value::Data(index as u32, fields?.into())
        }
        SortKind::Builtin(_) => return None,
    })
}
