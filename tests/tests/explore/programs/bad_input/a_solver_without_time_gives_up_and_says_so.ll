declare i64 @klee_int(ptr)
@n = constant [2 x i8] c"x\00"
@m = constant [2 x i8] c"y\00"
declare void @klee_make_symbolic(ptr, i64, ptr)
define i32 @main() {
  %p = alloca i64
  %q = alloca i64
call void @klee_make_symbolic(ptr %p, i64 8, ptr @n)
  call void @klee_make_symbolic(ptr %q, i64 8, ptr @m)
%x = load i64, ptr %p
  %y = load i64, ptr %q
  %first = icmp eq i64 %x, 0
  br i1 %first, label %zero, label %go
zero:
  ret i32 1
go:
  %a = icmp ugt i64 %x, 1
  %b = icmp ugt i64 %y, 1
  %c = and i1 %a, %b
  br i1 %c, label %hard, label %zero
hard:
  %wx = zext i64 %x to i128
  %wy = zext i64 %y to i128
  %m = mul i128 %wx, %wy
%is = icmp eq i128 %m, 170141183460469231731687303715884105727
  br i1 %is, label %found, label %zero
found:
  ret i32 2
}
