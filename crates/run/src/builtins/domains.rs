//! Sets of integers for the library of constraints: lists of intervals `Low-High`, sorted and apart, whose first bound may
//! be `inf` and whose last `sup`.
//!
//! Bounds are small integers here. If one is not, the result is the atom `large`, and the library works the set out
//! itself.

use crate::cell::*;
use crate::errors::PErr;
use crate::machine::{Machine, Res};
use crate::memory::Memory;
use stet_base::FastMap;
use stet_prolog::atom;

type Set = Vec<(i64, i64)>;

const INF: i64 = i64::MIN;
const SUP: i64 = i64::MAX;

/// Sets with more members than this are not looked at one by one.
const MEMBERS: i64 = 100_000;

pub(super) fn register(m: &mut Machine) {
    // '$dom_contains'(Domain, Value): for small values
    m.register("$dom_contains", 2, |m| {
        let value = m.arg(1);
        let mut rest = m.arg(0);
        while let Some(((low, high), next)) = m.mem.interval(rest) {
            if value.small_value() <= high {
                return Ok(low <= value.small_value());
            }
            rest = next;
        }
        Ok(false)
    });
    m.register("$dom_without", 3, without);
    m.register("$dom_intersection", 3, intersection);
    m.register("$dom_distinct", 2, distinct);
}

impl Memory {
    /// The first interval of a set, and the rest.
    fn interval(&self, set: Cell) -> Option<((i64, i64), Cell)> {
        if set.tag() != LST {
            return None;
        }
        let args = self.structure(self.at(set.index()), atom::MINUS, 2)?;
        let bound = |cell: Cell| match cell.as_atom() {
            Some(atom::INF) => Some(INF),
            Some(atom::SUP) => Some(SUP),
            _ => cell.is_small().then(|| cell.small_value()),
        };
        let interval = (bound(self.at(args))?, bound(self.at(args + 1))?);
        Some((interval, self.at(set.index() + 1)))
    }

    /// The set a list stands for; `None` if a bound is too large.
    fn set_of(&self, mut list: Cell) -> Option<Set> {
        let mut set = Set::new();
        while let Some((interval, next)) = self.interval(list) {
            set.push(interval);
            list = next;
        }
        list.is_atom(atom::NIL).then_some(set)
    }
}

impl Machine {
    fn set_cell(&mut self, set: &[(i64, i64)]) -> Result<Cell, PErr> {
        self.mem.need(set.len() * 8)?;
        let bound = |value: i64| match value {
            INF => Cell::atom(atom::INF),
            SUP => Cell::atom(atom::SUP),
            _ => Cell::small(value),
        };
        let cells: Vec<Cell> = set
            .iter()
            .map(|&(low, high)| self.mem.new_term(atom::MINUS, &[bound(low), bound(high)]))
            .collect();
        self.new_proper_list(&cells)
    }

    fn too_large(&mut self, index: usize) -> Res {
        let large = self.mem.atom_cell("large");
        self.unify_result(self.control.x[index], large)
    }
}

/// `'$dom_without'(Domain, Value, Rest)`: false if the value is not in the domain.
fn without(m: &mut Machine) -> Res {
    let (domain, value) = (m.arg(0), m.arg(1));
    let Some(set) = m.mem.set_of(domain).filter(|_| value.is_small()) else {
        return m.too_large(2);
    };
    let value = value.small_value();
    let mut rest = Set::with_capacity(set.len() + 1);
    let mut found = false;
    for (low, high) in set {
        if value < low || high < value {
            rest.push((low, high));
            continue;
        }
        found = true;
        if low < value {
            rest.push((low, value - 1));
        }
        if value < high {
            rest.push((value + 1, high));
        }
    }
    if !found {
        return Ok(false);
    }
    let rest = m.set_cell(&rest)?;
    m.unify_result(m.control.x[2], rest)
}

/// `'$dom_intersection'(A, B, C)`: C is A itself if nothing is lost.
fn intersection(m: &mut Machine) -> Res {
    let (Some(a), Some(b)) = (m.mem.set_of(m.arg(0)), m.mem.set_of(m.arg(1))) else {
        return m.too_large(2);
    };
    let mut both = Set::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (low, high) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if low <= high {
            both.push((low, high));
        }
        if a[i].1 < b[j].1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    let result = if both == a {
        m.control.x[0]
    } else {
        m.set_cell(&both)?
    };
    m.unify_result(m.control.x[2], result)
}

