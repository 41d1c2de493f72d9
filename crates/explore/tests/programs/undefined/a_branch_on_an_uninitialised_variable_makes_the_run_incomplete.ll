%n0 = call i32 @klee_int(ptr @n)
%c = icmp sgt i32 %n0, 0
br i1 %c, label %set, label %join
set:
br label %join
join:
%x = phi i32 [ 1, %set ], [ undef, %0 ]
%d = icmp eq i32 %x, 5
br i1 %d, label %bad, label %good
bad:
call void @abort()
unreachable
good:
ret i32 0
