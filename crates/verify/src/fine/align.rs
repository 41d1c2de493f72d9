//! Alignment of two sequences of commands by a longest common subsequence of their digests.

use stet_key::Digest;

/// One step through both sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The same command in both: positions in the old and the new sequence.
    Both(usize, usize),
    /// Only in the old one.
    Old(usize),
    /// Only in the new one.
    New(usize),
}

/// Beyond this many comparisons the middle is treated as changed.
const LIMIT: usize = 4_000_000;

/// Aligns two sequences; between two common commands the old ones come first.
pub(super) fn align(old: &[Digest], new: &[Digest]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(old.len().max(new.len()));
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    steps.extend((0..prefix).map(|i| Step::Both(i, i)));
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let old_middle = &old_rest[..old_rest.len() - suffix];
    let new_middle = &new_rest[..new_rest.len() - suffix];
    middle(old_middle, new_middle, prefix, &mut steps);
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    steps.extend((0..suffix).map(|i| Step::Both(old_end + i, new_end + i)));
    debug_assert_eq!(
        steps.len()
            + steps
                .iter()
                .filter(|step| matches!(step, Step::Both(..)))
                .count(),
        old.len() + new.len(),
        "every command is in one step"
    );
    debug_assert!(
        steps.iter().all(|step| match *step {
            Step::Both(i, j) => old[i] == new[j],
            Step::Old(_) | Step::New(_) => true,
        }),
        "aligned commands are the same"
    );
    steps
}

fn middle(old: &[Digest], new: &[Digest], base: usize, steps: &mut Vec<Step>) {
    let (n, m) = (old.len(), new.len());
    if n * m > LIMIT || n == 0 || m == 0 {
        steps.extend((0..n).map(|i| Step::Old(base + i)));
        steps.extend((0..m).map(|j| Step::New(base + j)));
        return;
    }
    let width = m + 1;
    let mut lengths = vec![0_u32; (n + 1) * width];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            lengths[i * width + j] = if old[i] == new[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < n || j < m {
        if i < n && j < m && old[i] == new[j] {
            steps.push(Step::Both(base + i, base + j));
            i += 1;
            j += 1;
        } else if i < n && (j == m || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
            steps.push(Step::Old(base + i));
            i += 1;
        } else {
            steps.push(Step::New(base + j));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(text: &str) -> Vec<Digest> {
        text.bytes().map(|b| Digest::of_bytes(&[b])).collect()
    }

    fn common(old: &str, new: &str) -> String {
        let (a, b) = (digests(old), digests(new));
        let steps = align(&a, &b);
        // Every element occurs exactly once and in order.
        let olds: Vec<usize> = steps
            .iter()
            .filter_map(|s| match s {
                Step::Both(i, _) | Step::Old(i) => Some(*i),
                Step::New(_) => None,
            })
            .collect();
        assert_eq!(olds, (0..old.len()).collect::<Vec<_>>());
        let news: Vec<usize> = steps
            .iter()
            .filter_map(|s| match s {
                Step::Both(_, j) | Step::New(j) => Some(*j),
                Step::Old(_) => None,
            })
            .collect();
        assert_eq!(news, (0..new.len()).collect::<Vec<_>>());
        steps
            .iter()
            .filter_map(|s| match s {
                Step::Both(i, j) => {
                    assert_eq!(a[*i], b[*j]);
                    Some(old.as_bytes()[*i] as char)
                }
                _ => None,
            })
            .collect()
    }

    #[test]
    fn common_commands_are_found() {
        assert_eq!(common("abcdef", "abxdef"), "abdef");
        assert_eq!(common("abc", "xabcy"), "abc");
        assert_eq!(common("", "abc"), "");
        assert_eq!(common("abcabc", "acbc"), "acbc");
        assert_eq!(common("axbycz", "abc"), "abc");
    }
}
