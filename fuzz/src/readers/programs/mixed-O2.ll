target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i16, [3 x i8] }
%struct.__va_list_tag = type { i32, i32, ptr, ptr }

@.str = private unnamed_addr constant [2 x i8] c"x\00", align 1
@table = internal unnamed_addr constant [2 x ptr] [ptr @twice, ptr @flip], align 16

; Function Attrs: nounwind uwtable
define dso_local i32 @main() local_unnamed_addr #0 {
entry:
  %x = alloca i8, align 1
  %r = alloca %struct.pair, align 8
  call void @llvm.lifetime.start.p0(i64 1, ptr nonnull %x) #8
  call void @klee_make_symbolic(ptr noundef nonnull %x, i64 noundef 1, ptr noundef nonnull @.str) #8
  %0 = load i8, ptr %x, align 1, !tbaa !5
  %1 = shl i8 %0, 2
  %2 = and i8 %1, 12
  %narrow = add nuw nsw i8 %2, 4
  %conv1 = zext nneg i8 %narrow to i64
  %call = call ptr @malloc(i64 noundef %conv1) #9
  %tobool.not = icmp eq ptr %call, null
  br i1 %tobool.not, label %cleanup46, label %for.cond.preheader

for.cond.preheader:                               ; preds = %entry
  %conv258 = zext i8 %0 to i32
  br label %for.body

for.cond.cleanup:                                 ; preds = %for.body
  %conv11 = uitofp i8 %5 to double
  %mul12 = fmul double %conv11, 5.000000e-01
  %cmp14 = fcmp ogt double %mul12, 1.225000e+01
  %add17 = fadd double %mul12, 1.000000e+00
  %d.0 = select i1 %cmp14, double %add17, double %mul12
  %retval.sroa.2.0.insert.ext.i = zext i8 %5 to i64
  %retval.sroa.2.0.insert.shift.i = shl nuw nsw i64 %retval.sroa.2.0.insert.ext.i, 32
  %retval.sroa.2.0.insert.insert.i = or disjoint i64 %retval.sroa.2.0.insert.shift.i, %retval.sroa.2.0.insert.ext.i
  %retval.sroa.0.0.insert.insert.i = or disjoint i64 %retval.sroa.2.0.insert.insert.i, 144396663052566528
  call void @llvm.lifetime.start.p0(i64 12, ptr nonnull %r) #8
  store i64 %retval.sroa.0.0.insert.insert.i, ptr %r, align 8
  %3 = and i8 %5, 7
  switch i8 %3, label %sw.default [
    i8 0, label %sw.epilog
    i8 3, label %sw.bb24
  ]

for.body:                                         ; preds = %for.cond.preheader, %for.body
  %indvars.iv = phi i64 [ 0, %for.cond.preheader ], [ %indvars.iv.next, %for.body ]
  %conv261 = phi i32 [ %conv258, %for.cond.preheader ], [ %conv2, %for.body ]
  %and5 = and i64 %indvars.iv, 1
  %arrayidx = getelementptr inbounds [2 x ptr], ptr @table, i64 0, i64 %and5
  %4 = load ptr, ptr %arrayidx, align 8, !tbaa !8
  %call7 = call i32 %4(i32 noundef %conv261) #8
  %arrayidx9 = getelementptr inbounds i32, ptr %call, i64 %indvars.iv
  store i32 %call7, ptr %arrayidx9, align 4, !tbaa !10
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %5 = load i8, ptr %x, align 1, !tbaa !5
  %conv2 = zext i8 %5 to i32
  %and3 = and i32 %conv2, 3
  %6 = zext nneg i32 %and3 to i64
  %cmp.not.not = icmp ult i64 %indvars.iv, %6
  br i1 %cmp.not.not, label %for.body, label %for.cond.cleanup, !llvm.loop !12

sw.bb24:                                          ; preds = %for.cond.cleanup
  %7 = zext i8 %5 to i32
  %8 = load i32, ptr %call, align 4, !tbaa !10
  %call27 = call i32 (i32, ...) @sum(i32 poison, i32 noundef %7, i32 noundef %8)
  br label %cleanup

sw.default:                                       ; preds = %for.cond.cleanup
  %conv29 = uitofp i8 %5 to double
  %div = fdiv double %d.0, %conv29
  br label %sw.epilog

sw.epilog:                                        ; preds = %for.cond.cleanup, %sw.default
  %d.1 = phi double [ %div, %sw.default ], [ %d.0, %for.cond.cleanup ]
  %9 = load i32, ptr %call, align 4, !tbaa !10
  %conv32 = fptosi double %d.1 to i32
  %c = getelementptr inbounds i8, ptr %r, i64 6
  %10 = and i8 %5, 1
  %idxprom35 = zext nneg i8 %10 to i64
  %arrayidx36 = getelementptr inbounds [3 x i8], ptr %c, i64 0, i64 %idxprom35
  %11 = load i8, ptr %arrayidx36, align 1, !tbaa !5
  %conv37 = sext i8 %11 to i32
  %shr = shl i32 %9, 4
  %add38 = add i32 %shr, %conv32
  %add40 = add i32 %add38, %conv37
  call void @free(ptr noundef nonnull %call)
  %cmp41 = icmp sgt i32 %add40, 40
  %conv42 = zext i1 %cmp41 to i32
  br label %cleanup

