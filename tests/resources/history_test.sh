#!/bin/sh
# What a kernel needs goes from its result into the history and onto the dashboard, with what it was before.
#   history_test.sh ASSAY BUILD RESULT.json
set -eu
assay=$1 build=$2 result=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# The same case at two commits; at the second the kernel spills.
write() { # NUMBER COMMIT REGISTERS SPILL_BYTES
    mkdir -p "$root/$1/bench"
    sed -E -e 's/"resources": *(null|\{[^}]*\}), *//' "$result" | sed -e "s/\"commit\": *\"[0-9a-f]*\"/\"commit\": \"$2\"/" -e "s/\"time\": *\"[^\"]*\", *\"rerun\"/\"time\": \"2026-01-0$1T00:00:00Z\", \"rerun\"/" \
        -e "s/\"source_sha256\":/\"resources\": {\"arch\": \"sm_90a\", \"kernels\": 1, \"registers\": $3, \"spill_bytes\": $4, \"stack_bytes\": $4, \"shared_bytes\": 1024, \"code_bytes\": 640, \"warnings\": 0, \"occupancy_percent\": 25.0}, \"source_sha256\":/" \
        >"$root/$1/bench/${result##*/}"
    grep -q "\"registers\": $3" "$root/$1/bench/${result##*/}"
}
write 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 84 0
write 2 bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb 96 128
for i in 1 2; do
    status=0
    "$assay" ingest --build "$build" --db "$root/history.db" "$root/$i" >"$root/out" 2>&1 || status=$?
    if [ "$status" -eq 3 ] && grep -q SQLite "$root/out"; then
        cat "$root/out"
        exit 77
    fi
    [ "$status" -eq 0 ] || { cat "$root/out" >&2; exit 1; }
done
"$assay" dashboard --build "$build" --db "$root/history.db" --out "$root/site" >"$root/out" 2>&1 || { cat "$root/out" >&2; exit 1; }
# A value and the point from which on it holds (docs/dashboard.md).
for want in '["resources.registers",[[0,84],[1,96]]]' '["resources.spill_bytes",[[0,0],[1,128]]]' '["resources.arch",[[0,"sm_90a"]]]'; do
    grep -rqF -- "$want" "$root/site/data" || {
        echo "the dashboard does not say: $want" >&2
        grep -rho '"static":.*' "$root/site/data" >&2 || true
        exit 1
    }
done
