#!/bin/sh
# `assay resources` on a workspace made by hand: what it prints, and its exit status for kept, exceeded, missing and impossible budgets.
#   command_test.sh ASSAY
set -eu
assay=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

fail() {
    echo "FAILED: $1" >&2
    cat "$root/out" >&2
    exit 1
}
# expect STATUS TEXT ARGUMENTS...
expect() {
    want=$1 text=$2 status=0
    shift 2
    "$assay" resources --build "$root" "$@" >"$root/out" 2>&1 || status=$?
    [ "$status" -eq "$want" ] || fail "resources $*: exit status $status, not $want"
    grep -qF -- "$text" "$root/out" || fail "resources $*: no \"$text\""
}
workspace() { # DEVICE
    cat >"$root/assay.json" <<END
{"schema": 1, "device": "$1", "source": "", "modules": "modules", "baselines": "baselines", "results": "results", "libexec": "bin",
 "logs": "logs", "plots": "plots", "templates": "templates", "ops": [{"name": "add", "directory": "add", "reference": "add.so"}]}
END
}
budget() { # LIMITS of sm_90a
    sed "s|\"sizes\":|\"budgets\": {\"v1_baseline\": {\"sm_90a\": {$1}}}, \"sizes\":|" "$root/op.json" >"$root/add/op.json"
}
record() { # SPILL_LOAD_BYTES
    cat >"$root/modules/add.v1_baseline.f32.json" <<END
{"schema": 1, "op": "add", "variant": "v1_baseline", "dtype": "f32", "device": "cuda", "status": "ok", "library": "x.so",
 "source": "v1_baseline.cu", "source_sha256": "0", "compiler": "nvcc", "flags": "", "log": "", "resources":
 {"instructions_reason": "no nvdisasm", "architectures": {"sm_90a": {"summary": {"kernels": 1, "registers": 40, "spill_bytes": $1,
  "stack_bytes": 0, "shared_bytes": 0, "code_bytes": 640, "warnings": 0, "occupancy_percent": 62.5},
  "kernels": [{"name": "add_v1", "symbol": "add_v1", "entry": true, "registers": 40, "spill_store_bytes": 0, "spill_load_bytes": $1,
   "stack_bytes": 0, "static_shared_bytes": 0, "dynamic_shared": false, "code_bytes": 640, "block_threads": 256,
   "block_from": "launch bounds", "occupancy": {"blocks": 5, "warps": 40, "percent": 62.5, "limited_by": "registers",
   "upper_bound": false}, "instructions": null, "warnings": ["(C7510) slow"]}]}}}}
END
}
mkdir -p "$root/add" "$root/modules"
touch "$root/add/v1_baseline.cu"
cat >"$root/op.json" <<'END'
{"schema": 1, "name": "add", "family": "elementwise", "torch": "torch.add", "formula": "out = x", "complexity": "O(n)",
 "access": "once", "dtypes": ["f32"], "inputs": [{"name": "x", "shape": ["N"]}], "outputs": [{"name": "out"}],
 "sizes": {"small": {"N": 1}, "medium": {"N": 2}, "large": {"N": 3}}, "tolerances": {"f32": {"atol": 0, "rtol": 0}}}
END

workspace cuda
record 0
cp "$root/op.json" "$root/add/op.json"
expect 0 "add.v1_baseline.f32                  sm_90a         1        40       0      0       0      640       62%"
expect 0 "limited by registers" --kernels
expect 0 "(C7510) slow" --kernels
expect 0 "Instructions are not shown: no nvdisasm" --kernels
expect 0 '"spill_load_bytes": 0' --json
expect 0 '"registers": 48' --propose # 40 and an eighth, in units of 8
expect 2 "no module was compiled for sm_90; there are: sm_90a" --arch sm_90
expect 77 "skipped: op.json has no budget" --check
expect 2 "a kernel is compiled once for all sizes" --size small
expect 2 "exclude each other" --check --propose
expect 2 "unknown variant" --variant v9

budget '"registers": 40, "spill_bytes": 0'
expect 0 "2 metrics of 1 modules checked, 0 over budget" --check
expect 77 "skipped" --check --arch sm_80
budget '"registers": 32, "spill_bytes": 0'
expect 1 "add.v1_baseline.f32 sm_90a: registers of add_v1 is 40, over its budget of 32 (budgets.v1_baseline.sm_90a in" --check
budget '"registers": 40, "spill_bytes": 0'
record 8
expect 1 "spill_bytes of add_v1 is 8, over its budget of 0" --check
expect 1 '"limit": "spill_bytes"' --check --json
budget '"register": 40'
expect 2 'unknown key "budgets.v1_baseline.sm_90a.register"' --check

budget '"registers": 40'
sed -i 's/"status": "ok"/"status": "does not compile"/; s/"resources":/"other":/' "$root/modules/add.v1_baseline.f32.json"
expect 1 "does not compile, so its budget is not kept" --check
expect 0 "does not compile"
rm "$root/modules/add.v1_baseline.f32.json"
expect 3 "add.v1_baseline.f32 is not built: build the target module_add_v1_baseline_f32" --check
workspace cpu
expect 77 "skipped: this build is for the cpu device" --check
