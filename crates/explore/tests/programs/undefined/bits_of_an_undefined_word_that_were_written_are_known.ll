%old = and i32 undef, -8
%new = or i32 %old, 5
%field = and i32 %new, 7
%c = icmp eq i32 %field, 5
br i1 %c, label %yes, label %no
yes:
ret i32 0
no:
call void @abort()
unreachable
