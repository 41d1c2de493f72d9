//! The tables of tabling: variants of calls, their answers, and which evaluations are under way.
//!
//! The control is in `lib/tabling.pl`, what it calls in `tables/calls.rs`. Calls and answers are found by a canonical form
//! of the term: its cells in prefix order with variables numbered, so variants have the same form whatever they share on
//! the heap.
//!
//! A table is active while it is on the stack, waiting for a leader below it when its evaluation is done but led to an
//! older evaluation, reopened when that leader starts another round, and complete in the end. As in Tarjan's algorithm
//! only the newest entry of the stack learns which older evaluation was met; it passes that on when it leaves. What counts
//! is when an evaluation began, not when its table was made: in a later round a leader may ask for its tables in another
//! order. So a table has a place in the list of open tables, and moves to the end of it whenever its evaluation begins.
//!
//! A leader evaluates what it leads in rounds until one changes nothing. Three things decide what a round starts from:
//!
//! * Answers that are collected, or of which the best is kept, stay from round to round: deriving them again changes nothing.
//! * With modes that add answers up (`sum`, or a `lattice` whose join is not idempotent) a derivation must count once, so every round after the first starts
//!   with empty tables; calls met while their own evaluation is under way take the answers of the round before. Where rounds
//!   come to rest, every answer is the combination of all its derivations.
//! * Negation of a call under way (`tnot/1`) is undefined in the first phase. When the rounds of a phase change nothing more,
//!   the next phase starts with empty tables and takes negations as the phase before left them. True answers grow and
//!   possible ones shrink from phase to phase: the alternating fixpoint, which is the well-founded model. What is possible
//!   and not true in the end is undefined.
//!
//! Tables that the last round did not ask for may lack answers or hold what an earlier one believed, and are dropped.

mod answers;
mod calls;

use crate::flat::Flat;
use answers::{Added, Answers};
pub(crate) use calls::register;
use stet_base::FastMap;

/// A term up to the names of its variables.
type Form = Box<[u64]>;

/// How many forgotten tables are kept before it is looked which of them are still read.
const FORGOTTEN: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Active,
    Waiting,
    Reopened,
    Complete,
}

struct Table {
    form: Form,
    goal: Flat,
    status: Status,
    /// Where it stands among the open tables, as long as it is one.
    place: usize,
    answers: Answers,
    /// The answers of the round before, which are compared with those of this one, and read while it is under way.
    before: Option<Answers>,
    /// The next evaluation starts with no answers, and keeps those there are in `before`.
    fresh: bool,
    /// What the phase before found: how many answers, and how many of them undefined.
    truth: Option<(usize, usize)>,
    /// The round of a leader in which it was evaluated last.
    evaluated: u64,
    /// The last round of an evaluation it was part of did not ask for it.
    stale: bool,
    /// It was abolished while it was being filled: it is forgotten when it is complete.
    abolished: bool,
    /// The changes of incremental predicates when its evaluation began.
    epoch: u64,
}

/// An evaluation: its table and the place of it, the lowest place it led to, and whether its own table was met.
struct Evaluation {
    table: usize,
    place: usize,
    leader: usize,
    met: bool,
    /// Answers are added up in what it leads.
    adds_up: bool,
    /// A call under way was negated in what it leads.
    negated: bool,
    /// Changes there were when its round began.
    changes: usize,
    /// Tables it leads that were not evaluated since its last round began are out of date.
    reset: u64,
}

/// The truth of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    False,
    True,
    Undefined,
}

impl Truth {
    fn of((all, undefined): (usize, usize)) -> Truth {
        match all {
            0 => Truth::False,
            _ if undefined < all => Truth::True,
            _ => Truth::Undefined,
        }
    }
}

