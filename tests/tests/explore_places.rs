//! Where `stet explore` says that an error is: in the program's own text, once for each place there.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use stet_tests::Sandbox;

/// `die` is in a file that is not here, as a C library's functions are; it is called from two lines of `here.c`.
const MODULE: &str = r#"
@name = constant [2 x i8] c"n\00"
declare void @abort()
declare i32 @klee_int(ptr)
define void @die() !dbg !4 {
  call void @abort(), !dbg !10
  unreachable
}
define i32 @main() !dbg !5 {
  %n = call i32 @klee_int(ptr @name), !dbg !11
  %c = icmp slt i32 %n, 7, !dbg !11
  br i1 %c, label %less, label %more, !dbg !11
less:
  call void @die(), !dbg !12
  ret i32 0
more:
  call void @die(), !dbg !13
  ret i32 0
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!20}
!20 = !{i32 2, !"Debug Info Version", i32 3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "here.c", directory: "")
!2 = !DIFile(filename: "library.c", directory: "/nowhere")
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "die", file: !2, line: 1, type: !3, unit: !0)
!5 = distinct !DISubprogram(name: "main", file: !1, line: 1, type: !3, unit: !0)
!10 = !DILocation(line: 9, column: 3, scope: !4)
!11 = !DILocation(line: 1, column: 1, scope: !5)
!12 = !DILocation(line: 2, column: 5, scope: !5)
!13 = !DILocation(line: 3, column: 5, scope: !5)
"#;

#[test]
fn an_error_inside_a_library_is_shown_where_the_program_calls_it() {
    let sandbox = Sandbox::new()
        .file("module.ll", MODULE)
        .file("here.c", "int n;\n    die();\n    die();\n");
    let outcome = sandbox.run(&["explore", "module.ll", "--format", "concise"]);
    let mut places: Vec<&str> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split(": error").next())
        .filter(|place| place.starts_with("here.c"))
        .collect();
    places.sort_unstable();
    assert_eq!(places, ["here.c:2:5", "here.c:3:5"], "{}", outcome.stdout);
    assert_eq!(outcome.code, Some(1));
}
