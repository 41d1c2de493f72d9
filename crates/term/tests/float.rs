//! Floating-point circuits against the machine: every operation on random and special numbers, and against Z3 on
//! symbolic ones.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may stop, and say why they skip"
)]

use std::process::{Command, Stdio};
use stet_term::{FloatFormat, Floats, Printer, Rounding, Sort, Term, Terms};
use stet_testkit::Random;

/// Floating-point numbers as bits.
trait Numbers {
    /// Numbers that matter: special ones, near powers of two, subnormal, and any bits.
    fn double(&mut self) -> u64;

    fn single(&mut self) -> u32;
}

impl Numbers for Random {
    fn double(&mut self) -> u64 {
        let special = [
            0f64,
            1.0,
            1.5,
            0.5,
            2.5,
            3.0,
            f64::INFINITY,
            f64::NAN,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            4503599627370496.5,
            9007199254740992.0,
            9223372036854775808.0,
            2147483648.0,
        ];
        let bits = match self.bits() % 8 {
            0 | 1 => special[(self.bits() % special.len() as u64) as usize].to_bits(),
            2 => (1.0 + (self.bits() % 1000) as f64 / 8.0).to_bits(),
            3 => self.bits() & 0x000f_ffff_ffff_ffff,
            4 => (1023 + self.bits() % 70) << 52 | self.bits() >> 12,
            5 => (1023 - self.bits() % 60) << 52 | (self.bits() & 0xff),
            _ => self.bits(),
        };
        bits ^ (self.bits() & 1) << 63
    }

    fn single(&mut self) -> u32 {
        match self.bits() % 4 {
            0 => (f64::from_bits(self.double()) as f32).to_bits(),
            1 => (self.bits() as u32) & 0x807f_ffff,
            2 => (127 - 30 + (self.bits() % 60) as u32) << 23 | (self.bits() as u32) >> 9,
            _ => self.bits() as u32,
        }
    }
}

fn nan_like(bits: u64, double: bool) -> bool {
    match double {
        true => f64::from_bits(bits).is_nan(),
        false => f32::from_bits(bits as u32).is_nan(),
    }
}

fn check(terms: &Terms, what: &str, found: Term, expected: u64, double: bool, inputs: &[u64]) {
    let found = terms
        .as_u64(found)
        .unwrap_or_else(|| panic!("{what} of numbers is a number"));
    // which NaN the machine gives may depend on the order the compiler chose
    let same = found == expected || nan_like(found, double) && nan_like(expected, double);
    assert!(
        same,
        "{what} {inputs:x?}: {found:x}, the machine says {expected:x}"
    );
}

fn truth(terms: &Terms, what: &str, found: Term, expected: bool, inputs: &[u64]) {
    assert_eq!(found, terms.bool(expected), "{what} {inputs:x?}");
}

const ROUNDS: usize = 400;

