declare i32 @klee_int(ptr)
declare i32 @mystery(i32)
@n = constant [2 x i8] c"x\00"
define i32 @main() {
  %x = call i32 @klee_int(ptr @n)
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  %y = call i32 @mystery(i32 1)
  ret i32 %y
b:
  %d = icmp eq i32 %x, 4
  br i1 %d, label %e, label %f
e:
  call void asm sideeffect "hlt", ""()
  ret i32 0
f:
  ret i32 0
}
