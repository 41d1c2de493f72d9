target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i16, [3 x i8] }
%struct.__va_list_tag = type { i32, i32, ptr, ptr }

@.str = private unnamed_addr constant [2 x i8] c"x\00", align 1
@table = internal constant [2 x ptr] [ptr @twice, ptr @flip], align 16

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
entry:
  %retval = alloca i32, align 4
  %x = alloca i8, align 1
  %p = alloca ptr, align 8
  %i = alloca i32, align 4
  %d = alloca double, align 8
  %e = alloca x86_fp80, align 16
  %q = alloca %struct.pair, align 4
  %tmp.coerce = alloca { i64, i8 }, align 8
  %r = alloca %struct.pair, align 4
  %w = alloca i128, align 16
  %s = alloca i32, align 4
  store i32 0, ptr %retval, align 4
  call void @klee_make_symbolic(ptr noundef %x, i64 noundef 1, ptr noundef @.str)
  %0 = load i8, ptr %x, align 1
  %conv = zext i8 %0 to i32
  %and = and i32 %conv, 3
  %mul = mul nsw i32 %and, 4
  %add = add nsw i32 %mul, 4
  %conv1 = sext i32 %add to i64
  %call = call ptr @malloc(i64 noundef %conv1) #5
  store ptr %call, ptr %p, align 8
  %1 = load ptr, ptr %p, align 8
  %tobool = icmp ne ptr %1, null
  br i1 %tobool, label %if.end, label %if.then

if.then:                                          ; preds = %entry
  store i32 1, ptr %retval, align 4
  br label %return

if.end:                                           ; preds = %entry
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %if.end
  %2 = load i32, ptr %i, align 4
  %3 = load i8, ptr %x, align 1
  %conv2 = zext i8 %3 to i32
  %and3 = and i32 %conv2, 3
  %cmp = icmp sle i32 %2, %and3
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %4 = load i32, ptr %i, align 4
  %and5 = and i32 %4, 1
  %idxprom = sext i32 %and5 to i64
  %arrayidx = getelementptr inbounds [2 x ptr], ptr @table, i64 0, i64 %idxprom
  %5 = load ptr, ptr %arrayidx, align 8
  %6 = load i8, ptr %x, align 1
  %conv6 = zext i8 %6 to i32
  %call7 = call i32 %5(i32 noundef %conv6)
  %7 = load ptr, ptr %p, align 8
  %8 = load i32, ptr %i, align 4
  %idxprom8 = sext i32 %8 to i64
  %arrayidx9 = getelementptr inbounds i32, ptr %7, i64 %idxprom8
  store i32 %call7, ptr %arrayidx9, align 4
  br label %for.inc

for.inc:                                          ; preds = %for.body
  %9 = load i32, ptr %i, align 4
  %inc = add nsw i32 %9, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !6

for.end:                                          ; preds = %for.cond
  %10 = load i8, ptr %x, align 1
  %conv10 = zext i8 %10 to i32
  %conv11 = sitofp i32 %conv10 to double
  %mul12 = fmul double %conv11, 5.000000e-01
  store double %mul12, ptr %d, align 8
  %11 = load double, ptr %d, align 8
  %conv13 = fpext double %11 to x86_fp80
  store x86_fp80 %conv13, ptr %e, align 16
  %12 = load x86_fp80, ptr %e, align 16
  %cmp14 = fcmp ogt x86_fp80 %12, 0xK4002C400000000000000
  br i1 %cmp14, label %if.then16, label %if.end18

if.then16:                                        ; preds = %for.end
  %13 = load double, ptr %d, align 8
  %add17 = fadd double %13, 1.000000e+00
  store double %add17, ptr %d, align 8
  br label %if.end18

if.end18:                                         ; preds = %if.then16, %for.end
  %14 = load i8, ptr %x, align 1
  %conv19 = zext i8 %14 to i32
  %call20 = call { i64, i8 } @make(i32 noundef %conv19)
  store { i64, i8 } %call20, ptr %tmp.coerce, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q, ptr align 8 %tmp.coerce, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %r, ptr align 4 %q, i64 12, i1 false)
  %15 = load i8, ptr %x, align 1
  %conv21 = zext i8 %15 to i32
  %and22 = and i32 %conv21, 7
  switch i32 %and22, label %sw.default [
    i32 0, label %sw.bb
    i32 3, label %sw.bb24
  ]

