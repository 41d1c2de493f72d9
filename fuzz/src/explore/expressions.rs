//! Random C expressions without undefined behaviour, over the integers in scope.

use stet_testkit::Random;

/// The floating-point types.
const KINDS: [&str; 3] = ["float", "double", "long double"];

/// Writes expressions without undefined behaviour over the variables in scope.
pub(super) struct Writer {
    pub(super) random: Random,
    /// Integer variables in scope.
    pub(super) scope: Vec<String>,
}

impl Writer {
    pub(super) fn new(seed: u64) -> Self {
        Writer {
            random: Random::new(seed),
            scope: vec!["x".into(), "y".into()],
        }
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    pub(super) fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        self.random.pick(choices)
    }

    /// A variable in scope, newer ones more often.
    pub(super) fn variable(&mut self) -> String {
        let len = self.scope.len() as u64;
        let at = self.below(len).max(self.below(len));
        self.scope[at as usize].clone()
    }

    /// A floating-point type.
    pub(super) fn kind(&mut self) -> &'static str {
        // long double is slow to solve
        match self.below(8) {
            0 => KINDS[2],
            k => KINDS[(k % 2) as usize],
        }
    }

    /// An integer expression of type `int`.
    pub(super) fn int(&mut self, depth: u32) -> String {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(3) {
                0 => format!("{}", self.below(300)),
                _ => self.variable(),
            };
        }
        let a = self.int(depth - 1);
        let b = self.int(depth - 1);
        match self.below(20) {
            0 | 1 => format!("(int)((unsigned)({a}) + (unsigned)({b}))"),
            2 => format!("(int)((unsigned)({a}) - (unsigned)({b}))"),
            3 => format!("(int)((unsigned)({a}) * (unsigned)({b}))"),
            4 => format!("(({a}) ^ ({b}))"),
            5 => format!("(({a}) & ({b}))"),
            6 => format!("(({a}) | ({b}))"),
            7 => format!("(int)((unsigned)({a}) / (1u + (({b}) & 7)))"),
            8 => format!("(({a}) % (1 + (({b}) & 15)))"),
            9 => format!("(int)((unsigned)({a}) << (({b}) & 7))"),
            10 => format!("(({a}) >> (({b}) & 7))"),
            11 => format!("(({a}) > ({b}))"),
            12 => format!("(({a}) ? ({b}) : {})", self.variable()),
            13 => format!("(({a}) && ({b}))"),
            14 => format!("(signed char)({a})"),
            15 => format!("(unsigned short)({a})"),
            16 => format!("(int)(((long long)({a}) * ({b})) >> 5)"),
            17 => {
                let builtin = self.pick(&["popcount", "bswap32", "clz", "ctz", "ffs", "parity"]);
                format!("(int)__builtin_{builtin}(({a}) | 1)")
            }
            18 => format!("(int)(((unsigned __int128)(unsigned)({a}) * (unsigned)({b})) >> 9)"),
            _ => {
                let float = self.float(depth - 1);
                // a negative number has no value in an unsigned type: C leaves the conversion open
                match self.pick(&["int", "signed char", "unsigned short", "long long"]) {
                    "unsigned short" => {
                        format!("(int)(unsigned short)__builtin_fabs(clamp({float}))")
                    }
                    to => format!("(int)({to})clamp({float})"),
                }
            }
        }
    }

    /// A floating-point expression.
    pub(super) fn float(&mut self, depth: u32) -> String {
        let kind = self.kind();
        if depth == 0 {
            return match self.below(3) {
                0 => {
                    let fraction = self.pick(&["0", "5", "25", "1", "3"]);
                    format!("({kind}){}.{fraction}", self.below(40))
                }
                _ => format!("({kind})({})", self.variable()),
            };
        }
        let (a, b) = (self.float(depth - 1), self.float(depth - 1));
        match self.below(14) {
            0 | 1 => format!("(({a}) + ({b}))"),
            2 => format!("(({a}) - ({b}))"),
            3 => format!("(({a}) * ({b}))"),
            4 => format!("(({a}) / ({b}))"),
            5 | 6 => format!("({kind})({a})"),
            7 => {
                let name = self.pick(&["floor", "ceil", "trunc", "fabs", "rint", "sqrt"]);
                format!("__builtin_{name}({a})")
            }
            8 => format!("__builtin_floorl({a})"),
            9 => format!("-({a})"),
            // the sign of a NaN is not specified
            10 => format!("__builtin_copysign({a}, ({b}) == ({b}) ? (double)({b}) : 1.0)"),
            11 => format!("(({a}) < ({b}) ? ({a}) : ({kind})1.5)"),
            12 => format!(
                "({kind})(unsigned long long)(unsigned)({})",
                self.int(depth - 1)
            ),
            _ => format!("({kind})({})", self.int(depth - 1)),
        }
    }

    /// A comparison of numbers, or a question about a floating-point number.
    pub(super) fn condition(&mut self) -> String {
        let compare = self.pick(&["<", "<=", "==", "!=", ">"]);
        match self.below(8) {
            0..=4 => {
                let (a, b) = (self.int(2), self.int(1));
                format!("({a}) {compare} ({b})")
            }
            5 => {
                let a = self.float(1);
                let test = self.pick(&["isnan", "isinf", "signbit"]);
                match test {
                    "signbit" => format!("({a}) == ({a}) && __builtin_signbit((double)({a}))"),
                    _ => format!("__builtin_{test}((double)({a}))"),
                }
            }
            _ => {
                let (a, b) = (self.float(1), self.float(1));
                format!("({a}) {compare} ({b})")
            }
        }
    }
}