/// All tables of a machine.
#[derive(Default)]
pub(crate) struct Tables {
    /// By age; those that are forgotten and not read any more are gone.
    tables: Vec<Option<Box<Table>>>,
    variants: FastMap<Form, usize>,
    stack: Vec<Evaluation>,
    /// Tables that are not complete, by the time at which their evaluation began; none where a table was that has moved.
    open: Vec<Option<usize>>,
    /// Tables no call finds any more, which calls under way may still read.
    forgotten: Vec<usize>,
    /// So many of them are waited for before it is looked which are read.
    patience: usize,
    /// How often the clauses of an incremental predicate changed.
    epoch: u64,
    /// Counts the rounds of leaders.
    clock: u64,
    /// Answers added, replaced, or found to be true so far, in tables that keep them from round to round.
    changes: usize,
    /// The words that answers take.
    words: usize,
    /// Whether an undefined answer was ever taken.
    delays: bool,
    /// The number of `$tbl_answer/2` among the nondeterministic builtins.
    reader: usize,
    /// Memory for forms, used again and again.
    form: Vec<u64>,
    rest: Vec<crate::cell::Cell>,
}

impl Table {
    fn new(form: Form, goal: Flat, epoch: u64) -> Self {
        Table {
            form,
            goal,
            status: Status::Reopened,
            place: usize::MAX,
            answers: Answers::default(),
            before: None,
            fresh: false,
            truth: None,
            evaluated: 0,
            stale: false,
            abolished: false,
            epoch,
        }
    }

    /// What calls read: while a round that started with nothing is under way, the answers of the one before.
    fn readable(&self) -> &Answers {
        match &self.before {
            Some(before) if self.status == Status::Active => before,
            _ => &self.answers,
        }
    }

    fn readable_mut(&mut self) -> &mut Answers {
        match &mut self.before {
            Some(before) if self.status == Status::Active => before,
            _ => &mut self.answers,
        }
    }

    /// A round begins: what was found is put aside if it finds its own. The memory given back, in words.
    fn begin(&mut self, clock: u64) -> usize {
        self.status = Status::Active;
        self.evaluated = clock;
        self.stale = false;
        if !self.fresh {
            return 0;
        }
        self.fresh = false;
        let given = self.before.as_ref().map_or(0, Answers::size);
        self.before = Some(std::mem::take(&mut self.answers));
        given
    }

    /// Whether it was evaluated in the last round of its leader. One that was not may lack answers: that round found what
    /// it needed without it, as after a cut.
    fn is_current(&self, reset: u64) -> bool {
        !self.stale && self.evaluated >= reset
    }

    /// It is no open table any more.
    fn close(&mut self) {
        self.status = Status::Complete;
        self.place = usize::MAX;
    }

    /// Drops all answers; the memory given back, in words.
    fn empty(&mut self) -> usize {
        let given = self.answers.size() + self.before.as_ref().map_or(0, Answers::size);
        self.answers = Answers::default();
        self.before = None;
        given
    }
}

impl Tables {
    /// A predicate that incremental tables depend on changed.
    pub(crate) fn outdate(&mut self) {
        self.epoch += 1;
    }

    fn get(&self, number: usize) -> Option<&Table> {
        self.tables.get(number)?.as_deref()
    }

    fn get_mut(&mut self, number: usize) -> Option<&mut Table> {
        self.tables.get_mut(number)?.as_deref_mut()
    }

    /// Calls do not find the table any more; calls under way still take its answers.
    fn forget(&mut self, number: usize) {
        let Some(table) = self.get_mut(number) else {
            return;
        };
        let form = std::mem::take(&mut table.form);
        if !form.is_empty() {
            self.variants.remove(&form);
            self.forgotten.push(number);
        }
    }

    /// The tables that calls find, by age.
    fn known(&self) -> Vec<usize> {
        let mut known: Vec<usize> = self.variants.values().copied().collect();
        known.sort_unstable();
        known
    }

    /// Forgets a complete table now, and one that is being filled as soon as it is complete.
    fn abolish(&mut self, number: usize) {
        match self.get_mut(number) {
            Some(table) if table.status != Status::Complete => table.abolished = true,
            _ => self.forget(number),
        }
    }

    fn too_many_forgotten(&self) -> bool {
        self.forgotten.len() > FORGOTTEN.max(self.patience)
    }

