%a = alloca [16 x i32]
br label %loop
loop:
%i = phi i64 [ 0, %0 ], [ %next, %loop ]
%h = phi i32 [ 5381, %0 ], [ %mixed, %loop ]
%p = getelementptr [16 x i32], ptr %a, i64 0, i64 %i
%v = load i32, ptr %p
%x = xor i32 %h, %v
%m = mul i32 %x, 16777619
%s = lshr i32 %m, 13
%square = mul i32 %m, %s
%mixed = add i32 %square, %x
%next = add i64 %i, 1
%more = icmp ult i64 %next, 16
br i1 %more, label %loop, label %end
end:
%c = icmp slt i32 %mixed, 0
br i1 %c, label %yes, label %no
yes:
ret i32 1
no:
ret i32 0