cleanup:                                          ; preds = %sw.epilog, %sw.bb24
  %retval.0 = phi i32 [ %conv42, %sw.epilog ], [ %call27, %sw.bb24 ]
  call void @llvm.lifetime.end.p0(i64 12, ptr nonnull %r) #8
  br label %cleanup46

cleanup46:                                        ; preds = %entry, %cleanup
  %retval.1 = phi i32 [ %retval.0, %cleanup ], [ 1, %entry ]
  call void @llvm.lifetime.end.p0(i64 1, ptr nonnull %x) #8
  ret i32 %retval.1
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

declare void @klee_make_symbolic(ptr noundef, i64 noundef, ptr noundef) local_unnamed_addr #2

; Function Attrs: mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite)
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn uwtable
define internal i32 @sum(i32 %n, ...) unnamed_addr #4 {
entry:
  %l = alloca [1 x %struct.__va_list_tag], align 16
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %l) #8
  call void @llvm.va_start.p0(ptr nonnull %l)
  %l.promoted = load i32, ptr %l, align 16
  %overflow_arg_area_p = getelementptr inbounds i8, ptr %l, i64 8
  %0 = getelementptr inbounds i8, ptr %l, i64 16
  %reg_save_area = load ptr, ptr %0, align 16
  %overflow_arg_area_p.promoted = load ptr, ptr %overflow_arg_area_p, align 8
  %fits_in_gp = icmp ult i32 %l.promoted, 41
  br i1 %fits_in_gp, label %vaarg.end, label %vaarg.end.thread

vaarg.end.thread:                                 ; preds = %entry
  %overflow_arg_area.next = getelementptr i8, ptr %overflow_arg_area_p.promoted, i64 8
  store ptr %overflow_arg_area.next, ptr %overflow_arg_area_p, align 8
  %1 = load i32, ptr %overflow_arg_area_p.promoted, align 4, !tbaa !10
  br label %vaarg.in_mem.1

vaarg.end:                                        ; preds = %entry
  %2 = zext nneg i32 %l.promoted to i64
  %3 = getelementptr i8, ptr %reg_save_area, i64 %2
  %4 = add nuw nsw i32 %l.promoted, 8
  store i32 %4, ptr %l, align 16
  %5 = load i32, ptr %3, align 4, !tbaa !10
  %fits_in_gp.1 = icmp ult i32 %l.promoted, 33
  br i1 %fits_in_gp.1, label %vaarg.in_reg.1, label %vaarg.in_mem.1

vaarg.in_mem.1:                                   ; preds = %vaarg.end.thread, %vaarg.end
  %6 = phi i32 [ %1, %vaarg.end.thread ], [ %5, %vaarg.end ]
  %overflow_arg_area1016 = phi ptr [ %overflow_arg_area.next, %vaarg.end.thread ], [ %overflow_arg_area_p.promoted, %vaarg.end ]
  %overflow_arg_area.next.1 = getelementptr i8, ptr %overflow_arg_area1016, i64 8
  store ptr %overflow_arg_area.next.1, ptr %overflow_arg_area_p, align 8
  br label %vaarg.end.1

vaarg.in_reg.1:                                   ; preds = %vaarg.end
  %7 = zext nneg i32 %4 to i64
  %8 = getelementptr i8, ptr %reg_save_area, i64 %7
  %9 = add nuw nsw i32 %l.promoted, 16
  store i32 %9, ptr %l, align 16
  br label %vaarg.end.1

vaarg.end.1:                                      ; preds = %vaarg.in_reg.1, %vaarg.in_mem.1
  %10 = phi i32 [ %5, %vaarg.in_reg.1 ], [ %6, %vaarg.in_mem.1 ]
  %vaarg.addr.1 = phi ptr [ %8, %vaarg.in_reg.1 ], [ %overflow_arg_area1016, %vaarg.in_mem.1 ]
  %11 = load i32, ptr %vaarg.addr.1, align 4, !tbaa !10
  %add.1 = add nsw i32 %11, %10
  call void @llvm.va_end.p0(ptr nonnull %l)
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %l) #8
  ret i32 %add.1
}

; Function Attrs: mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #5

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define internal i32 @twice(i32 noundef %v) #6 {
entry:
  %mul = shl nsw i32 %v, 1
  ret i32 %mul
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define internal noundef i32 @flip(i32 noundef %v) #6 {
entry:
  %not = xor i32 %v, -1
  ret i32 %not
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #7

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #7

attributes #0 = { nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nofree norecurse nosync nounwind willreturn uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #8 = { nounwind }
attributes #9 = { allocsize(0) }

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
!10 = !{!11, !11, i64 0}
!11 = !{!"int", !6, i64 0}
!12 = distinct !{!12, !13}
!13 = !{!"llvm.loop.mustprogress"}
