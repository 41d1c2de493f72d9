//! Several modules as one program: which definitions win, what is refused, and what a program needs of libraries.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

use std::sync::Arc;
use stet_base::{FileId, SourceMap};
use stet_llvm::{Grain, LibraryText, LinkError, Module, Target, link, needed, read};

fn module(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file: FileId = sources.add("t.ll", text).unwrap();
    let text: Arc<str> = sources.file(file).text().clone();
    read(&text, file).unwrap()
}

const LINUX: &str = "target triple = \"x86_64-pc-linux-gnu\"\n";

#[test]
fn other_targets_are_refused_and_other_c_libraries_are_not() {
    let linux = module(LINUX);
    let musl = module("target triple = \"x86_64-unknown-linux-musl\"\n");
    assert!(link(&[linux, musl, module("")], &[false; 3]).is_ok());
    for other in ["x86_64-pc-windows-msvc", "aarch64-unknown-linux-gnu"] {
        let other = module(&format!("target triple = \"{other}\"\n"));
        let refused = link(&[module(LINUX), other], &[false, false]).unwrap_err();
        assert!(matches!(refused, LinkError::Triple { .. }), "{refused}");
    }
}

#[test]
fn other_data_layouts_are_refused() {
    let layout = |text: &str| module(&format!("target datalayout = \"{text}\"\n"));
    let pair = [layout("e-i64:64-f80:128"), layout("e-i64:32-f80:32")];
    let refused = link(&pair, &[false, false]).unwrap_err();
    assert!(matches!(refused, LinkError::Layout { .. }), "{refused}");
}

#[test]
fn another_long_double_in_a_signature_is_refused() {
    let user = || module("declare double @strtold(ptr, ptr)\n");
    let library = module(
        "define x86_fp80 @strtold(ptr %0, ptr %1) {\n  ret x86_fp80 0xK00000000000000000000\n}\n",
    );
    let refused = link(&[user(), library], &[false, true]).unwrap_err();
    assert!(refused.to_string().contains("`strtold`"), "{refused}");
    let same = module("define double @strtold(ptr %0, ptr %1) {\n  ret double 0.0\n}\n");
    assert!(link(&[user(), same], &[false, true]).is_ok());
}

#[test]
fn the_largest_tentative_definition_wins() {
    let small = module("@t = common global i32 0\n");
    let large = module("@t = common global [4 x i32] zeroinitializer\n");
    let linked = link(&[small, large], &[false, false]).unwrap();
    assert_eq!(linked.exported("t").unwrap().module, 1);
}

#[test]
fn the_first_library_wins_and_the_program_before_it() {
    let text = "define weak i32 @f() {\n  ret i32 1\n}\n";
    let strong = "define i32 @f() {\n  ret i32 2\n}\n";
    let libraries = || (module(text), module(strong));
    let (a, b) = libraries();
    let linked = link(&[module("declare i32 @f()\n"), a, b], &[false, true, true]).unwrap();
    assert_eq!(linked.exported("f").unwrap().module, 1);
    let (a, b) = libraries();
    let linked = link(&[a, b], &[true, false]).unwrap();
    assert_eq!(linked.exported("f").unwrap().module, 1);
    let (_, b) = libraries();
    let twice = link(&[b, module(strong)], &[false, false]).unwrap_err();
    assert!(matches!(twice, LinkError::Duplicate { .. }), "{twice}");
}

const LIBRARY: &str = "\
%pair = type { i32, i32 }
@.str = private constant [3 x i8] c\"@g\\00\"
@table = internal global [1 x ptr] [ptr @helper]
@unused = global i32 0
@\"odd name\" = alias i32 (), ptr @aliased

declare i32 @outside()

; Function Attrs: nounwind
define i32 @used() #0 !dbg !4 {
  %p = load ptr, ptr @table
  %q = call i32 @outside()
  %s = load i8, ptr @.str
  ret i32 %q, !dbg !5
}

define internal i32 @helper() {
  ret i32 1
}

define i32 @g() {
  ret i32 2
}

define i32 @aliased() {
  ret i32 3
}

attributes #0 = { nounwind }

!llvm.module.flags = !{!0}
!0 = !{i32 1}
!1 = distinct !DICompileUnit(file: !2)
!2 = !DIFile(filename: \"a.c\", directory: \"/\")
!3 = !{!\"!0\"}
!4 = distinct !DISubprogram(name: \"used\", file: !2, unit: !1)
!5 = !DILocation(line: 1, scope: !4)
";

fn library(grain: Grain) -> [LibraryText<'static>; 1] {
    [LibraryText {
        text: LIBRARY,
        grain,
    }]
}

fn names(module: &Module) -> Vec<&str> {
    let functions = module.functions.iter().map(|(_, f)| module.name(f.name));
    let globals = module.globals.iter().map(|(_, g)| module.name(g.name));
    functions.chain(globals).collect()
}

#[test]
fn only_what_is_reached_is_taken_of_a_library() {
    let program = [module("declare i32 @used()\n")];
    let texts = needed(&program, &[], &library(Grain::Definition));
    let text = texts[0].as_deref().unwrap();
    let read = module(text);
    assert_eq!(names(&read), ["outside", "used", "helper", ".str", "table"]);
    assert_eq!(read.debug.place(5).unwrap().file, "a.c");
    assert!(!text.contains("!0 =") && !text.contains("!3 ="), "{text}");
    assert!(text.contains("%pair = type") && text.contains("attributes #0"));
}

#[test]
fn quoted_names_and_aliases_are_followed() {
    let program = [module("declare i32 @\"odd name\"()\n")];
    let texts = needed(&program, &[], &library(Grain::Definition));
    let read = module(texts[0].as_deref().unwrap());
    assert_eq!(names(&read), ["aliased"]);
    let linked = link(
        &[module("declare i32 @\"odd name\"()\n"), read],
        &[false, true],
    )
    .unwrap();
    let found = linked.exported("odd name").unwrap();
    assert_eq!((found.module, found.target), (1, Target::Alias(0)));
}

#[test]
fn nothing_is_taken_where_the_program_has_its_own() {
    let program = [module(
        "declare i32 @f()\ndefine i32 @used() {\n  ret i32 0\n}\n",
    )];
    assert_eq!(needed(&program, &[], &library(Grain::Definition)), [None]);
}

#[test]
fn a_member_of_an_archive_comes_whole_or_not_at_all() {
    let program = [module("declare i32 @g()\n")];
    assert_eq!(
        needed(&program, &[], &library(Grain::Whole)),
        [Some(LIBRARY.to_owned())]
    );
    assert_eq!(needed(&[module("")], &[], &library(Grain::Whole)), [None]);
}

#[test]
fn a_text_that_is_cut_off_or_odd_does_no_harm() {
    let program = [module("declare i32 @used()\n")];
    for end in 0..LIBRARY.len() {
        let cut = [LibraryText {
            text: &LIBRARY[..end],
            grain: Grain::Definition,
        }];
        let _ = needed(&program, &["used", "g"], &cut);
    }
    for text in [
        "@",
        "@\"",
        "define @",
        "!",
        "!999999999999999999999 = x",
        "define \"@\" x",
    ] {
        let odd = [LibraryText {
            text,
            grain: Grain::Definition,
        }];
        let _ = needed(&program, &["used"], &odd);
    }
}
