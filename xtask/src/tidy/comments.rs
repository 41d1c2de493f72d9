//! Doc comments that only repeat a name: one line of one or two plain words ("The terms."). Help texts of the command line are
//! doc comments too, and short on purpose.

/// The line numbers of such comments.
pub(super) fn thin(text: &str) -> Vec<usize> {
    if text.contains("clap::") {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_doc = |number: usize| {
        lines
            .get(number)
            .is_some_and(|line| line.starts_with("///"))
    };
    let is_alone = |number: usize| !is_doc(number + 1) && (number == 0 || !is_doc(number - 1));
    let all = 0..lines.len();
    all.filter(|&number| is_doc(number) && is_alone(number) && is_thin(lines[number]))
        .map(|number| number + 1)
        .collect()
}

fn is_thin(line: &str) -> bool {
    let words: Vec<&str> = line.trim_start_matches("///").split_whitespace().collect();
    let is_plain = |word: &&str| {
        let letters = word.trim_end_matches('.').chars();
        letters.into_iter().all(|c| c.is_alphabetic() || c == '-')
    };
    (1..=2).contains(&words.len()) && words.iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_two_plain_words_are_thin() {
        assert_eq!(thin("/// The terms.\npub terms: Vec<Term>,\n"), [1]);
        assert!(thin("/// `bvadd`.\nfn add() {}\n").is_empty());
        assert!(thin("/// The terms\n/// of the query.\nfn f() {}\n").is_empty());
        assert!(thin("/// Sorted by their number.\nfn f() {}\n").is_empty());
    }
}
