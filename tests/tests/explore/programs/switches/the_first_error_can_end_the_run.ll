declare i32 @klee_int(ptr)
declare void @abort()
@n = constant [2 x i8] c"x\00"
define i32 @main() {
  %x = call i32 @klee_int(ptr @n)
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  call void @abort()
  unreachable
b:
  %d = sdiv i32 7, %x
  ret i32 %d
}
