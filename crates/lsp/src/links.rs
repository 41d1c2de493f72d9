//! Which names of a program stand for the same thing, as its resolver found.
//!
//! A name is known by its place. [`Links::of`] gives the declaration a name stands for, [`Links::places`] all names of what a name stands
//! for, in all files of the program. A program that does not resolve has few links or none; what is built on tokens alone
//! ([`crate::symbols`]) is then the only answer, which is good enough for looking and too little for changing.

use crate::lexical::{Kind, Token};
use std::collections::BTreeMap;
use stet_base::{FileId, SourceMap, Span};
use stet_boogie::ast::{CmdKind, ExprKind, TypeExprKind};
use stet_dafny_verify::{Declared, Link};

/// The place of a name: its file, its start and its length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) file: FileId,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The names of one version of a program.
#[derive(Default)]
pub(crate) struct Links {
    /// What stands for the same thing, by number.
    group: BTreeMap<Place, usize>,
    /// The declaration of a use.
    declaration: BTreeMap<Place, Place>,
    types: BTreeMap<Place, String>,
}

/// What a resolver said about names.
pub(crate) enum Names {
    None,
    Boogie(Box<stet_boogie::Program>),
    Dafny(Vec<Link>, Vec<Declared>),
}

impl Links {
    /// From what a resolver said; `file` is the document, with its tokens.
    pub(crate) fn read(
        sources: &SourceMap,
        file: Option<FileId>,
        tokens: &[Token],
        names: &Names,
    ) -> Links {
        match (names, file) {
            (Names::Dafny(links, declared), _) => Links::dafny(sources, links, declared),
            (Names::Boogie(program), Some(file)) => Links::boogie(sources, file, tokens, program),
            _ => Links::default(),
        }
    }

    /// From what the resolver of Dafny says.
    fn dafny(sources: &SourceMap, links: &[Link], declared: &[Declared]) -> Links {
        let mut found = Links::default();
        let mut pairs = Vec::new();
        for one in declared {
            let Some(place) = named(sources, one.place, &one.name) else {
                continue;
            };
            pairs.push((place, place));
            if let Some(ty) = &one.ty {
                found.types.insert(place, ty.clone());
            }
        }
        for link in links {
            let Some(of) = exact(sources, link.of) else {
                continue;
            };
            let name = text(sources, of);
            pairs.extend(named(sources, link.at, name).map(|at| (at, of)));
        }
        found.join(pairs);
        found
    }

    /// From a resolved Boogie program of one file.
    fn boogie(
        sources: &SourceMap,
        file: FileId,
        tokens: &[Token],
        program: &stet_boogie::Program,
    ) -> Links {
        let mut pairs = Vec::new();
        let name = |symbol| program.name(symbol);
        let variables = program.vars.iter().map(|(_, v)| (v.span, name(v.name)));
        let functions = program.funcs.iter().map(|(_, f)| (f.span, name(f.name)));
        let procedures = program.procs.iter().map(|(_, p)| (p.span, name(p.name)));
        let types = program
            .type_ctors
            .iter()
            .map(|(_, t)| (t.span, name(t.name)));
        let synonyms = program.synonyms.iter().map(|(_, s)| (s.span, name(s.name)));
        let declared = variables.chain(functions).chain(procedures);
        for (span, name) in declared.chain(types).chain(synonyms) {
            pairs.extend(named(sources, span, name).map(|place| (place, place)));
        }
        let mut link = |at: Span, of: Span, word: &str| {
            let of = named(sources, of, word);
            let at = next_name(sources, file, tokens, at, word);
            pairs.extend(at.zip(of));
        };
        for (_, expr) in program.exprs.iter() {
            match &expr.kind {
                ExprKind::Ident {
                    name: n,
                    var: Some(var),
                } => {
                    link(expr.span, program.vars[*var].span, name(*n));
                }
                ExprKind::Call {
                    name: n,
                    func: Some(func),
                    ..
                } => {
                    link(expr.span, program.funcs[*func].span, name(*n));
                }
                _ => {}
            }
        }
        for (_, cmd) in program.cmds.iter() {
            if let CmdKind::Call(call) = &cmd.kind
                && let Some(proc) = call.proc
            {
                link(cmd.span, program.procs[proc].span, name(call.name));
            }
        }
        for (_, imp) in program.impls.iter() {
            if let Some(proc) = imp.proc {
                link(imp.span, program.procs[proc].span, name(imp.name));
            }
        }
        for (_, ty) in program.type_exprs.iter() {
            let TypeExprKind::Named { name: n, .. } = &ty.kind else {
                continue;
            };
            let mut ctors = program.type_ctors.iter();
            let mut synonyms = program.synonyms.iter();
            let of = ctors.find(|(_, t)| t.name == *n).map(|(_, t)| t.span);
            let of = of.or_else(|| synonyms.find(|(_, s)| s.name == *n).map(|(_, s)| s.span));
            if let Some(of) = of {
                link(ty.span, of, name(*n));
            }
        }
        let mut found = Links::default();
        found.join(pairs);
        found
    }