#[test]
fn doubles_are_those_of_the_machine() {
    let mut random = Random::new(0x1234_5678_9abc_def1);
    for round in 0..ROUNDS {
        let terms = Terms::new();
        let floats = Floats::new(&terms, FloatFormat::DOUBLE);
        let [a, b, c] = [random.double(), random.double(), random.double()];
        // numbers near each other cancel
        let b = if round % 3 == 0 {
            a ^ (random.bits() & 0x8000_0000_0000_000f)
        } else {
            b
        };
        let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
        let [ta, tb, tc] = [a, b, c].map(|bits| terms.bv(64, bits));
        let all = [a, b, c];
        let is = |what: &str, found: Term, expected: f64| {
            check(&terms, what, found, expected.to_bits(), true, &all)
        };
        is("add", floats.add(ta, tb), x + y);
        is("sub", floats.sub(ta, tb), x - y);
        is("mul", floats.mul(ta, tb), x * y);
        is("div", floats.div(ta, tb), x / y);
        is("fma", floats.fma(ta, tb, tc), x.mul_add(y, z));
        is("sqrt", floats.sqrt(ta), x.sqrt());
        is(
            "floor",
            floats.round_to_integral(Rounding::Down, ta),
            x.floor(),
        );
        is("ceil", floats.round_to_integral(Rounding::Up, ta), x.ceil());
        is(
            "trunc",
            floats.round_to_integral(Rounding::Zero, ta),
            x.trunc(),
        );
        is(
            "round",
            floats.round_to_integral(Rounding::NearestAway, ta),
            x.round(),
        );
        is(
            "roundeven",
            floats.round_to_integral(Rounding::NearestEven, ta),
            x.round_ties_even(),
        );
        is("neg", floats.neg(ta), -x);
        is("abs", floats.abs(ta), x.abs());
        is("copysign", floats.copysign(ta, tb), x.copysign(y));
        truth(&terms, "eq", floats.eq(ta, tb), x == y, &all);
        truth(&terms, "lt", floats.lt(ta, tb), x < y, &all);
        truth(&terms, "le", floats.le(ta, tb), x <= y, &all);
        truth(&terms, "nan", floats.is_nan(ta), x.is_nan(), &all);
        let narrow = floats.convert(ta, FloatFormat::SINGLE);
        check(
            &terms,
            "narrow",
            narrow,
            u64::from((x as f32).to_bits()),
            false,
            &all,
        );
        let signed = floats.from_int(ta, true);
        is("from i64", signed, a as i64 as f64);
        is("from u64", floats.from_int(ta, false), a as f64);
        let (whole, fits) = floats.to_int(ta, 64, true);
        let expected =
            !x.is_nan() && x.trunc() >= -9223372036854775808.0 && x.trunc() < 9223372036854775808.0;
        truth(&terms, "fits i64", fits, expected, &all);
        if expected {
            assert_eq!(terms.as_u64(whole), Some(x as i64 as u64), "to i64 {x}");
        }
        let (whole, fits) = floats.to_int(ta, 8, false);
        let expected = !x.is_nan() && x.trunc() >= 0.0 && x.trunc() < 256.0;
        truth(&terms, "fits u8", fits, expected, &all);
        if expected {
            assert_eq!(terms.as_u64(whole), Some(u64::from(x as u8)), "to u8 {x}");
        }
    }
}

#[test]
fn singles_are_those_of_the_machine() {
    let mut random = Random::new(0xfeed_5678_9abc_def1);
    for _ in 0..ROUNDS {
        let terms = Terms::new();
        let floats = Floats::new(&terms, FloatFormat::SINGLE);
        let [a, b, c] = [random.single(), random.single(), random.single()];
        let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let [ta, tb, tc] = [a, b, c].map(|bits| terms.bv(32, u64::from(bits)));
        let all = [a, b, c].map(u64::from);
        let is = |what: &str, found: Term, expected: f32| {
            check(
                &terms,
                what,
                found,
                u64::from(expected.to_bits()),
                false,
                &all,
            );
        };
        is("add", floats.add(ta, tb), x + y);
        is("sub", floats.sub(ta, tb), x - y);
        is("mul", floats.mul(ta, tb), x * y);
        is("div", floats.div(ta, tb), x / y);
        is("fma", floats.fma(ta, tb, tc), x.mul_add(y, z));
        is("sqrt", floats.sqrt(ta), x.sqrt());
        is(
            "roundeven",
            floats.round_to_integral(Rounding::NearestEven, ta),
            x.round_ties_even(),
        );
        is("from i32", floats.from_int(ta, true), a as i32 as f32);
        truth(&terms, "lt", floats.lt(ta, tb), x < y, &all);
        let wide = floats.convert(ta, FloatFormat::DOUBLE);
        check(&terms, "widen", wide, f64::from(x).to_bits(), true, &all);
    }
}

/// A format of seven bits, small enough to try everything; doubles hold every result exactly, or close enough that
/// rounding twice changes nothing.
const TINY: FloatFormat = FloatFormat {
    exponent: 3,
    precision: 4,
};

/// The double that seven bits mean.
fn from_tiny(bits: u64) -> f64 {
    let (exponent, fraction) = (bits >> 3 & 7, (bits & 7) as f64);
    let magnitude = match (exponent, bits & 7) {
        (7, 0) => f64::INFINITY,
        (7, _) => f64::NAN,
        (0, _) => fraction / 8.0 * 0.25,
        _ => (1.0 + fraction / 8.0) * 2f64.powi(exponent as i32 - 3),
    };
    if bits & 64 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The nearest of the numbers of seven bits, by looking at all of them.
fn to_tiny(value: f64) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << 6;
    let magnitude = value.abs();
    if magnitude >= 15.5 {
        return sign | 7 << 3; // half a unit beyond the largest number
    }
    let distance = |bits: u64| (from_tiny(bits) - magnitude).abs();
    let best = (0..56u64).min_by(|&a, &b| {
        let order = distance(a).total_cmp(&distance(b));
        order.then((a & 1).cmp(&(b & 1)))
    });
    sign | best.unwrap()
}