/// `'$dom_distinct'(Domains, Filtered)`: the values that variables with these domains can take if all are different.
/// False if there are none; `large` if a domain is not finite or too large.
fn distinct(m: &mut Machine) -> Res {
    let cells = m.list_items(m.control.x[0])?;
    let mut sets = Vec::with_capacity(cells.len());
    let mut members = 0i64;
    for &cell in &cells {
        let Some(set) = m.mem.set_of(cell) else {
            return m.too_large(1);
        };
        for &(low, high) in &set {
            let size = high.saturating_sub(low).saturating_add(1);
            members = members.saturating_add(size);
        }
        if members > MEMBERS {
            return m.too_large(1);
        }
        sets.push(set);
    }
    m.charge(members as usize);
    let mut graph = Graph::new(&sets);
    if !graph.find_matching() {
        return Ok(false);
    }
    let kept = graph.possible();
    let mut results = Vec::with_capacity(cells.len());
    for (i, cell) in cells.into_iter().enumerate() {
        let set = intervals(kept[i].iter().map(|&value| graph.values[value]));
        results.push(if set == sets[i] {
            cell
        } else {
            m.set_cell(&set)?
        });
    }
    let list = m.new_proper_list(&results)?;
    m.unify_result(m.control.x[1], list)
}

/// Sorted values as intervals.
fn intervals(values: impl Iterator<Item = i64>) -> Set {
    let mut set = Set::new();
    for value in values {
        match set.last_mut() {
            Some((_, high)) if *high + 1 == value => *high = value,
            _ => set.push((value, value)),
        }
    }
    set
}

const NONE: usize = usize::MAX;

/// Variables, values, and which variable may have which value.
struct Graph {
    values: Vec<i64>,
    /// The values each variable may have, ascending.
    choices: Vec<Vec<usize>>,
    /// The value a variable has in the matching.
    value_of: Vec<usize>,
    /// The variable that has a value in the matching.
    holder: Vec<usize>,
}

impl Graph {
    fn new(sets: &[Set]) -> Graph {
        let mut values: Vec<i64> = sets
            .iter()
            .flatten()
            .flat_map(|&(low, high)| low..=high)
            .collect();
        values.sort_unstable();
        values.dedup();
        let number: FastMap<i64, usize> = values.iter().zip(0..).map(|(&v, i)| (v, i)).collect();
        let members = |set: &Set| -> Vec<usize> {
            set.iter()
                .flat_map(|&(low, high)| low..=high)
                .filter_map(|value| number.get(&value).copied())
                .collect()
        };
        Graph {
            choices: sets.iter().map(members).collect(),
            value_of: vec![NONE; sets.len()],
            holder: vec![NONE; values.len()],
            values,
        }
    }

    /// Gives every variable a value of its own, by augmenting paths.
    fn find_matching(&mut self) -> bool {
        (0..self.choices.len()).all(|variable| self.augment(variable))
    }

