@n = private constant [2 x i8] c"x\00"
@first = global [8 x i64] zeroinitializer
@second = global [8 x i64] zeroinitializer
declare void @klee_make_symbolic(ptr, i64, ptr)
declare void @klee_open_merge()
declare void @klee_close_merge()
declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32)
define i32 @main() {
entry:
  %x = alloca i32
  call void @klee_make_symbolic(ptr %x, i64 4, ptr @n)
  call void @klee_open_merge()
  %v = load i32, ptr %x
  %c = icmp eq i32 %v, 1
  br i1 %c, label %one, label %two
one:
  %a = call i32 @_setjmp(ptr @first)
  %a.back = icmp ne i32 %a, 0
  br i1 %a.back, label %back.one, label %end
two:
  %b = call i32 @_setjmp(ptr @second)
  %b.back = icmp ne i32 %b, 0
  br i1 %b.back, label %back.two, label %end
end:
  call void @klee_close_merge()
  %d = icmp eq i32 %v, 1
  br i1 %d, label %jump.one, label %jump.two
jump.one:
  call void @longjmp(ptr @first, i32 1)
  unreachable
jump.two:
  call void @longjmp(ptr @second, i32 1)
  unreachable
back.one:
  ret i32 1
back.two:
  ret i32 2
}
