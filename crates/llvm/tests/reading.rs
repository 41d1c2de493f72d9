//! The reader on a text with every construct, on damaged text, and on what the installed compilers print.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may stop and say why they skip"
)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use stet_base::{Index, SourceMap};
use stet_llvm::{Const, InstKind, LinkError, Module, Target, Type, link, read};

const ALL: &str = include_str!("fixtures/all.ll");

fn parse(text: &str) -> Result<Module, (String, usize)> {
    let mut sources = SourceMap::new();
    let file = sources.add("t.ll", text).unwrap();
    let text: Arc<str> = sources.file(file).text().clone();
    read(&text, file).map_err(|diagnostic| {
        let place = diagnostic.primary.as_ref().unwrap().span;
        assert!(place.end as usize <= text.len() && place.start <= place.end);
        (diagnostic.message, place.start as usize)
    })
}

#[test]
fn every_construct_is_read() {
    let module = parse(ALL).unwrap();
    assert_eq!(module.functions.len(), 10);
    assert_eq!(module.globals.len(), 15);
    assert_eq!(module.aliases.len(), 2);
    assert!(module.has_module_asm);
    assert_eq!(module.triple, "x86_64-pc-linux-gnu");
    let main = module
        .functions
        .iter()
        .find(|(_, f)| module.name(f.name) == "main")
        .unwrap()
        .1;
    let body = main.body.as_ref().unwrap();
    assert_eq!(body.blocks.len(), 5);
    let entry = &body.blocks.as_slice()[0];
    assert_eq!(
        entry.insts.len(),
        11,
        "debug records and debug calls are dropped"
    );
    let calls = body.blocks.iter().flat_map(|(_, b)| &b.insts);
    assert_eq!(
        calls
            .filter(|i| matches!(i.kind, InstKind::Call(_)))
            .count(),
        6
    );
}

#[test]
fn strings_numbers_and_sizes() {
    let module = parse(ALL).unwrap();
    let init = |name: &str| {
        let (_, global) = module
            .globals
            .iter()
            .find(|(_, g)| module.name(g.name) == name)
            .unwrap();
        module.constants[global.init.unwrap()].value.clone()
    };
    assert!(matches!(init("str"), Const::Bytes(b) if &*b == b"ab\"\\\n\0"));
    assert!(matches!(init("g"), Const::Int(0xffff_fff9)));
    assert!(matches!(init("fl"), Const::Float(bits) if f32::from_bits(bits as u32) == 0.1));
    assert!(matches!(init("db"), Const::Float(bits) if f64::from_bits(bits as u64) == 1.5));
    let size = |name: &str| {
        let (_, global) = module
            .globals
            .iter()
            .find(|(_, g)| module.name(g.name) == name)
            .unwrap();
        (
            module.layout.size(&module.types, global.ty),
            module.layout.align(&module.types, global.ty),
        )
    };
    assert_eq!(size("t"), (24, 8));
    assert_eq!(size("pk"), (9, 1));
    assert_eq!(size("ld"), (16, 16));
    let t = module
        .globals
        .iter()
        .find(|(_, g)| module.name(g.name) == "t")
        .unwrap()
        .1;
    assert_eq!(module.layout.field_offset(&module.types, t.ty, 2), 8);
    assert!(matches!(module.types.resolved(t.ty), Type::Struct { .. }));
}

#[test]
fn locations_follow_scopes() {
    let module = parse(ALL).unwrap();
    let place = module.debug.place(7).unwrap();
    assert_eq!(
        (place.file.as_str(), place.line, place.column),
        ("all.c", 14, 3)
    );
    assert_eq!(module.debug.function_name(7), Some("main"));
    assert_eq!(module.debug.inlined_at(7), Some(6));
    assert_eq!(module.debug.place(999), None);
    assert_eq!(module.debug.is_optimized(4), Some(true));
    assert_eq!(module.debug.is_optimized(3), None);
}

