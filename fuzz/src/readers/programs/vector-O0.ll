target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@.str = private unnamed_addr constant [2 x i8] c"x\00", align 1
@main.to = internal constant [2 x ptr] [ptr blockaddress(@main, %l), ptr blockaddress(@main, %m)], align 16
@data = internal global <{ i32, i32, i32, i32, i32, [11 x i32] }> <{ i32 3, i32 1, i32 4, i32 1, i32 5, [11 x i32] zeroinitializer }>, align 16

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
entry:
  %retval = alloca i32, align 4
  %x = alloca i8, align 1
  %a = alloca <4 x i32>, align 16
  %b = alloca <4 x i32>, align 16
  %c = alloca <4 x i32>, align 16
  %f = alloca <4 x float>, align 16
  %s = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 0, ptr %retval, align 4
  call void @klee_make_symbolic(ptr noundef %x, i64 noundef 1, ptr noundef @.str)
  %0 = load i8, ptr %x, align 1
  %conv = zext i8 %0 to i32
  %vecinit = insertelement <4 x i32> poison, i32 %conv, i32 0
  %vecinit1 = insertelement <4 x i32> %vecinit, i32 1, i32 1
  %vecinit2 = insertelement <4 x i32> %vecinit1, i32 2, i32 2
  %vecinit3 = insertelement <4 x i32> %vecinit2, i32 3, i32 3
  store <4 x i32> %vecinit3, ptr %a, align 16
  %1 = load i8, ptr %x, align 1
  %conv4 = zext i8 %1 to i32
  %vecinit5 = insertelement <4 x i32> <i32 7, i32 poison, i32 poison, i32 poison>, i32 %conv4, i32 1
  %vecinit6 = insertelement <4 x i32> %vecinit5, i32 1, i32 2
  %vecinit7 = insertelement <4 x i32> %vecinit6, i32 0, i32 3
  store <4 x i32> %vecinit7, ptr %b, align 16
  %2 = load <4 x i32>, ptr %a, align 16
  %3 = load <4 x i32>, ptr %b, align 16
  %mul = mul <4 x i32> %2, %3
  %4 = load <4 x i32>, ptr %a, align 16
  %5 = load <4 x i32>, ptr %b, align 16
  %cmp = icmp sgt <4 x i32> %4, %5
  %sext = sext <4 x i1> %cmp to <4 x i32>
  %add = add <4 x i32> %mul, %sext
  store <4 x i32> %add, ptr %c, align 16
  %6 = load <4 x i32>, ptr %c, align 16
  %conv8 = sitofp <4 x i32> %6 to <4 x float>
  store <4 x float> %conv8, ptr %f, align 16
  %7 = load <4 x float>, ptr %f, align 16
  %mul9 = fmul <4 x float> %7, <float 5.000000e-01, float 5.000000e-01, float 5.000000e-01, float 5.000000e-01>
  store <4 x float> %mul9, ptr %f, align 16
  store i32 0, ptr %s, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %8 = load i32, ptr %i, align 4
  %cmp10 = icmp slt i32 %8, 16
  br i1 %cmp10, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %9 = load i32, ptr %i, align 4
  %idxprom = sext i32 %9 to i64
  %arrayidx = getelementptr inbounds [16 x i32], ptr @data, i64 0, i64 %idxprom
  %10 = load i32, ptr %arrayidx, align 4
  %11 = load i8, ptr %x, align 1
  %conv12 = zext i8 %11 to i32
  %mul13 = mul nsw i32 %10, %conv12
  %12 = load i32, ptr %s, align 4
  %add14 = add nsw i32 %12, %mul13
  store i32 %add14, ptr %s, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %13 = load i32, ptr %i, align 4
  %inc = add nsw i32 %13, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %14 = load i8, ptr %x, align 1
  %conv15 = zext i8 %14 to i32
  %and = and i32 %conv15, 1
  %idxprom16 = sext i32 %and to i64
  %arrayidx17 = getelementptr inbounds [2 x ptr], ptr @main.to, i64 0, i64 %idxprom16
  %15 = load ptr, ptr %arrayidx17, align 8
  br label %indirectgoto

l:                                                ; preds = %indirectgoto
  %16 = load i32, ptr %s, align 4
  %17 = call i32 @llvm.ctpop.i32(i32 %16)
  %18 = load <4 x i32>, ptr %c, align 16
  %19 = load i8, ptr %x, align 1
  %conv18 = zext i8 %19 to i32
  %and19 = and i32 %conv18, 3
  %vecext = extractelement <4 x i32> %18, i32 %and19
  %add20 = add nsw i32 %17, %vecext
  store i32 %add20, ptr %retval, align 4
  br label %return

m:                                                ; preds = %indirectgoto
  %20 = load i32, ptr %s, align 4
  %or = or i32 %20, 1
  %21 = call i32 @llvm.cttz.i32(i32 %or, i1 true)
  %22 = load <4 x float>, ptr %f, align 16
  %vecext21 = extractelement <4 x float> %22, i32 1
  %conv22 = fptosi float %vecext21 to i32
  %add23 = add nsw i32 %21, %conv22
  %23 = load i32, ptr %s, align 4
  %24 = call i32 @llvm.bswap.i32(i32 %23)
  %add24 = add i32 %add23, %24
  store i32 %add24, ptr %retval, align 4
  br label %return

return:                                           ; preds = %m, %l
  %25 = load i32, ptr %retval, align 4
  ret i32 %25

indirectgoto:                                     ; preds = %for.end
  %indirect.goto.dest = phi ptr [ %15, %for.end ]
  indirectbr ptr %indirect.goto.dest, [label %l, label %m]
}

declare void @klee_make_symbolic(ptr noundef, i64 noundef, ptr noundef) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.cttz.i32(i32, i1 immarg) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #2

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"clang"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
