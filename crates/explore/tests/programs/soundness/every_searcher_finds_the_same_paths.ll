%b = alloca [6 x i8]
call void @klee_make_symbolic(ptr %b, i64 6, ptr @n)
br label %loop
loop:
%k = phi i64 [ 0, %0 ], [ %next, %again ]
%s = phi i32 [ 0, %0 ], [ %sum, %again ]
%p = getelementptr i8, ptr %b, i64 %k
%c = load i8, ptr %p
%up = icmp ugt i8 %c, 100
br i1 %up, label %high, label %low
high:
br label %again
low:
br label %again
again:
%d = phi i32 [ 1, %high ], [ 0, %low ]
%sum = add i32 %s, %d
%next = add i64 %k, 1
%done = icmp eq i64 %next, 6
br i1 %done, label %out, label %loop
out:
ret i32 %sum
