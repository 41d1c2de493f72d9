br label %loop
loop:
%i = phi i32 [ %j, %0 ], [ %j, %loop ]
%j = add i32 %i, 1
%c = icmp eq i32 %j, 9
br i1 %c, label %done, label %loop
done:
ret i32 %j
