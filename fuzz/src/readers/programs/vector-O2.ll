target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@.str = private unnamed_addr constant [2 x i8] c"x\00", align 1
@main.to = internal unnamed_addr constant [2 x ptr] [ptr blockaddress(@main, %l), ptr blockaddress(@main, %m)], align 16

; Function Attrs: nounwind uwtable
define dso_local i32 @main() #0 {
entry:
  %x = alloca i8, align 1
  call void @klee_make_symbolic(ptr noundef nonnull %x, i64 noundef 1, ptr noundef nonnull @.str) #3
  %0 = load i8, ptr %x, align 1, !tbaa !5
  %conv = zext i8 %0 to i32
  %vecinit3 = insertelement <4 x i32> <i32 poison, i32 1, i32 2, i32 3>, i32 %conv, i64 0
  %vecinit7 = insertelement <4 x i32> <i32 7, i32 poison, i32 1, i32 0>, i32 %conv, i64 1
  %cmp = icmp ugt <4 x i32> %vecinit3, %vecinit7
  %sext = sext <4 x i1> %cmp to <4 x i32>
  %add14.4 = mul nuw nsw i32 %conv, 14
  %mul = mul nuw nsw <4 x i32> %vecinit3, %vecinit7
  %add = add nsw <4 x i32> %mul, %sext
  %and = and i32 %conv, 1
  %idxprom16 = zext nneg i32 %and to i64
  %arrayidx17 = getelementptr inbounds [2 x ptr], ptr @main.to, i64 0, i64 %idxprom16
  %1 = load ptr, ptr %arrayidx17, align 8, !tbaa !8
  indirectbr ptr %1, [label %l, label %m]

l:                                                ; preds = %entry
  %2 = call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %add14.4)
  %and19 = and i32 %conv, 3
  %vecext = extractelement <4 x i32> %add, i32 %and19
  %add20 = add nsw i32 %2, %vecext
  br label %return

m:                                                ; preds = %entry
  %3 = extractelement <4 x i32> %add, i64 1
  %4 = sitofp i32 %3 to float
  %vecext21 = fmul float %4, 5.000000e-01
  %conv22 = fptosi float %vecext21 to i32
  %5 = call i32 @llvm.bswap.i32(i32 %add14.4)
  %add24 = add i32 %5, %conv22
  br label %return

return:                                           ; preds = %m, %l
  %retval.0 = phi i32 [ %add20, %l ], [ %add24, %m ]
  ret i32 %retval.0
}

declare void @klee_make_symbolic(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #2

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{!"clang"}
!5 = !{!6, !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C/C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"any pointer", !6, i64 0}
