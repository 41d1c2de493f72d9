br label %loop
loop:
%i = phi i32 [ 0, %0 ], [ %j, %next ]
%j = add i32 %i, 1
%c = icmp eq i32 %j, 9
br i1 %c, label %done, label %next
next:
br label %loop
dead:
%z = add i32 %z, 1
br label %loop2
loop2:
ret i32 %z
done:
ret i32 %j