fn tiny_check(terms: &Terms, what: &str, found: Term, expected: f64, inputs: &[u64]) {
    let found = terms.as_u64(found).unwrap();
    let same = match expected.is_nan() {
        true => from_tiny(found).is_nan(),
        false => found == to_tiny(expected),
    };
    assert!(same, "{what} {inputs:?}: {found:x}, not {expected}");
}

#[test]
fn pairs_of_small_numbers_are_right() {
    let mut random = Random::new(77);
    for a in 0..128u64 {
        let terms = Terms::new();
        let floats = Floats::new(&terms, TINY);
        let (x, ta) = (from_tiny(a), terms.bv(7, a));
        tiny_check(&terms, "sqrt", floats.sqrt(ta), x.sqrt(), &[a]);
        for (mode, value) in [
            (Rounding::Down, x.floor()),
            (Rounding::Up, x.ceil()),
            (Rounding::Zero, x.trunc()),
            (Rounding::NearestAway, x.round()),
            (Rounding::NearestEven, x.round_ties_even()),
        ] {
            tiny_check(
                &terms,
                "round",
                floats.round_to_integral(mode, ta),
                value,
                &[a],
            );
        }
        for b in (a % 3..128u64).step_by(3) {
            let (y, tb) = (from_tiny(b), terms.bv(7, b));
            let c = random.bits() & 127;
            let (z, tc) = (from_tiny(c), terms.bv(7, c));
            tiny_check(&terms, "add", floats.add(ta, tb), x + y, &[a, b]);
            tiny_check(&terms, "sub", floats.sub(ta, tb), x - y, &[a, b]);
            tiny_check(&terms, "mul", floats.mul(ta, tb), x * y, &[a, b]);
            tiny_check(&terms, "div", floats.div(ta, tb), x / y, &[a, b]);
            tiny_check(
                &terms,
                "fma",
                floats.fma(ta, tb, tc),
                x.mul_add(y, z),
                &[a, b, c],
            );
        }
    }
}

/// For each operation: that the circuit differs from SMT-LIB's own operation somewhere is unsatisfiable, in a small format.
/// (Z3 4.8.12 is wrong about `fp.fma` in small formats, and does not decide `fp.roundToIntegral`.)
#[test]
fn circuits_mean_what_smt_lib_says() {
    let z3 = Command::new("z3")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if z3.is_err() {
        println!("skipped: no z3 on this machine");
        return;
    }
    let terms = Terms::new();
    let floats = Floats::new(&terms, TINY);
    let (a, b) = (
        terms.symbol("a", Sort::bv(7)),
        terms.symbol("b", Sort::bv(7)),
    );
    let number = |text: &str, term: Term| {
        let circuit = Printer::new(&terms).term(term);
        format!("(= {text} ((_ to_fp 3 4) {circuit}))")
    };
    let truth = |text: &str, term: Term| format!("(= {text} {})", Printer::new(&terms).term(term));
    let cases = [
        number("(fp.add RNE fa fb)", floats.add(a, b)),
        number("(fp.sub RNE fa fb)", floats.sub(a, b)),
        number("(fp.mul RNE fa fb)", floats.mul(a, b)),
        number("(fp.div RNE fa fb)", floats.div(a, b)),
        truth("(fp.lt fa fb)", floats.lt(a, b)),
        truth("(fp.leq fa fb)", floats.le(a, b)),
        truth("(fp.eq fa fb)", floats.eq(a, b)),
    ];
    let mut script = String::from(
        "(declare-const a (_ BitVec 7))(declare-const b (_ BitVec 7))\n\
         (define-fun fa () (_ FloatingPoint 3 4) ((_ to_fp 3 4) a))(define-fun fb () (_ FloatingPoint 3 4) ((_ to_fp 3 4) b))\n",
    );
    for case in &cases {
        script += &format!("(push)(assert (not {case}))(check-sat)(pop)\n");
    }
    let path = std::env::temp_dir().join(format!("stet-float-{}.smt2", std::process::id()));
    std::fs::write(&path, script).unwrap();
    let output = Command::new("z3")
        .arg("-T:120")
        .arg(&path)
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(
        answers,
        vec!["unsat"; cases.len()],
        "in the order of the cases"
    );
}
