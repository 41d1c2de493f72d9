br label %loop
loop:
%k = phi i32 [ 0, %0 ], [ %next, %more ]
%i = call i32 @klee_int(ptr @n)
%next = add i32 %k, 1
%c = icmp ult i32 %i, 5
br i1 %c, label %more, label %out
more:
%d = icmp ult i32 %next, 12
br i1 %d, label %loop, label %out
out:
ret i32 0
