call void @__assert_fail(ptr @n, ptr @n, i32 1, ptr @n)
unreachable
}
declare void @__assert_fail(ptr, ptr, i32, ptr)
define void @f() {
ret void
