//! Recognises inline assembly that computes with words (what multiple-precision libraries and `cpuid.h` contain), and brings its
//! operands into the order of `builtins/assembly.rs`.

/// An operation, and which arguments of the call it takes, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Words {
    /// As `builtins/assembly.rs` calls it.
    pub(super) name: &'static str,
    pub(super) operands: Vec<usize>,
    /// How many results it has.
    pub(super) results: usize,
}

/// The operands of a piece of assembly: results first, then arguments.
struct Constraints<'a> {
    results: Vec<&'a str>,
    arguments: Vec<&'a str>,
}

impl<'a> Constraints<'a> {
    fn of(text: &'a str) -> Self {
        let all = text.split(',').filter(|one| !one.starts_with('~'));
        let (results, arguments) = all.partition(|one| one.starts_with('='));
        Constraints { results, arguments }
    }

    /// The argument that is in the register of a result.
    fn tied_to(&self, result: usize) -> Option<usize> {
        let number = result.to_string();
        let is_tied = |one: &&str| one.trim_start_matches('%') == number;
        self.arguments.iter().position(is_tied)
    }

    /// The argument that an operand of an instruction means, if it is in no result's register.
    fn argument(&self, operand: usize) -> Option<usize> {
        let at = operand.checked_sub(self.results.len())?;
        let is_own = !self
            .arguments
            .get(at)?
            .trim_start_matches('%')
            .starts_with(|c: char| c.is_ascii_digit());
        is_own.then_some(at)
    }

    /// Whether the results from some place on are in these registers, written early or late.
    fn are(&self, from: usize, registers: &[&str]) -> bool {
        let names = self
            .results
            .iter()
            .skip(from)
            .map(|one| one.replace('&', ""));
        names.eq(registers.iter().copied())
    }
}

/// The number of `$5` or `${1:q}`.
fn operand(text: &str) -> Option<usize> {
    let plain = text.strip_prefix('$')?;
    let inner = plain
        .strip_prefix('{')
        .and_then(|inner| inner.strip_suffix('}'));
    let number = inner.unwrap_or(plain).split(':').next()?;
    number.parse().ok()
}

/// A line as the name of its instruction and its operands.
fn instruction(line: &str) -> Option<(&str, Vec<&str>)> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands = rest.split(',').map(str::trim).filter(|one| !one.is_empty());
    Some((name, operands.collect()))
}

/// The meaning of a piece of assembly in AT&T syntax, if it is one of these.
pub(super) fn words(code: &str, constraints: &str) -> Option<Words> {
    let lines = code.split(['\n', ';']).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let constraints = Constraints::of(constraints);
    let instructions: Option<Vec<_>> = lines.iter().map(|line| instruction(line)).collect();
    match &instructions?[..] {
        [one] => single(one.0, &one.1, &constraints),
        [first, second] => double(first, second, &constraints),
        [("xchgq", before), ("cpuid", none), ("xchgq", after)]
            if before == after && none.is_empty() && before.first() == Some(&"%rbx") =>
        {
            let is_usual = constraints.are(0, &["={ax}", "=r", "={cx}", "={dx}"]);
            (is_usual && operand(before.get(1)?) == Some(1)).then(|| asked("cpuid", 4))
        }
        // as Rust's library has it, in Intel's syntax
        [("mov", before), ("cpuid", none), ("xchg", after)]
            if before == after && none.is_empty() && before.get(1) == Some(&"rbx") =>
        {
            let is_usual = constraints.are(1, &["={ax}", "={cx}", "={dx}"]);
            (is_usual && operand(before.first()?) == Some(0)).then(|| asked("cpuid", 4))
        }
        _ => None,
    }
}

fn asked(name: &'static str, results: usize) -> Words {
    Words {
        name,
        operands: Vec::new(),
        results,
    }
}

fn single(name: &str, operands: &[&str], constraints: &Constraints<'_>) -> Option<Words> {
    const ACCUMULATORS: &[&str] = &["={ax}", "={dx}"];
    match (name, operands) {
        ("cpuid", []) if constraints.are(0, &["={ax}", "={bx}", "={cx}", "={dx}"]) => {
            Some(asked("cpuid", 4))
        }
        ("rdtsc", []) if constraints.are(0, ACCUMULATORS) => Some(asked("rdtsc", 2)),
        ("bsf" | "bsfl" | "bsfq" | "bsr" | "bsrl" | "bsrq", [from, to]) => {
            let is_first = constraints.results.len() == 1 && operand(to) == Some(0);
            let from = constraints.argument(operand(from)?)?;
            is_first.then(|| Words {
                name: if name.starts_with("bsf") {
                    "bsf"
                } else {
                    "bsr"
                },
                operands: vec![from],
                results: 1,
            })
        }
        ("mul" | "mull" | "mulq", [by]) if constraints.are(0, ACCUMULATORS) => Some(Words {
            name: "mul2",
            operands: vec![constraints.tied_to(0)?, constraints.argument(operand(by)?)?],
            results: 2,
        }),
        ("div" | "divl" | "divq", [by]) if constraints.are(0, ACCUMULATORS) => {
            let by = constraints.argument(operand(by)?)?;
            Some(Words {
                name: "div2",
                operands: vec![constraints.tied_to(0)?, constraints.tied_to(1)?, by],
                results: 2,
            })
        }
        _ => None,
    }
}

