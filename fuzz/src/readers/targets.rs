//! What is fuzzed: one function per reader, its seeds, and words its language is made of.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use stet_base::SourceMap;
use stet_explore::KTest;
use stet_key::{Decoder, Digest};
use stet_prolog::{AtomTable, Ops, ReadContext, ReadFlags, read_clause};
use stet_solve::pipe::Sexpr;
use stet_store::{Config, Entry, Mode, Outcome, Provenance, Store};

/// A reader under test.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input; only coming back counts.
    pub run: fn(&[u8]),
    /// Words to put into inputs.
    pub words: &'static [&'static str],
}

/// All readers and decoders.
pub const TARGETS: &[Target] = &[
    Target {
        name: "llvm",
        seeds: llvm_seeds,
        run: llvm,
        words: LLVM_WORDS,
    },
    Target {
        name: "explore",
        seeds: explore_seeds,
        run: super::explored::explore,
        words: LLVM_WORDS,
    },
    Target {
        name: "boogie",
        seeds: || files(&["examples/verify"], "bpl", BOOGIE_SEED),
        run: boogie,
        words: BOOGIE_WORDS,
    },
    Target {
        name: "prolog",
        seeds: || {
            files(
                &["examples/run", "bench/run/engine", "bench/run/checked"],
                "pl",
                PROLOG_SEED,
            )
        },
        run: prolog,
        words: PROLOG_WORDS,
    },
    Target {
        name: "sexpr",
        seeds: || {
            vec![
                SEXPR_SEED.as_bytes().to_vec(),
                b"(error \"line 1\")".to_vec(),
                b"sat".to_vec(),
            ]
        },
        run: sexpr,
        words: &[
            "(", ")", "|", "\"", "#b", "#x", "(_ bv", "(- ", ";", "let", "!",
        ],
    },
    Target {
        name: "record",
        seeds: || (0..6).map(|n| entry(n).to_bytes()).collect(),
        run: record,
        words: &[],
    },
    Target {
        name: "import",
        seeds: exports,
        run: import,
        words: &[],
    },
    Target {
        name: "store-file",
        seeds: store_files,
        run: store_file,
        words: &["SQLite format 3\0", "CREATE TABLE"],
    },
    Target {
        name: "ktest",
        seeds: || vec![ktest_seed(), b"KTEST\0\0\0\x03".to_vec()],
        run: ktest,
        words: &["KTEST", "BOUT\n"],
    },
    Target {
        name: "key",
        seeds: || vec![(0..=255).collect(), vec![0; 80]],
        run: key,
        words: &[],
    },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of some directories with an extension, smallest first, and one more text.
fn files(directories: &[&str], extension: &str, more: &str) -> Vec<Vec<u8>> {
    let mut found = vec![more.as_bytes().to_vec()];
    for directory in directories {
        let Ok(entries) = std::fs::read_dir(root().join(directory)) else {
            continue;
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|e| e == extension));
        found.extend(paths.iter().filter_map(|path| std::fs::read(path).ok()));
    }
    found
}

fn llvm_seeds() -> Vec<Vec<u8>> {
    files(&["crates/llvm/tests/fixtures"], "ll", LLVM_SEED)
}

