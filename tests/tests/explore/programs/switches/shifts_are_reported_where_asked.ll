declare i32 @klee_int(ptr)
@n = constant [2 x i8] c"x\00"
define i32 @main() {
  %x = call i32 @klee_int(ptr @n)
  %s = shl i32 1, %x
  ret i32 %s
}
