//! `assert {:only}`: the other checks of a body are assumed.
//!
//! Marked assertions are checked, with the proofs they have; `"before"` adds what precedes the assertion, `"after"` what follows
//! it. Postconditions are not checked then. The front end warns about every such assertion, so that nobody takes the rest for
//! verified.
//!
//! The translation leaves marks around a marked assertion: one where it begins, one before its own condition (which
//! follows its proof), one where it ends. [`restrict`] reads the marks and turns what is not checked into assumptions.

use crate::cx::Cx;
use crate::decl::Procedure;
use crate::tree::{Check, S};
use std::collections::BTreeSet;
use stet_dafny::tree::{Attribute, ExprKind, Program, StmtKind};

const ALONE: &str = "only";
const BEFORE: &str = "only_before";
const AFTER: &str = "only_after";
const OWN: &str = "only_own";
const END: &str = "only_end";

/// Whether an assertion of the program is marked.
pub(crate) fn is_used(p: &Program) -> bool {
    p.stmts.iter().any(|(_, s)| {
        matches!(s.kind, StmtKind::Assert { .. }) && begin_mark(p, &s.attributes).is_some()
    })
}

/// The mark that begins an assertion with these attributes.
pub(crate) fn begin_mark(p: &Program, attributes: &[Attribute]) -> Option<&'static str> {
    let only = attributes.iter().find(|a| p.text(a.name) == "only")?;
    let is_word = |word: &str| match only.args.first().map(|&arg| &p.exprs[arg].kind) {
        Some(ExprKind::Str(text)) => text.iter().copied().eq(word.chars().map(u32::from)),
        _ => false,
    };
    Some(match () {
        () if is_word("before") => BEFORE,
        () if is_word("after") => AFTER,
        () => ALONE,
    })
}

/// What a body is made of: checks by number, and marked assertions.
enum Item {
    Check(usize),
    Marked {
        mark: &'static str,
        /// The checks of its own condition.
        own: Vec<Item>,
        proof: Vec<Item>,
    },
}

/// Turns the checks that marked assertions leave out into assumptions; nothing without marks.
pub(crate) fn restrict(procedure: &mut Procedure) {
    let Some(body) = &mut procedure.body else {
        return;
    };
    let mut reader = Reader::default();
    reader.stmts(&body.stmts);
    let items = reader.all();
    if !items.iter().any(is_marked) {
        return;
    }
    let mut checked = BTreeSet::new();
    select(&items, &mut checked);
    let mut writer = Writer { at: 0, checked };
    writer.stmts(&mut body.stmts);
    for clause in &mut procedure.ensures {
        clause.free = true;
    }
}

fn is_marked(item: &Item) -> bool {
    matches!(item, Item::Marked { .. })
}

/// Collects the items of a body in the order of its text.
#[derive(Default)]
struct Reader {
    count: usize,
    /// The lists being made; the outermost first.
    open: Vec<Vec<Item>>,
    done: Vec<Item>,
    marks: Vec<&'static str>,
}

impl Reader {
    fn push(&mut self, item: Item) {
        self.open.last_mut().unwrap_or(&mut self.done).push(item);
    }

    fn check(&mut self) {
        let number = self.count;
        self.count += 1;
        self.push(Item::Check(number));
    }

    fn stmts(&mut self, stmts: &[S]) {
        for stmt in stmts {
            match stmt {
                S::Assert(_) | S::Call { .. } => self.check(),
                S::If(_, a, b) => {
                    self.stmts(a);
                    self.stmts(b);
                }
                S::Loop {
                    invariants, body, ..
                } => {
                    invariants.iter().for_each(|_| self.check());
                    self.stmts(body);
                }
                S::Mark(mark @ (ALONE | BEFORE | AFTER)) => {
                    self.marks.push(mark);
                    self.open.push(Vec::new());
                }
                S::Mark(OWN) => self.open.push(Vec::new()),
                S::Mark(END) => self.close(),
                _ => {}
            }
        }
    }

    fn close(&mut self) {
        let own = self.open.pop().unwrap_or_default();
        let proof = self.open.pop().unwrap_or_default();
        if let Some(mark) = self.marks.pop() {
            self.push(Item::Marked { mark, own, proof });
        }
    }