    /// Gives back the memory of forgotten tables but those that are read.
    fn reclaim(&mut self, read: &[usize]) {
        let forgotten = std::mem::take(&mut self.forgotten);
        for number in forgotten {
            if read.contains(&number) {
                self.forgotten.push(number);
            } else if let Some(table) = self.tables[number].take() {
                self.words = self.words.saturating_sub(table.answers.size());
            }
        }
        while let Some(None) = self.tables.last() {
            self.tables.pop();
        }
        self.patience = self.forgotten.len() * 2;
    }

    /// The newest evaluation led to the table at this place.
    fn depend(&mut self, place: usize) {
        if let Some(top) = self.stack.last_mut() {
            top.leader = top.leader.min(place);
            top.met |= top.place == place;
        }
    }

    /// The evaluation of a table begins; it is on the stack from now on.
    fn begin(&mut self, number: usize) {
        self.begin_round(number);
        let place = self.open.len();
        self.open.push(Some(number));
        if let Some(table) = self.get_mut(number) {
            let left = std::mem::replace(&mut table.place, place);
            if let Some(old) = self.open.get_mut(left) {
                debug_assert_eq!(*old, Some(number), "a table stands at its place");
                *old = None;
            }
        }
        self.stack.push(Evaluation {
            table: number,
            place,
            leader: place,
            met: false,
            adds_up: false,
            negated: false,
            changes: self.changes,
            reset: 0,
        });
    }

    fn begin_round(&mut self, number: usize) {
        let clock = self.clock;
        let given = self.get_mut(number).map_or(0, |table| table.begin(clock));
        self.words = self.words.saturating_sub(given);
    }

    fn empty(&mut self, number: usize) {
        let given = self.get_mut(number).map_or(0, Table::empty);
        self.words = self.words.saturating_sub(given);
    }

    /// Forgets the tables whose evaluation was left by an exception, from this one on.
    fn abandon(&mut self, number: usize) {
        let place = self.get(number).map_or(usize::MAX, |table| table.place);
        self.abandon_from(place);
    }

    fn abandon_from(&mut self, place: usize) {
        self.stack.retain(|entry| entry.place < place);
        while self.open.len() > place {
            let Some(number) = self.open.pop().flatten() else {
                continue;
            };
            self.forget(number);
            self.empty(number);
            if let Some(dead) = self.get_mut(number) {
                dead.close();
            }
        }
    }

    /// Forgets what an interrupted query left unfinished.
    pub(crate) fn forget_open(&mut self) {
        self.abandon_from(0);
    }

    /// The terms kept here, for the collector of atoms.
    pub(crate) fn words(&self) -> impl Iterator<Item = &[u64]> {
        self.tables.iter().flatten().flat_map(|table| {
            let kept = std::iter::once(&table.answers).chain(&table.before);
            let kept = kept.flat_map(|answers| {
                let conditions = answers.conditions().map(|flat| &flat.words[..]);
                conditions.chain([answers.words()])
            });
            kept.chain([&table.goal.words[..], &table.form[..]])
        })
    }