sw.bb:                                            ; preds = %if.end18
  %a = getelementptr inbounds %struct.pair, ptr %r, i32 0, i32 0
  %16 = load i32, ptr %a, align 4
  %inc23 = add nsw i32 %16, 1
  store i32 %inc23, ptr %a, align 4
  br label %sw.epilog

sw.bb24:                                          ; preds = %if.end18
  %a25 = getelementptr inbounds %struct.pair, ptr %r, i32 0, i32 0
  %17 = load i32, ptr %a25, align 4
  %18 = load ptr, ptr %p, align 8
  %arrayidx26 = getelementptr inbounds i32, ptr %18, i64 0
  %19 = load i32, ptr %arrayidx26, align 4
  %call27 = call i32 (i32, ...) @sum(i32 noundef 2, i32 noundef %17, i32 noundef %19)
  store i32 %call27, ptr %retval, align 4
  br label %return

sw.default:                                       ; preds = %if.end18
  %b = getelementptr inbounds %struct.pair, ptr %r, i32 0, i32 1
  %20 = load i16, ptr %b, align 4
  %conv28 = sext i16 %20 to i32
  %conv29 = sitofp i32 %conv28 to double
  %21 = load double, ptr %d, align 8
  %div = fdiv double %21, %conv29
  store double %div, ptr %d, align 8
  br label %sw.epilog

sw.epilog:                                        ; preds = %sw.default, %sw.bb
  %22 = load ptr, ptr %p, align 8
  %arrayidx30 = getelementptr inbounds i32, ptr %22, i64 0
  %23 = load i32, ptr %arrayidx30, align 4
  %conv31 = sext i32 %23 to i128
  %shl = shl i128 %conv31, 70
  store i128 %shl, ptr %w, align 16
  %24 = load double, ptr %d, align 8
  %conv32 = fptosi double %24 to i32
  %c = getelementptr inbounds %struct.pair, ptr %r, i32 0, i32 2
  %25 = load i8, ptr %x, align 1
  %conv33 = zext i8 %25 to i32
  %and34 = and i32 %conv33, 1
  %idxprom35 = sext i32 %and34 to i64
  %arrayidx36 = getelementptr inbounds [3 x i8], ptr %c, i64 0, i64 %idxprom35
  %26 = load i8, ptr %arrayidx36, align 1
  %conv37 = sext i8 %26 to i32
  %add38 = add nsw i32 %conv32, %conv37
  %27 = load i128, ptr %w, align 16
  %shr = ashr i128 %27, 66
  %conv39 = trunc i128 %shr to i32
  %add40 = add nsw i32 %add38, %conv39
  store i32 %add40, ptr %s, align 4
  %28 = load ptr, ptr %p, align 8
  call void @free(ptr noundef %28)
  %29 = load i32, ptr %s, align 4
  %cmp41 = icmp sgt i32 %29, 40
  %conv42 = zext i1 %cmp41 to i32
  store i32 %conv42, ptr %retval, align 4
  br label %return

return:                                           ; preds = %sw.epilog, %sw.bb24, %if.then
  %30 = load i32, ptr %retval, align 4
  ret i32 %30
}

declare void @klee_make_symbolic(ptr noundef, i64 noundef, ptr noundef) #1