    fn all(mut self) -> Vec<Item> {
        while !self.marks.is_empty() {
            self.close();
        }
        self.done
    }
}

/// Adds the checks of a body with marks that are to be made.
fn select(items: &[Item], checked: &mut BTreeSet<usize>) {
    /// Whether checks are made; at first that depends on what follows.
    enum Mode {
        Open(Vec<usize>),
        On,
        Off,
    }
    let mut mode = Mode::Open(Vec::new());
    for item in items {
        match (item, &mut mode) {
            (Item::Check(number), Mode::Open(before)) => before.push(*number),
            (Item::Check(number), Mode::On) => {
                checked.insert(*number);
            }
            (Item::Check(_), Mode::Off) => {}
            (Item::Marked { mark: BEFORE, .. }, Mode::Off) => {}
            (Item::Marked { mark, own, proof }, _) => {
                select_marked(own, proof, checked);
                mode = match (*mark, mode) {
                    (BEFORE, Mode::Open(before)) => {
                        checked.extend(before);
                        Mode::Off
                    }
                    (AFTER, _) | (ALONE, Mode::On) => Mode::On,
                    _ => Mode::Off,
                };
            }
        }
    }
}

/// A marked assertion: all of it, unless there are marks in its proof.
fn select_marked(own: &[Item], proof: &[Item], checked: &mut BTreeSet<usize>) {
    let numbers = |items: &[Item]| -> Vec<usize> {
        let each = items.iter().filter_map(|item| match item {
            Item::Check(number) => Some(*number),
            Item::Marked { .. } => None,
        });
        each.collect()
    };
    if proof.iter().any(is_marked) {
        // The condition stands before its proof.
        let mut all: Vec<Item> = numbers(own).into_iter().map(Item::Check).collect();
        all.extend(proof.iter().map(copy));
        select(&all, checked);
    } else {
        checked.extend(numbers(own));
        checked.extend(numbers(proof));
    }
}

fn copy(item: &Item) -> Item {
    match item {
        Item::Check(number) => Item::Check(*number),
        Item::Marked { mark, own, proof } => Item::Marked {
            mark,
            own: own.iter().map(copy).collect(),
            proof: proof.iter().map(copy).collect(),
        },
    }
}

/// Replaces the checks that are not made, counting as [`Reader`] does.
struct Writer {
    at: usize,
    checked: BTreeSet<usize>,
}

impl Writer {
    fn is_checked(&mut self) -> bool {
        self.at += 1;
        self.checked.contains(&(self.at - 1))
    }

    fn stmts(&mut self, stmts: &mut Vec<S>) {
        for stmt in &mut *stmts {
            match stmt {
                S::Assert(check) => {
                    let is_checked = self.is_checked();
                    if !is_checked {
                        let Check { cond, .. } = check;
                        *stmt = S::Assume(cond.clone());
                    }
                }
                S::Call { proc, .. } => {
                    if !self.is_checked()
                        && let Some(name) = proc.strip_prefix("$Call.")
                    {
                        *proc = format!("$Shown.{name}").into();
                    }
                }
                S::If(_, a, b) => {
                    self.stmts(a);
                    self.stmts(b);
                }
                S::Loop {
                    invariants, body, ..
                } => {
                    for invariant in invariants {
                        invariant.free |= !self.is_checked();
                    }
                    self.stmts(body);
                }
                _ => {}
            }
        }
        stmts.retain(|s| !matches!(s, S::Mark(ALONE | BEFORE | AFTER | OWN | END)));
    }
}

impl Cx<'_> {
    /// Requests the form of a callee that checks nothing, which [`restrict`] may put in.
    pub(crate) fn request_unchecked(&mut self, instance: &crate::cx::Instance) {
        if self.has_only {
            self.request(crate::cx::Work::Shown(instance.clone()));
        }
    }
}

/// The mark before the condition of a marked assertion.
pub(crate) fn own_mark() -> S {
    S::Mark(OWN)
}

/// The mark at the end of a marked assertion.
pub(crate) fn end_mark() -> S {
    S::Mark(END)
}
