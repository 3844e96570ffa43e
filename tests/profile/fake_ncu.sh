#!/bin/sh
# Stands in for ncu in tests. FAKE_NCU says what happens: "", refused (a metric is not known), denied (no permission), crashed (the kernel).
# The arguments go to the file $FAKE_NCU_LOG, a line a call.
echo "$*" >>"$FAKE_NCU_LOG"
report='' page='' log='' imported='' previous=''
for argument in "$@"; do
  case $previous in
    --export) report=$argument ;;
    --page) page=$argument ;;
    --log-file) log=$argument ;;
    --import) imported=$argument ;;
  esac
  previous=$argument
done
head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
row='"0","7","p","h","rows(int)","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0"'
if [ -n "$imported" ]; then
  [ -s "$imported" ] || exit 9
  case $page in
    raw) printf '%s,"sm__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum","lts__t_bytes.sum"\n"","","","","","","","","","","","%%","ns","byte","byte","byte"\n%s,"12","50000","6000","2000","9000"\n' "$head" "$row" >"$log" ;;
    details) printf '%s,"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"\n%s,"GPU Speed Of Light Throughput","Memory Throughput","%%","91"\n%s,"GPU Speed Of Light Throughput","","","","SOLBottleneck","INF","%s"\n' "$head" "$row" "$row" "${FAKE_NCU_RULE:-Memory is more heavily utilized than Compute}" >"$log" ;;
    source) printf '"File Path","/x/ops/softmax/v1.cu"\n"Function Name","rows(int)"\n"Line No","Source","Warp Stall Sampling (All Samples)","Instructions Executed"\n"3","y = x;","5","9"\n' >"$log" ;;
  esac
  exit 0
fi
case $FAKE_NCU in
  denied) echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1 ;;
  crashed) echo 'assay-launch-case: launch failed: an illegal memory access'; exit 3 ;;
  refused) case "$*" in *--metrics*) echo '==ERROR== Failed to find metric lts__t_bytes.sum'; exit 1 ;; esac ;;
esac
if [ -n "$report" ]; then
  echo report >"$report"
else
  printf '==PROF== Connected\n%s,"gpu__time_duration.sum"\n"","","","","","","","","","","","ns"\n%s,"61"\n' "$head" "$row"
fi