    /// Numbers groups of places that are linked, in the order of the text.
    fn join(&mut self, pairs: Vec<(Place, Place)>) {
        let mut parent: BTreeMap<Place, Place> = BTreeMap::new();
        fn root(parent: &BTreeMap<Place, Place>, mut place: Place) -> Place {
            while let Some(&above) = parent.get(&place).filter(|&&above| above != place) {
                place = above;
            }
            place
        }
        for (at, of) in pairs {
            parent.entry(at).or_insert(at);
            parent.entry(of).or_insert(of);
            if at != of {
                self.declaration.entry(at).or_insert(of);
            }
            let (a, b) = (root(&parent, at), root(&parent, of));
            let (low, high) = (a.min(b), a.max(b));
            parent.insert(high, low);
        }
        let mut numbers: BTreeMap<Place, usize> = BTreeMap::new();
        for &place in parent.keys() {
            let next = numbers.len();
            let number = *numbers.entry(root(&parent, place)).or_insert(next);
            self.group.insert(place, number);
        }
    }

    /// The name at an offset of a file, or just before it.
    pub(crate) fn at(&self, file: FileId, offset: usize) -> Option<Place> {
        let up_to = Place {
            file,
            start: offset,
            end: usize::MAX,
        };
        let (&place, _) = self.group.range(..=up_to).next_back()?;
        (place.file == file && offset <= place.end).then_some(place)
    }

    /// The declaration that a name stands for; a declaration stands for itself.
    pub(crate) fn of(&self, name: Place) -> Place {
        self.declaration.get(&name).copied().unwrap_or(name)
    }

    /// All names of what a name stands for.
    pub(crate) fn places(&self, name: Place) -> Vec<Place> {
        let Some(number) = self.group.get(&name) else {
            return Vec::new();
        };
        let same = self.group.iter().filter(|(_, n)| *n == number);
        same.map(|(&place, _)| place).collect()
    }

    /// The type of the variable, field or constant that a name stands for.
    pub(crate) fn type_of(&self, name: Place) -> Option<&str> {
        self.types.get(&self.of(name)).map(String::as_str)
    }

    /// What stands for the same thing, without places: for every file the groups of its names, in their order. A renaming that changes
    /// nothing else leaves this as it is.
    pub(crate) fn shape(&self, sources: &SourceMap) -> Vec<(String, usize)> {
        let groups = self.group.iter();
        groups
            .map(|(place, &number)| (sources.file(place.file).name().to_owned(), number))
            .collect()
    }
}

fn text(sources: &SourceMap, place: Place) -> &str {
    let text = sources.file(place.file).text();
    text.get(place.start..place.end).unwrap_or_default()
}

fn exact(sources: &SourceMap, span: Span) -> Option<Place> {
    let place = Place {
        file: span.file,
        start: span.start as usize,
        end: span.end as usize,
    };
    (!text(sources, place).is_empty()).then_some(place)
}

/// The place of a name that a span begins with: `C?` and `Nil?` are made from the names `C` and `Nil`.
fn named(sources: &SourceMap, span: Span, name: &str) -> Option<Place> {
    let place = exact(sources, span)?;
    let rest = text(sources, place).strip_prefix(name)?;
    (matches!(rest, "" | "?") && !name.is_empty()).then_some(Place {
        end: place.start + name.len(),
        ..place
    })
}

/// The first name token with this text at or after the start of a span.
fn next_name(
    sources: &SourceMap,
    file: FileId,
    tokens: &[Token],
    from: Span,
    word: &str,
) -> Option<Place> {
    if from.file != file {
        return None;
    }
    let all = sources.file(file).text();
    let first = tokens.partition_point(|token| token.start < from.start as usize);
    let mut tokens = tokens[first..].iter();
    let found = tokens.find(|token| token.kind == Kind::Name && token.text(all) == word)?;
    Some(Place {
        file,
        start: found.start,
        end: found.end,
    })
}