/// Programs that do something, beside those of the reader.
fn explore_seeds() -> Vec<Vec<u8>> {
    let mut seeds = files(&["fuzz/src/readers/programs"], "ll", LLVM_SEED);
    seeds.extend(llvm_seeds());
    seeds
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn llvm(bytes: &[u8]) {
    let mut sources = SourceMap::new();
    let text: Arc<str> = text(bytes).into();
    let Some(file) = sources.add("case.ll", text.clone()) else {
        return;
    };
    if let Ok(module) = stet_llvm::read(&text, file) {
        for number in 0..64 {
            module.debug.place(number);
            module.debug.function_name(number);
        }
        // What cannot be linked is an error, too.
        let _ = stet_llvm::link(&[module], &[false]);
    }
}

fn boogie(bytes: &[u8]) {
    let text = text(bytes);
    stet_base::deep_stack(|| {
        let mut sources = SourceMap::new();
        let Some(file) = sources.add("case.bpl", text) else {
            return;
        };
        let mut program = stet_boogie::Program::default();
        if !stet_boogie::parse(&mut program, &sources, file, &[]).is_empty() {
            return;
        }
        let (resolved, messages) = stet_boogie::resolve(&mut program);
        if messages.is_empty() {
            stet_boogie::typecheck(&mut program, resolved);
        }
    });
}

fn prolog(bytes: &[u8]) {
    let text = text(bytes);
    let mut atoms = AtomTable::new();
    let mut ops = Ops::standard(&mut atoms);
    stet_prolog::assertions::add_assertion_operators(&mut ops, &mut atoms);
    let mut at = 0;
    loop {
        let mut context = ReadContext {
            atoms: &mut atoms,
            ops: &ops,
            flags: ReadFlags::STANDARD,
        };
        let (result, next) = read_clause(&mut context, &text, at);
        if matches!(result, Ok(None)) {
            break;
        }
        assert!(next > at || next >= text.len(), "no progress at {at}");
        if next >= text.len() && result.is_err() {
            break;
        }
        at = next;
    }
}

fn sexpr(bytes: &[u8]) {
    if let Some(read) = Sexpr::parse(&text(bytes)) {
        read.integer();
        read.items().iter().for_each(|item| {
            item.atom();
            item.integer();
        });
        let _ = read.to_string();
    }
}

/// A record with its checksum made right, so that what is behind the checksum is read.
fn record(bytes: &[u8]) {
    let _ = Entry::from_bytes(bytes);
    let body = &bytes[..bytes.len().saturating_sub(32)];
    let sealed = [body, &Digest::of_bytes(body).0].concat();
    if let Ok(entry) = Entry::from_bytes(&sealed) {
        assert_eq!(entry.to_bytes(), sealed, "not canonical");
    }
}

fn import(bytes: &[u8]) {
    let Ok(directory) = tempfile::tempdir() else {
        return;
    };
    let path = directory.path().join("store.db");
    let store = Store::open(Config::file(path, Mode::ReadWrite));
    let _ = store.import(|| Ok(bytes));
}

fn store_file(bytes: &[u8]) {
    let Ok(directory) = tempfile::tempdir() else {
        return;
    };
    let path = directory.path().join("store.db");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let store = Store::open(Config::file(path, Mode::ReadWrite));
    for n in 0..6 {
        let expected = entry(n);
        if let Some(found) = store.get(&expected.kind, &expected.key) {
            assert_eq!(*found, expected, "a wrong verdict");
        }
    }
    store.put(entry(9));
    store.flush();
    store.verify();
}

fn ktest(bytes: &[u8]) {
    if let Some(test) = KTest::decode(bytes) {
        let again = KTest::decode(&test.encode());
        assert!(again.is_some(), "what is written can be read");
    }
}

/// Reads whatever the bytes say is to be read.
fn key(bytes: &[u8]) {
    let (plan, data) = bytes.split_at(bytes.len() / 2);
    let mut decoder = Decoder::new(data);
    for step in plan {
        let is_over = match step % 8 {
            0 => decoder.u8().is_err(),
            1 => decoder.bool().is_err(),
            2 => decoder.u32().is_err(),
            3 => decoder.u64().is_err(),
            4 => decoder.str().is_err(),
            5 => decoder.raw().is_err(),
            6 => decoder.option(|d| d.digest()).is_err(),
            _ => decoder.sequence(|d| d.i64()).is_err(),
        };
        if is_over {
            return;
        }
    }
    let _ = decoder.finish();
}

fn entry(n: u64) -> Entry {
    let mut builder = stet_key::KeyBuilder::new("fuzz");
    builder.part("number", |e| e.u64(n));
    builder.part("text", |e| e.str("a part"));
    let (key, parts) = builder.finish();
    Entry {
        key,
        kind: "fuzz/entry".into(),
        subject: n.is_multiple_of(2).then(|| format!("subject-{n}").into()),
        outcome: [Outcome::Holds, Outcome::Fails, Outcome::Data][n as usize % 3],
        evidence: vec![n as u8; n as usize * 20],
        provenance: Provenance {
            created: 1_000_000 + n,
            ..Provenance::now("fuzz", "1", "solver 1.0")
        },
        parts,
    }
}

fn filled(directory: &Path) -> Arc<Store> {
    let store = Store::open(Config::file(directory.join("store.db"), Mode::ReadWrite));
    (0..6).for_each(|n| store.put(entry(n)));
    store.flush();
    store
}

fn exports() -> Vec<Vec<u8>> {
    let mut exported = Vec::new();
    if let Ok(directory) = tempfile::tempdir() {
        // A seed that cannot be made is missed by the check that there are seeds.
        let _ = filled(directory.path()).export(&mut exported, None);
    }
    vec![exported]
}

fn store_files() -> Vec<Vec<u8>> {
    let Ok(directory) = tempfile::tempdir() else {
        return Vec::new();
    };
    drop(filled(directory.path()));
    let read = std::fs::read(directory.path().join("store.db"));
    read.into_iter().collect()
}

fn ktest_seed() -> Vec<u8> {
    let mut bytes = b"KTEST".to_vec();
    bytes.extend(3u32.to_be_bytes());
    bytes.extend(1u32.to_be_bytes());
    bytes.extend(4u32.to_be_bytes());
    bytes.extend(b"prog");
    bytes.extend([0; 8]);
    bytes.extend(2u32.to_be_bytes());
    for name in ["x", "buffer"] {
        bytes.extend((name.len() as u32).to_be_bytes());
        bytes.extend(name.bytes());
        bytes.extend(4u32.to_be_bytes());
        bytes.extend([1, 2, 3, 4]);
    }
    bytes
}

const LLVM_SEED: &str = r#"target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"
%struct.pair = type { i32, [4 x i8], ptr }
@table = constant [3 x i8] c"ab\00"
@global = global %struct.pair { i32 7, [4 x i8] zeroinitializer, ptr @table }
declare i32 @external(ptr, ...)
define i32 @main(i32 %argc, ptr %argv) !dbg !3 {
entry:
  %p = alloca %struct.pair, align 8
  %f = getelementptr inbounds %struct.pair, ptr %p, i32 0, i32 1, i64 2
  store i8 3, ptr %f, align 1
  %v = load i8, ptr %f
  %w = zext i8 %v to i32
  %c = icmp slt i32 %w, %argc
  br i1 %c, label %then, label %done
then:
  %r = call i32 (ptr, ...) @external(ptr @table, i32 %w), !dbg !4
  switch i32 %r, label %done [ i32 0, label %then
    i32 1, label %done ]
done:
  %x = phi i32 [ 0, %entry ], [ %r, %then ], [ %r, %then ]
  ret i32 %x
}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1)
!1 = !DIFile(filename: "a.c", directory: "/")
!3 = distinct !DISubprogram(name: "main", file: !1, line: 3, unit: !0)
!4 = !DILocation(line: 5, column: 2, scope: !3)
"#;