#[test]
fn errors_have_a_place() {
    let error = |text: &str| parse(text).unwrap_err();
    assert_eq!(
        error("define i32 @f() {\n  ret i32 %x\n}"),
        ("`%x` is used but not defined".into(), 28)
    );
    assert_eq!(
        error("define i32 @f() {\n  frob i32 1\n}").0,
        "`frob` is not an instruction Stet reads"
    );
    assert_eq!(
        error("define void @f() {\na:\nb:\n ret void\n}").0,
        "the block before this label has no terminator"
    );
    assert_eq!(
        error("@x = global i32 @@").0,
        "expected a global name, found `@`"
    );
    assert!(
        !error("define void @f() {\n  br label %f\nf:\n br label %v\n%v = add i32 1, 2\n}")
            .0
            .is_empty()
    );
    let deep = format!(
        "@x = global {}i8{} undef",
        "[1 x ".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(error(&deep).0, "nested too deeply");
    let deep = format!("@x = global i8 {}1", "add (i8 ".repeat(100_000));
    assert_eq!(error(&deep).0, "nested too deeply");
}

/// Every prefix and many single-byte damages: an error or a module, never a panic.
#[test]
fn damaged_text_is_refused_not_fatal() {
    for end in 0..ALL.len() {
        let _ = parse(&ALL[..end]);
    }
    let mut random = stet_testkit::Random::new(12345);
    let bytes = ALL.as_bytes();
    for _ in 0..4000 {
        let mut damaged = bytes.to_vec();
        let at = random.below(damaged.len());
        damaged[at] = random.pick(b"%@!{}[]()<>,=0x\"\n;:#*");
        if random.one_in(2) {
            damaged.remove(random.below(bytes.len()));
        }
        let _ = parse(&String::from_utf8_lossy(&damaged));
    }
}

#[test]
fn linking_prefers_strong_definitions_and_refuses_two() {
    let one = parse("define weak i32 @f() {\n ret i32 1\n}\n@c = common global i32 0\ndefine internal void @p() {\n ret void\n}").unwrap();
    let two = parse("define i32 @f() {\n ret i32 2\n}\n@c = global i32 5").unwrap();
    let lib = parse("define i32 @f() {\n ret i32 3\n}\ndefine i32 @g() {\n ret i32 3\n}").unwrap();
    let modules = [one, two, lib];
    let linked = link(&modules, &[false, false, true]).unwrap();
    assert_eq!(linked.exported("f").unwrap().module, 1);
    assert_eq!(linked.exported("c").unwrap().module, 1);
    assert_eq!(linked.exported("g").unwrap().module, 2);
    assert!(linked.exported("p").is_none());
    assert!(
        matches!(linked.resolve(0, "p").unwrap().target, Target::Function(id) if id.index() == 1)
    );
    let error = link(&modules, &[false, false, false]).unwrap_err();
    let expected = LinkError::Duplicate {
        name: "f".to_owned(),
        modules: (1, 2),
    };
    assert_eq!(error, expected);
}

fn tool(names: &[&str]) -> Option<String> {
    let found = names.iter().find(|name| {
        let output = Command::new(name).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        stet_testkit::skip(&format!("one of {names:?}"));
    }
    found.map(|name| (*name).to_owned())
}

const PROGRAM: &str = r#"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <stdatomic.h>
typedef int v4 __attribute__((vector_size(16)));
struct bits { unsigned a : 3, b : 17; long long c; } __attribute__((packed));
union u { double d; long l; void *p; };
static int table[] = { 1, 2, 3 };
static const char *const names[] = { "a", "b\"\\\n", 0 };
static _Atomic int counter; static _Thread_local int tls = 3; jmp_buf env;
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; while (n--) s += va_arg(ap, int); va_end(ap); return s; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
v4 add(v4 a, v4 b) { return a * b + (v4){1, 2, 3, 4}; }
__int128 wide(__int128 x) { return x * 12345678901234567LL >> 3; }
int jump(int i) { static void *t[] = { &&x, &&y }; goto *t[i & 1]; x: return 1; y: return 2; }
int pick(int x) { switch (x) { case 1 ... 5: return 2; case 100: return 3; case -7: return 9; default: return x ? table[x] : 0; } }
int main(int argc, char **argv) {
  struct bits s = { 5, 77, -1 }; union u w; w.d = 1.0 / argc; float f = argc * 0.1f;
  if (setjmp(env)) return 1;
  atomic_fetch_add(&counter, 2); tls++;
  printf("%s %d %f %Lf\n", names[argc % 2], sum(3, 1, 2, 3), f, (long double)w.d);
  char buf[64]; memset(buf, argc, sizeof buf); memcpy(buf, argv, 8);
  int (*fp)(const void *, const void *) = argc > 2 ? compare : 0;
  return s.a + (int)w.l + pick(argc) + jump(argc) + (fp ? fp(table, table + 1) : 0) + __builtin_bswap32(argc) + __builtin_popcount(argc);
}
"#;

#[test]
fn what_clang_prints_is_read() {
    let Some(clang) = tool(&[
        "clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
    ]) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("p.c");
    std::fs::write(&source, PROGRAM).unwrap();
    for flags in [
        &["-O0", "-g"][..],
        &["-O1", "-g"],
        &["-O2", "-g"],
        &["-O3", "-march=native"],
        &["-O1", "-fsanitize=undefined", "-fno-discard-value-names"],
        &["-Os", "-m32", "-ffreestanding", "-c"],
    ] {
        let out = dir.path().join("p.ll");
        let status = Command::new(&clang)
            .args(["-S", "-emit-llvm", "-w", "-o"])
            .arg(&out)
            .args(flags)
            .arg(&source)
            .stderr(std::process::Stdio::null())
            .status();
        if status.is_ok_and(|status| status.success()) {
            let module = read_file(&out);
            assert!(module.functions.iter().any(|(_, f)| f.body.is_some()));
        }
    }
}

#[test]
fn what_rustc_prints_is_read() {
    let Some(rustc) = tool(&["rustc"]) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join("p.rs");
    let text = "use std::collections::HashMap; pub fn f(v: &[u32]) -> Option<String> { let mut m = HashMap::new(); for x in v { *m.entry(*x).or_insert(0u128) += 1; } m.get(&7).map(|n| format!(\"{n:?}\")) }";
    std::fs::write(&source, text).unwrap();
    for level in ["0", "2"] {
        let out = dir.path().join("p.ll");
        let status = Command::new(&rustc)
            .args([
                "--emit=llvm-ir",
                "--crate-type=lib",
                "-g",
                "-C",
                &format!("opt-level={level}"),
                "-o",
            ])
            .arg(&out)
            .arg(&source)
            .status();
        assert!(status.unwrap().success());
        assert!(read_file(&out).functions.len() > 3);
    }
}

fn read_file(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).unwrap();
    match parse(&text) {
        Ok(module) => module,
        Err((message, at)) => {
            let line = text[..at].lines().count();
            let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or("");
            panic!("{}:{line}: {message}\n{shown}", path.display())
        }
    }
}

/// What LLVM refuses must not reach the engine: it relies on operands of equal types.
#[test]
fn values_are_used_with_the_types_they_have() {
    let cases = [
        (
            "%x = mul i128 %a, %a ret void",
            "`%a` is defined with another type",
        ),
        (
            "switch i3 %a, label %e [ ] e: ret void",
            "`%a` is defined with another type",
        ),
        (
            "switch i32 %a, label %e [ i8 1, label %e ] e: ret void",
            "a case has another type than the value",
        ),
        (
            "br i32 %a, label %e, label %e e: ret void",
            "a branch needs a condition of type `i1`",
        ),
        (
            "%x = select i1 true, i32 %a, i8 0 ret void",
            "the values to choose from have different types",
        ),
        ("ret i32 %a", "the function returns another type"),
        (
            "br label %e e: %p = phi i8 [ %a, %0 ] ret void",
            "`%a` is defined with another type",
        ),
    ];
    for (body, expected) in cases {
        let text = format!("define void @f(i32 %a) {{ {body} }}");
        assert_eq!(parse(&text).unwrap_err().0, expected, "{body}");
    }
}
