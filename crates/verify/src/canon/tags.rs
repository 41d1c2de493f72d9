//! The numbers that operators and kinds have in the canonical form.
//!
//! They are written out, and not taken from the order of the enumerations of `stet_boogie`: stored snapshots are read with these
//! numbers, so an enumeration that gains a variant in its middle must not give the stored ones another meaning. A new variant
//! does not compile before it has a number here.

use super::{BAD, Read};
use stet_boogie::VarKind;
use stet_boogie::ast::{BinaryOp, BinderKind, Rounding, UnaryOp};

/// Writes the two directions from one table.
macro_rules! tags {
    ($write:ident, $read:ident, $kind:ident { $($variant:ident = $number:literal),* $(,)? }) => {
        pub(crate) fn $write(value: $kind) -> u8 {
            match value {
                $($kind::$variant => $number,)*
            }
        }

        pub(crate) fn $read(tag: u8) -> Read<$kind> {
            match tag {
                $($number => Ok($kind::$variant),)*
                _ => Err(BAD),
            }
        }
    };
}

tags!(unary_tag, unary, UnaryOp { Neg = 0, Not = 1 });

tags!(
    binary_tag,
    binary,
    BinaryOp {
        Add = 0,
        Sub = 1,
        Mul = 2,
        Div = 3,
        Mod = 4,
        RealDiv = 5,
        Pow = 6,
        Eq = 7,
        Neq = 8,
        Lt = 9,
        Le = 10,
        Gt = 11,
        Ge = 12,
        And = 13,
        Or = 14,
        Imp = 15,
        Iff = 16,
        Subtype = 17,
    }
);

tags!(
    rounding_tag,
    rounding,
    Rounding {
        NearestEven = 0,
        NearestAway = 1,
        Positive = 2,
        Negative = 3,
        Zero = 4,
    }
);

tags!(
    binder_tag,
    binder,
    BinderKind {
        Forall = 0,
        Exists = 1,
        Lambda = 2,
    }
);

/// The number of a variable's kind.
pub(crate) fn kind_tag(kind: VarKind) -> u8 {
    match kind {
        VarKind::Constant => 0,
        VarKind::Global => 1,
        VarKind::In => 2,
        VarKind::Out => 3,
        VarKind::Local => 4,
        VarKind::Bound => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for tag in 0..=u8::MAX {
            assert!(binary(tag).is_ok() == (tag < 18));
            assert_eq!(binary(tag).map_or(tag, binary_tag), tag);
            assert_eq!(unary(tag).map_or(tag, unary_tag), tag);
            assert_eq!(rounding(tag).map_or(tag, rounding_tag), tag);
            assert_eq!(binder(tag).map_or(tag, binder_tag), tag);
        }
    }
}