const LLVM_WORDS: &[&str] = &[
    "define ",
    "declare ",
    "i32 ",
    "ptr ",
    "%x",
    "@g",
    "label ",
    "null",
    "undef",
    "poison",
    "c\"\\00\"",
    "!{",
    "!0",
    "metadata ",
    "<4 x i32>",
    "[0 x i8]",
    "{ i8, ptr }",
    "getelementptr ",
    "inttoptr (",
    "zeroinitializer",
    "type opaque",
    "i99999999 ",
    "#0",
    "attributes #0 = {",
    "call void asm \"\", \"\"()",
    "x86_fp80 0xK",
    "0x7FF0000000000000",
    "-1",
];

const BOOGIE_SEED: &str = r#"type T; type M a = [int]a;
const unique c: T; const N: int; axiom N > 0;
function {:inline} f(x: int, y: bool) returns (int) { if y then x else -x }
datatype List { Nil(), Cons(head: int, tail: List) }
var g: [int]int where g[0] == 0; var bv: bv32;
procedure P<a>(x: int, m: M a) returns (r: int) requires x >= 0; modifies g, bv; ensures r == old(g)[x] ==> r > 0;
implementation P<b>(x: int, m: M b) returns (r: int)
{ var i: int, h: int; i := 0; havoc h;
  while (i < x) invariant 0 <= i; { g[i] := f(i, true) div 2 mod 3; i := i + 1; if (*) { break; } }
  L: assert (forall j: int :: {g[j]} 0 <= j && j < i ==> g[j] >= 0) || (exists t: T :: t != c);
  bv := bv[16:0] ++ 3bv16; call r := P(x - 1, m); goto L, E; E: assume {:captureState "s"} true; return;
}
"#;

