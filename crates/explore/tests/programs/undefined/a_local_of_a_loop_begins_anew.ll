%p = alloca i32
br label %loop
loop:
%i = phi i32 [ 0, %0 ], [ %j, %next ]
call void @llvm.lifetime.start.p0(i64 4, ptr %p)
%first = icmp eq i32 %i, 0
br i1 %first, label %set, label %use
set:
store i32 9, ptr %p
br label %use
use:
%v = load i32, ptr %p
%c = icmp eq i32 %v, 8
br i1 %c, label %bad, label %next
next:
%j = add i32 %i, 1
%d = icmp eq i32 %j, 2
br i1 %d, label %done, label %loop
bad:
call void @abort()
unreachable
done:
ret i32 0