; Function Attrs: allocsize(0)
declare ptr @malloc(i64 noundef) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal { i64, i8 } @make(i32 noundef %a) #0 {
entry:
  %retval = alloca %struct.pair, align 4
  %a.addr = alloca i32, align 4
  %retval.coerce = alloca { i64, i8 }, align 8
  store i32 %a, ptr %a.addr, align 4
  %a1 = getelementptr inbounds %struct.pair, ptr %retval, i32 0, i32 0
  %0 = load i32, ptr %a.addr, align 4
  store i32 %0, ptr %a1, align 4
  %b = getelementptr inbounds %struct.pair, ptr %retval, i32 0, i32 1
  %1 = load i32, ptr %a.addr, align 4
  %conv = trunc i32 %1 to i16
  store i16 %conv, ptr %b, align 4
  %c = getelementptr inbounds %struct.pair, ptr %retval, i32 0, i32 2
  store i8 1, ptr %c, align 1
  %arrayinit.element = getelementptr inbounds i8, ptr %c, i64 1
  store i8 2, ptr %arrayinit.element, align 1
  %arrayinit.element2 = getelementptr inbounds i8, ptr %c, i64 2
  store i8 3, ptr %arrayinit.element2, align 1
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %retval.coerce, ptr align 4 %retval, i64 12, i1 false)
  %2 = load { i64, i8 }, ptr %retval.coerce, align 8
  ret { i64, i8 } %2
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #3

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @sum(i32 noundef %n, ...) #0 {
entry:
  %n.addr = alloca i32, align 4
  %l = alloca [1 x %struct.__va_list_tag], align 16
  %s = alloca i32, align 4
  %i = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  %arraydecay = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %l, i64 0, i64 0
  call void @llvm.va_start.p0(ptr %arraydecay)
  store i32 0, ptr %s, align 4
  store i32 0, ptr %i, align 4
  br label %for.cond

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %i, align 4
  %1 = load i32, ptr %n.addr, align 4
  %cmp = icmp slt i32 %0, %1
  br i1 %cmp, label %for.body, label %for.end

for.body:                                         ; preds = %for.cond
  %arraydecay1 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %l, i64 0, i64 0
  %gp_offset_p = getelementptr inbounds %struct.__va_list_tag, ptr %arraydecay1, i32 0, i32 0
  %gp_offset = load i32, ptr %gp_offset_p, align 16
  %fits_in_gp = icmp ule i32 %gp_offset, 40
  br i1 %fits_in_gp, label %vaarg.in_reg, label %vaarg.in_mem

vaarg.in_reg:                                     ; preds = %for.body
  %2 = getelementptr inbounds %struct.__va_list_tag, ptr %arraydecay1, i32 0, i32 3
  %reg_save_area = load ptr, ptr %2, align 16
  %3 = getelementptr i8, ptr %reg_save_area, i32 %gp_offset
  %4 = add i32 %gp_offset, 8
  store i32 %4, ptr %gp_offset_p, align 16
  br label %vaarg.end

vaarg.in_mem:                                     ; preds = %for.body
  %overflow_arg_area_p = getelementptr inbounds %struct.__va_list_tag, ptr %arraydecay1, i32 0, i32 2
  %overflow_arg_area = load ptr, ptr %overflow_arg_area_p, align 8
  %overflow_arg_area.next = getelementptr i8, ptr %overflow_arg_area, i32 8
  store ptr %overflow_arg_area.next, ptr %overflow_arg_area_p, align 8
  br label %vaarg.end

vaarg.end:                                        ; preds = %vaarg.in_mem, %vaarg.in_reg
  %vaarg.addr = phi ptr [ %3, %vaarg.in_reg ], [ %overflow_arg_area, %vaarg.in_mem ]
  %5 = load i32, ptr %vaarg.addr, align 4
  %6 = load i32, ptr %s, align 4
  %add = add nsw i32 %6, %5
  store i32 %add, ptr %s, align 4
  br label %for.inc

for.inc:                                          ; preds = %vaarg.end
  %7 = load i32, ptr %i, align 4
  %inc = add nsw i32 %7, 1
  store i32 %inc, ptr %i, align 4
  br label %for.cond, !llvm.loop !8

for.end:                                          ; preds = %for.cond
  %arraydecay2 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %l, i64 0, i64 0
  call void @llvm.va_end.p0(ptr %arraydecay2)
  %8 = load i32, ptr %s, align 4
  ret i32 %8
}

declare void @free(ptr noundef) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @twice(i32 noundef %v) #0 {
entry:
  %v.addr = alloca i32, align 4
  store i32 %v, ptr %v.addr, align 4
  %0 = load i32, ptr %v.addr, align 4
  %mul = mul nsw i32 2, %0
  ret i32 %mul
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @flip(i32 noundef %v) #0 {
entry:
  %v.addr = alloca i32, align 4
  store i32 %v, ptr %v.addr, align 4
  %0 = load i32, ptr %v.addr, align 4
  %not = xor i32 %0, -1
  ret i32 %not
}

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #4

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { allocsize(0) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { nocallback nofree nosync nounwind willreturn }
attributes #5 = { allocsize(0) }

!llvm.module.flags = !{!0, !1, !2, !3, !4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"clang"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
!8 = distinct !{!8, !7}