const BOOGIE_WORDS: &[&str] = &[
    "procedure ",
    "implementation ",
    "var ",
    "const ",
    "axiom ",
    "function ",
    "type ",
    "forall ",
    "exists ",
    "lambda ",
    "::",
    "==>",
    "<==>",
    "assert ",
    "assume ",
    "havoc ",
    "call ",
    "while (",
    "if (",
    "goto ",
    "return;",
    "old(",
    "{:inline}",
    "[int]",
    "bv32",
    "1bv1",
    "++",
    "div",
    "returns (",
    "modifies ",
    "where ",
    "free ",
    "invariant ",
    "#if X",
    "#endif",
    "/*",
    "\"",
    "1.5e3",
    "<:",
    "unique ",
    "extends ",
    "yield;",
    "par ",
    "datatype ",
];

const PROLOG_SEED: &str = r#":- module(m, [p/2]). :- op(700, xfx, ===>). :- pred p(X, Y) : list(X, int) => (int(Y), Y > 0) + det.
:- regtype t(X). t(a). t(f(X, [Y|Z])) :- t(X), t(Y). % comment
p([], 0'a). p([H|T], "text \x41\ \n") :- \+ H = 'quo''ted', !, X is - 1 + 0x1F * 2 ** 3.0e5 mod 7, ( p(T, X) -> true ; {a, b} ).
q --> [a], `code`, {x}, q, !. r(_, _A) :- a:b:c, [1,2|_] = X^Y^foo(X), - - - 1 = -(1), (:- a), f(:-, (a:-b)).
/* block */ s(0b101, 0o17, 1_000_000, 1.0Inf, 'a b'(c), [](d), {}(e), "" , '').
"#;

const PROLOG_WORDS: &[&str] = &[
    ":- ",
    "-->",
    "?- ",
    "0'",
    "0x",
    "0b",
    "\\x",
    "'",
    "\"",
    "`",
    "/*",
    "*/",
    "%",
    ". ",
    ".\n",
    "|",
    "||",
    "{}",
    "[]",
    "\\+ ",
    "dynamic ",
    "op(200, xfy, (",
    "1.0e",
    "1.0Inf",
    "_",
    "X",
    "!",
    ";",
    "->",
    "*->",
    "=..",
    "\u{e9}",
    "\u{1F600}",
    "\0",
];

const SEXPR_SEED: &str = r#"((define-fun |a b| () (_ BitVec 8) #x1f) (define-fun f ((x!0 Int)) Int (ite (= x!0 (- 5)) 3 (- (/ 1.0 3.0))))
 (define-fun m () (Array Int Int) (store ((as const (Array Int Int)) 0) 1 "str ""q""")) ; comment
 (model (forall ((k Int)) (! (> k 0) :pattern ((f k))))))"#;
