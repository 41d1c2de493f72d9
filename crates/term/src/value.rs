//! Values: what terms evaluate to.

use crate::{Bits, Sort};
use num_bigint::{BigInt, Sign};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A rational number in lowest terms with a positive denominator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    numerator: BigInt,
    denominator: BigInt,
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.magnitude().clone(), b.magnitude().clone());
    while b.bits() != 0 {
        let rest = &a % &b;
        a = std::mem::replace(&mut b, rest);
    }
    a.into()
}

impl Rational {
    /// `numerator / denominator`; the denominator must not be zero (it is then read as one).
    pub fn new(numerator: BigInt, denominator: BigInt) -> Self {
        let (mut numerator, mut denominator) = match denominator.sign() {
            Sign::NoSign => (numerator, BigInt::from(1)),
            Sign::Minus => (-numerator, -denominator),
            Sign::Plus => (numerator, denominator),
        };
        let divisor = gcd(&numerator, &denominator);
        if divisor > BigInt::from(1) {
            numerator /= &divisor;
            denominator /= &divisor;
        }
        Rational {
            numerator,
            denominator,
        }
    }

    pub fn numerator(&self) -> &BigInt {
        &self.numerator
    }

    /// The denominator, positive.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }

    pub(crate) fn is_one(&self) -> bool {
        self.is_integer() && self.numerator == BigInt::from(1)
    }

    /// Whether the denominator is one.
    pub fn is_integer(&self) -> bool {
        self.denominator == BigInt::from(1)
    }

    pub(crate) fn add(&self, other: &Rational) -> Rational {
        let numerator = &self.numerator * &other.denominator + &other.numerator * &self.denominator;
        Rational::new(numerator, &self.denominator * &other.denominator)
    }

    pub(crate) fn mul(&self, other: &Rational) -> Rational {
        Rational::new(
            &self.numerator * &other.numerator,
            &self.denominator * &other.denominator,
        )
    }

    pub(crate) fn neg(&self) -> Rational {
        Rational {
            numerator: -&self.numerator,
            denominator: self.denominator.clone(),
        }
    }

    pub(crate) fn floor(&self) -> BigInt {
        euclidean(&self.numerator, &self.denominator)
            .expect("a denominator is not zero")
            .0
    }
}

impl From<BigInt> for Rational {
    fn from(value: BigInt) -> Self {
        Rational {
            numerator: value,
            denominator: BigInt::from(1),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let left = &self.numerator * &other.denominator;
        left.cmp(&(&other.numerator * &self.denominator))
    }
}

/// SMT-LIB's `div` and `mod`; nothing for a zero divisor.
pub(crate) fn euclidean(a: &BigInt, b: &BigInt) -> Option<(BigInt, BigInt)> {
    if b.sign() == Sign::NoSign {
        return None;
    }
    let (mut quotient, mut remainder) = (a / b, a % b);
    if remainder.sign() == Sign::Minus {
        if b.sign() == Sign::Plus {
            quotient -= 1;
            remainder += b;
        } else {
            quotient += 1;
            remainder -= b;
        }
    }
    Some((quotient, remainder))
}

/// A value of a sort.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    Bv(Bits),
    Int(BigInt),
    /// A real (the rational ones are enough).
    Real(Rational),
    Array(Arc<ArrayValue>),
    /// A value of a datatype: constructor and fields.
    Data(u32, Arc<[Value]>),
    /// An element of an uninterpreted sort.
    Element(Sort, u64),
    /// A value of an opaque sort, as the solver wrote it.
    Opaque(Arc<str>),
}

impl Value {
    /// The value of a bit-vector of at most 64 bits.
    #[inline]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Bv(bits) => bits.to_u64(),
            _ => None,
        }
    }

    /// The truth value.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&Arc<ArrayValue>> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }
}

/// An array that differs from one default element at finitely many indices.
///
/// Invariant: no entry equals the default, so equal arrays over an infinite index sort are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// One element everywhere.
    pub fn filled(default: Value) -> Self {
        ArrayValue {
            default,
            entries: BTreeMap::new(),
        }
    }

    /// The element almost everywhere.
    pub fn default_element(&self) -> &Value {
        &self.default
    }

    /// The indices with other elements, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// The element at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Replaces one element.
    pub fn set(&mut self, index: Value, element: Value) {
        if element == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, element);
        }
    }

    /// Equality as arrays over an index sort of `indices` elements (`None`: infinitely or uncountably
    /// many), where two defaults may differ if all indices have entries.
    pub(crate) fn same(&self, other: &ArrayValue, indices: Option<u64>) -> bool {
        if self.default == other.default {
            return self.entries == other.entries;
        }
        let keys = || self.entries.keys().chain(other.entries.keys());
        let covered: std::collections::BTreeSet<&Value> = keys().collect();
        indices == Some(covered.len() as u64) && keys().all(|key| self.get(key) == other.get(key))
    }
}