    fn augment(&mut self, start: usize) -> bool {
        // Breadth first over variables; for every value seen, the variable it was seen from.
        let mut from = vec![NONE; self.values.len()];
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&variable) = queue.get(next) {
            next += 1;
            for &value in &self.choices[variable] {
                if from[value] != NONE {
                    continue;
                }
                from[value] = variable;
                if self.holder[value] == NONE {
                    self.shift(value, start, &from);
                    return true;
                }
                queue.push(self.holder[value]);
            }
        }
        false
    }

    /// Moves values along the path that ends in a free one.
    fn shift(&mut self, free: usize, start: usize, from: &[usize]) {
        let mut value = free;
        loop {
            let variable = from[value];
            let before = std::mem::replace(&mut self.value_of[variable], value);
            self.holder[value] = variable;
            if variable == start {
                return;
            }
            value = before;
        }
    }

    /// The values of each variable that are in some matching: the one it has; those from which moves lead to a free value;
    /// and those from which moves lead back to the one it has.
    fn possible(&self) -> Vec<Vec<usize>> {
        let free = self.leading_to_free();
        let component = self.components();
        let keeps = |variable: usize, value: usize| {
            free[value] || component[value] == component[self.value_of[variable]]
        };
        self.choices
            .iter()
            .enumerate()
            .map(|(variable, values)| {
                let kept = values.iter().copied();
                kept.filter(|&value| keeps(variable, value)).collect()
            })
            .collect()
    }

    /// For every value the values whose holders may move to it.
    fn reversed(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.values.len()];
        for (variable, values) in self.choices.iter().enumerate() {
            for &value in values {
                before[value].push(self.value_of[variable]);
            }
        }
        before
    }

    fn leading_to_free(&self) -> Vec<bool> {
        let before = self.reversed();
        let mut reached: Vec<bool> = self.holder.iter().map(|&h| h == NONE).collect();
        let mut stack: Vec<usize> = (0..reached.len()).filter(|&v| reached[v]).collect();
        while let Some(value) = stack.pop() {
            for &other in &before[value] {
                if !std::mem::replace(&mut reached[other], true) {
                    stack.push(other);
                }
            }
        }
        reached
    }

    /// The strongly connected components of the moves between values: one depth-first pass for the order, one over the
    /// reversed moves.
    fn components(&self) -> Vec<usize> {
        let count = self.values.len();
        let none = Vec::new();
        let moves = |value: usize| match self.holder[value] {
            NONE => &none,
            variable => &self.choices[variable],
        };
        let mut order = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        for root in 0..count {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((value, at)) = stack.pop() {
                match moves(value).get(at) {
                    None => order.push(value),
                    Some(&next) => {
                        stack.push((value, at + 1));
                        if !std::mem::replace(&mut seen[next], true) {
                            stack.push((next, 0));
                        }
                    }
                }
            }
        }
        let before = self.reversed();
        let mut component = vec![NONE; count];
        for &root in order.iter().rev() {
            let mut stack = vec![root];
            while let Some(value) = stack.pop() {
                if component[value] == NONE {
                    component[value] = root;
                    stack.extend(&before[value]);
                }
            }
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn possible(sets: &[&[(i64, i64)]]) -> Option<Vec<Vec<i64>>> {
        let sets: Vec<_> = sets.iter().map(|set| set.to_vec()).collect();
        let mut graph = Graph::new(&sets);
        graph.find_matching().then(|| {
            let kept = graph.possible();
            kept.iter()
                .map(|values| values.iter().map(|&value| graph.values[value]).collect())
                .collect()
        })
    }

    #[test]
    fn values_that_others_need_are_removed() {
        let found = possible(&[&[(1, 2)], &[(1, 2)], &[(1, 3)]]);
        assert_eq!(found, Some(vec![vec![1, 2], vec![1, 2], vec![3]]));
        assert_eq!(possible(&[&[(1, 2)], &[(1, 2)], &[(1, 2)]]), None);
        let free = possible(&[&[(1, 2)], &[(2, 3)]]);
        assert_eq!(free, Some(vec![vec![1, 2], vec![2, 3]]));
    }

    /// Against all assignments, for every triple of subsets of four values.
    #[test]
    fn exactly_the_values_of_some_assignment_are_kept() {
        let members = |bits: u32| (0..4).filter(move |i| bits >> i & 1 == 1).map(i64::from);
        for code in 0..16u32.pow(3) {
            let subsets = [code % 16, code / 16 % 16, code / 256];
            if subsets.contains(&0) {
                continue;
            }
            let mut expected = vec![std::collections::BTreeSet::new(); 3];
            for x in members(subsets[0]) {
                for y in members(subsets[1]).filter(|&y| y != x) {
                    for z in members(subsets[2]).filter(|&z| z != x && z != y) {
                        expected[0].insert(x);
                        expected[1].insert(y);
                        expected[2].insert(z);
                    }
                }
            }
            let sets: Vec<Vec<(i64, i64)>> = subsets
                .iter()
                .map(|&bits| members(bits).map(|v| (v, v)).collect())
                .collect();
            let sets: Vec<&[(i64, i64)]> = sets.iter().map(Vec::as_slice).collect();
            let found = possible(&sets);
            if expected[0].is_empty() {
                assert_eq!(found, None);
            } else {
                let expected = expected.iter().map(|s| s.iter().copied().collect());
                assert_eq!(found, Some(expected.collect()));
            }
        }
    }
}