    /// The memory answers take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words * 8
    }

    /// What is known of a call: for one that is under way, what the phase before found, and nothing in the first.
    fn truth(&mut self, number: usize) -> Truth {
        let Some(table) = self.get(number) else {
            return Truth::False;
        };
        let now = Truth::of(table.answers.counts());
        if table.status == Status::Complete || now == Truth::True {
            return now;
        }
        let before = table.truth.map_or(Truth::Undefined, Truth::of);
        if let Some(top) = self.stack.last_mut() {
            top.negated = true;
        }
        before
    }

    /// A round of a table's evaluation is done: whether another one may find more.
    fn again(&mut self, number: usize) -> bool {
        if let Some(table) = self.get(number)
            && let Some(before) = &table.before
            && table.answers.differs(before)
        {
            self.changes += 1;
        }
        let Some(top) = self.stack.last() else {
            return false;
        };
        debug_assert_eq!(top.table, number, "the newest evaluation does a round");
        if top.leader != top.place || !top.met {
            return false;
        }
        let (changed, adds_up, negated) = (self.changes != top.changes, top.adds_up, top.negated);
        let place = top.place;
        if changed {
            self.reopen(number, place, adds_up);
            return true;
        }
        let again = negated && self.next_phase(place);
        if again {
            self.reopen(number, place, false);
        }
        again
    }

    /// Starts another round of a leader; from empty tables if they are to be found `fresh`.
    fn reopen(&mut self, leader: usize, place: usize, fresh: bool) {
        self.clock += 1;
        let led: Vec<usize> = self.open.drain(place..).flatten().collect();
        debug_assert_eq!(
            led.first(),
            Some(&leader),
            "a leader is before what it leads"
        );
        for number in led {
            let place = self.open.len();
            self.open.push(Some(number));
            if let Some(table) = self.get_mut(number) {
                table.status = Status::Reopened;
                table.place = place;
                table.fresh = fresh;
            }
        }
        self.begin_round(leader);
        let (clock, changes) = (self.clock, self.changes);
        if let Some(top) = self.stack.last_mut() {
            top.changes = changes;
            top.reset = clock;
        }
    }

    /// The rounds of a phase are done: whether negations would be taken otherwise in the next. If so, tables are emptied.
    fn next_phase(&mut self, place: usize) -> bool {
        let reset = self.stack.last().map_or(0, |top| top.reset);
        let led: Vec<usize> = self.open[place..].iter().flatten().copied().collect();
        let (mut undefined, mut changed) = (false, false);
        for &number in &led {
            if let Some(table) = self.get(number)
                && table.is_current(reset)
            {
                let counts = table.answers.counts();
                undefined |= counts.1 > 0;
                changed |= table.truth != Some(counts);
            }
        }
        if !undefined || !changed {
            return false;
        }
        for &number in &led {
            if let Some(table) = self.get_mut(number)
                && table.is_current(reset)
            {
                table.truth = Some(table.answers.counts());
            }
            self.empty(number);
        }
        true
    }

    /// The evaluation of a table is done: it waits for its leader, or it is complete with all that waited for it.
    fn leave(&mut self, number: usize) {
        let Some(done) = self.stack.pop() else {
            return;
        };
        debug_assert_eq!(
            done.table, number,
            "evaluations end in the order they began"
        );
        debug_assert!(
            done.leader <= done.place,
            "a leader began no later than what it leads"
        );
        debug_assert!(
            self.stack.last().is_none_or(|top| top.place < done.place),
            "what is under way began before what it waits for"
        );
        if done.leader < done.place {
            self.wait(&done);
            self.depend(done.leader);
            if let Some(top) = self.stack.last_mut() {
                top.adds_up |= done.adds_up;
                top.negated |= done.negated;
            }
            return;
        }
        while self.open.len() > done.place {
            if let Some(open) = self.open.pop().flatten() {
                self.complete(open, done.reset);
            }
        }
    }

    /// An evaluation that is led by an older one has ended.
    fn wait(&mut self, done: &Evaluation) {
        for at in done.place + 1..self.open.len() {
            if let Some(led) = self.open[at]
                && let Some(table) = self.get_mut(led)
            {
                table.stale |= !table.is_current(done.reset);
            }
        }
        if let Some(table) = self.get_mut(done.table) {
            table.status = Status::Waiting;
        }
    }

    fn complete(&mut self, number: usize, reset: u64) {
        let Some(table) = self.get_mut(number) else {
            return;
        };
        table.close();
        table.truth = None;
        let given = table.before.take().map_or(0, |before| before.size());
        let (current, abolished) = (table.is_current(reset), table.abolished);
        let given = given + table.answers.close();
        self.words = self.words.saturating_sub(given);
        if !current {
            self.empty(number);
        }
        if !current || abolished {
            self.forget(number);
        }
    }

    /// Counts what became of an answer; false if nothing changed.
    fn note(&mut self, number: usize, added: Added) -> bool {
        // Rounds that start with empty tables are compared as a whole.
        let counts = self.get(number).is_some_and(|table| table.before.is_none());
        if counts && added != Added::Known {
            self.changes += 1;
        }
        added != Added::Known
    }
}
