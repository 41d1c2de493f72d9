define i32 @one() {
  ret i32 1
}
define i32 @two() {
  ret i32 2
}
define i32 @main() {
  %v = call i32 @one()
  ret i32 %v
}
