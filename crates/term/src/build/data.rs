//! Datatypes: constructors, selectors, testers.

use crate::{Level, Op, Rule, Sort, Term, Terms};

impl Terms {
    /// A constructor of a datatype applied to its fields.
    pub fn construct(&self, sort: Sort, constructor: u32, args: &[Term]) -> Term {
        debug_assert_eq!(
            self.constructors(sort)
                .get(constructor as usize)
                .map(|c| c.fields.len()),
            Some(args.len())
        );
        self.intern(Op::Construct(constructor), args, sort)
    }

    /// A field of a value made by a constructor; any value if it was made by another.
    pub fn selector(&self, constructor: u32, field: u32, a: Term) -> Term {
        if self.at(Level::Cheap) && self.op(a) == Op::Construct(constructor) {
            self.fire(Rule::SelectConstruct);
            return self.args(a)[field as usize];
        }
        let sort = self.constructors(self.sort(a))[constructor as usize].fields[field as usize].1;
        self.intern(Op::Selector { constructor, field }, &[a], sort)
    }

    /// Whether a value was made by a constructor.
    pub fn tester(&self, constructor: u32, a: Term) -> Term {
        if self.at(Level::Cheap)
            && let Op::Construct(made) = self.op(a)
        {
            self.fire(Rule::SelectConstruct);
            return self.bool(made == constructor);
        }
        self.intern(Op::Tester(constructor), &[a], Sort::BOOL)
    }

    /// The position of a constructor by name.
    pub fn constructor_index(&self, sort: Sort, name: &str) -> Option<u32> {
        self.constructors(sort)
            .iter()
            .position(|constructor| constructor.name == name)
            .map(|index| index as u32)
    }
}