/// `add` and `adc`, or `sub` and `sbb`, each on a result's register. The low word's register must not hold the other operand of
/// the high word, which the compiler ensures with an early clobber.
fn double(
    first: &(&str, Vec<&str>),
    second: &(&str, Vec<&str>),
    constraints: &Constraints<'_>,
) -> Option<Words> {
    let is_sum = match (first.0, second.0) {
        ("add" | "addl" | "addq", "adc" | "adcl" | "adcq") => true,
        ("sub" | "subl" | "subq", "sbb" | "sbbl" | "sbbq") => false,
        _ => return None,
    };
    let ([low_from, low], [high_from, high]) = (&first.1[..], &second.1[..]) else {
        return None;
    };
    let (low, high) = (operand(low)?, operand(high)?);
    let name = match (is_sum, low, high) {
        (true, 0, 1) => "add2.low_first",
        (true, 1, 0) => "add2.high_first",
        (false, 0, 1) => "sub2.low_first",
        (false, 1, 0) => "sub2.high_first",
        _ => return None,
    };
    let is_early = constraints.results.get(low)?.starts_with("=&");
    (is_early && constraints.results.len() == 2).then_some(())?;
    Some(Words {
        name,
        operands: vec![
            constraints.tied_to(low)?,
            constraints.argument(operand(low_from)?)?,
            constraints.tied_to(high)?,
            constraints.argument(operand(high_from)?)?,
        ],
        results: 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str, constraints: &str) -> Option<(&'static str, Vec<usize>)> {
        words(code, constraints).map(|words| (words.name, words.operands))
    }

    #[test]
    fn operands_are_brought_into_order() {
        let two = "=r,=&r,0,rme,1,rme,~{dirflag},~{fpsr},~{flags}";
        assert_eq!(
            found("subq $5,${1:q}\n\tsbbq $3,${0:q}", two),
            Some(("sub2.high_first", vec![2, 3, 0, 1]))
        );
        assert_eq!(
            found("addq $5,${1:q}\n\tadcq $3,${0:q}", "=r,=&r,0,rme,%1,rme"),
            Some(("add2.high_first", vec![2, 3, 0, 1]))
        );
        assert_eq!(
            found("mulq $3", "={ax},={dx},%0,rm"),
            Some(("mul2", vec![0, 1]))
        );
        assert_eq!(
            found("divq $4", "={ax},={dx},0,1,rm"),
            Some(("div2", vec![0, 1, 2]))
        );
        assert_eq!(found("bsf\t$1, ${0:q}", "=r,r"), Some(("bsf", vec![0])));
        assert_eq!(found("bsrq $1,$0", "=r,rm"), Some(("bsr", vec![0])));
        let cpuid = "  xchgq  %rbx,${1:q}\n  cpuid\n  xchgq  %rbx,${1:q}";
        let intel = "mov ${0:q}, rbx\ncpuid\nxchg ${0:q}, rbx";
        assert_eq!(
            found(intel, "=&r,=&{ax},=&{cx},=&{dx},1,2,~{memory}"),
            Some(("cpuid", vec![]))
        );
        assert_eq!(
            found(cpuid, "={ax},=r,={cx},={dx},0"),
            Some(("cpuid", vec![]))
        );
    }

    #[test]
    fn other_assembly_is_not_taken_for_it() {
        let two = "=r,=r,0,rme,1,rme";
        assert_eq!(
            found("subq $5,$1\n\tsbbq $3,$0", two),
            None,
            "the low word may be where the other high word is"
        );
        assert_eq!(found("adcq $5,$1\n\taddq $3,$0", "=r,=&r,0,r,1,r"), None);
        assert_eq!(found("addq $5,$1\n\tsbbq $3,$0", "=r,=&r,0,r,1,r"), None);
        assert_eq!(found("mulq $3", "=r,=r,0,rm"), None, "not the accumulator");
        assert_eq!(found("mulq $2", "={ax},={dx},0,rm"), None, "a square");
        assert_eq!(found("bsf $0, $1", "=r,r"), None);
        assert_eq!(found("syscall", "={ax},0"), None);
    }
}
