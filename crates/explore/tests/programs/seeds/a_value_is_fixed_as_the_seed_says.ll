%x = call i32 @klee_int(ptr @n)
%w = zext i32 %x to i64
%p = call ptr @malloc(i64 %w)
%c = icmp eq i32 %x, 5000
br i1 %c, label %yes, label %no
yes:
ret i32 1
no:
ret i32 0
