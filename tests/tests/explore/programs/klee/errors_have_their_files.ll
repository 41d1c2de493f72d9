define i32 @main() {
  %p = alloca i32
  %q = getelementptr i32, ptr %p, i64 3
  %v = load i32, ptr %q
  ret i32 %v
}
