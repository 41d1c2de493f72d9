//! Axioms that the prover is told only when it looks at a failing check for a second time: `axiom {:second} …`.
//!
//! Some axioms prove what nothing else does and cost much everywhere else. They are in every text that is sent to the prover, as
//! comments, so that keys of verdicts cover them, and become assertions in the attempt that is made last
//! ([`crate::prove`]). There only a proof counts.

/// What a line of such an axiom begins with.
const MARK: &str = ";2 ";

/// The text of an axiom that is not told yet.
pub(crate) fn kept(text: &str) -> String {
    text.lines().map(|line| format!("{MARK}{line}\n")).collect()
}

/// Whether a text has such axioms.
pub(crate) fn is_kept_in(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(MARK))
}

/// The text with its axioms told; nothing if there are none.
pub(crate) fn told(text: &str) -> Option<String> {
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        all.push_str(line.strip_prefix(MARK).unwrap_or(line));
        all.push('\n');
    }
    debug_assert!(!is_kept_in(&all), "an axiom is marked once");
    is_kept_in(text).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::{kept, told};

    #[test]
    fn what_is_kept_is_a_comment_and_can_be_told() {
        let axiom = "(assert (forall ((x Int))\n (= x x)))\n";
        let text = format!("(declare-fun f () Int)\n{}; a remark\n", kept(axiom));
        assert!(kept(axiom).lines().all(|line| line.starts_with(';')));
        let expected = format!("(declare-fun f () Int)\n{axiom}; a remark\n");
        assert_eq!(told(&text), Some(expected));
        assert_eq!(told("(assert true)\n; a remark\n"), None);
    }
}
