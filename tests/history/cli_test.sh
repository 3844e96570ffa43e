#!/bin/sh
# The commands around the history as a user meets them: exit statuses, messages, and one line of wrong use each.
#   cli_test.sh ASSAY RESULTS     RESULTS: a folder with results of one card
set -u
assay=$1
results=$2
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 3
unset ASSAY_HISTORY ASSAY_BUILD
failures=0

# expect STATUS TEXT COMMAND...: exit status, and a text in the output (both streams).
expect() {
    wanted=$1 text=$2
    shift 2
    "$@" >out.txt 2>&1
    code=$?
    if [ "$code" -ne "$wanted" ] || ! grep -q -e "$text" out.txt; then
        echo "FAILED: $*"
        echo "  status $code, expected $wanted and \"$text\":"
        sed 's/^/  /' out.txt | tail -n 5
        failures=$((failures + 1))
    fi
}

mkdir base slower
cp "$results"/bench/add.v*.f32.*.json base/
for file in base/*; do
    # Ten percent more on every number of a sample list or quantile list.
    awk '{
        rest = $0; out = ""
        while (match(rest, /"(samples|quantiles)_us": ?\[[^]]*\]/)) {
            list = substr(rest, RSTART, RLENGTH)
            out = out substr(rest, 1, RSTART - 1)
            rest = substr(rest, RSTART + RLENGTH)
            split(list, parts, /\[/)
            sub(/\]/, "", parts[2])
            count = split(parts[2], values, ",")
            text = ""
            for (i = 1; i <= count; i++) text = text (i > 1 ? "," : "") values[i] * 1.1
            out = out parts[1] "[" text "]"
        }
        print out rest
    }' "$file" | sed 's/"source_sha256": *"[0-9a-f]*"/"source_sha256":"changed"/' >"slower/${file##*/}"
done
mkdir loaded # the same kernels, as slow: the machine's doing
for file in slower/*; do
    hash=$(grep -o '"source_sha256": *"[0-9a-f]*"' "base/${file##*/}" | head -n 1)
    sed "s/\"source_sha256\":\"changed\"/$hash/" "$file" >"loaded/${file##*/}"
done

expect 0 "^0 slower" "$assay" compare base base
expect 1 "^slower   add v4_optimized f32 xlarge .* us  *+1[01].[0-9]% (95%: " "$assay" compare base slower
expect 0 "^0 slower" "$assay" compare slower base
expect 1 '"verdict": "slower"' "$assay" compare base slower --json
expect 1 "### Confirmed slowdowns" "$assay" compare base slower --markdown
expect 1 "<failure type=" "$assay" compare base slower --junit
expect 1 "4 slower\|8 slower" "$assay" compare base slower --junit=junit.xml --json-file=all.json
expect 1 "adjusted, Cliff.s delta +1.00" "$assay" compare base slower --explain
expect 0 "^machine  8 cases moved with the machine" "$assay" compare base loaded
expect 1 "^0 slower.* 8 machine" "$assay" compare base loaded --gate-environment
expect 0 "^same .*add v1_baseline f32 large" "$assay" compare base base --all
grep -q "</testsuites>" junit.xml || failures=$((failures + 1))
expect 1 "would repeat add.v1_baseline.f32.large cold" "$assay" compare base slower --repeat --dry-run
expect 2 "BASE and NEW are expected" "$assay" compare base
expect 2 "no such file or folder" "$assay" compare base nowhere
expect 2 "card, driver, math, inputs or method" "$assay" compare base slower --allow everything
expect 2 "no case in common" "$assay" compare base slower --variant v9
expect 2 "there are cold, hot\|cold,hot,burst" "$assay" compare base slower --modes warm
expect 2 "no case in common with mode host" "$assay" compare base slower --modes host
expect 2 "only one can go to standard output" "$assay" compare base slower --junit --json
expect 2 "file to write is empty" "$assay" compare base slower --junit=
expect 2 "not an empty name" "$assay" compare base ""
expect 1 "not repeated: add.v1_baseline.f32.large the build folder has another source of it" "$assay" compare base slower --repeat
mkdir earlier
for file in base/*; do sed 's/"method": *{"version": *1/"method":{"version":0/' "$file" >"earlier/${file##*/}"; done
expect 2 "nothing can be compared: .*earlier method (version 0" "$assay" compare base earlier
expect 2 "assay.json" "$assay" compare base base --repeat --build other
if [ -c /dev/full ]; then
    expect 3 "cannot write to standard output" sh -c "'$assay' compare base base >/dev/full"
    expect 1 "cannot write to standard output" sh -c "'$assay' compare base slower >/dev/full"
fi
mkdir cut
cp base/* cut/
echo '{' >cut/add.v4_optimized.f32.large.json
expect 0 "; 1 missing, 1 result files unusable" "$assay" compare base cut
expect 0 '"unusable_files": 1' "$assay" compare base cut --json
mkdir bad
for file in base/*; do sed 's/"status": *"ok"/"status":"unstable"/' "$file" >"bad/${file##*/}"; done
expect 2 "nothing could be judged: .* are not ok" "$assay" compare base bad
expect 2 '"verdict": "not ok"' "$assay" compare base bad --json
mkdir overheads
for file in base/*; do
    sed -e 's/"launch_overhead_us": *{[^}]*}/"launch_overhead_us":{"cold":1.23,"hot":0.8,"host":null}/' -e 's/"source_sha256": *"[0-9a-f]*"/"source_sha256":"changed"/' \
        "$file" >"overheads/${file##*/}"
done
expect 1 "overhead-corrected: a launch takes .* -> 1.23 us" "$assay" compare base overheads --all --explain
mkdir other
for file in base/*; do sed 's/"driver": *"[^"]*"/"driver":"1.2.3"/' "$file" >"other/${file##*/}"; done
expect 2 "another driver" "$assay" compare base other
expect 0 "^0 slower" "$assay" compare base other --allow driver

expect 3 "assay ingest makes one" "$assay" history --db none.db
expect 0 "^base/add.v1_baseline.f32.large.json" "$assay" ingest base --db h.db --dry-run
expect 3 "assay ingest makes one" "$assay" history --db h.db
expect 0 "new, 0 known" "$assay" ingest base --db h.db
expect 0 " 0 new" "$assay" ingest base --db h.db
expect 2 "No such file" "$assay" ingest nowhere --db h.db
for broken in '"status": *"ok"/"status":"fast"' '"op": *"add"/"op":"..\/..\/x"' '"M": *4096/"M":-1' '"dtype": *"f32"/"dtype":"f33"'; do
    sed "s/$broken/" base/add.v1_baseline.f32.large.json >add.odd.f32.large.json
    expect 2 "add.odd.f32.large.json: [a-z.M]* " "$assay" ingest add.odd.f32.large.json --db odd.db
done
[ "$("$assay" export --db odd.db | wc -l)" -eq 1 ] || { echo "FAILED: a refused file is in the history"; failures=$((failures + 1)); }
expect 2 "could not be used" sh -c "echo '{' >add.broken.f32.large.json; '$assay' ingest add.broken.f32.large.json --db h.db"
expect 0 "h100" "$assay" history --db h.db
expect 0 "^timestamp,name,ms,tflops,status,config" "$assay" export --db h.db
expect 2 "is empty" "$assay" export --db h.db --output ""
expect 0 "would write e.csv" "$assay" export --db h.db --output e.csv --dry-run
expect 0 "absent" sh -c "test -e e.csv || echo absent"
expect 2 "is expected" "$assay" export --db h.db --since 99999999999999999d
expect 2 "is expected" "$assay" export --db h.db --since 2026-02-31
expect 0 " new, 0 known" "$assay" ingest base --db :memory:
expect 0 "h100" "$assay" history --db :memory:
mkdir mixed
cp base/* mixed/
mkfifo mixed/add.v9.f32.pipe.json
expect 0 " 0 files unusable" timeout 20 "$assay" ingest mixed --db h.db
mkfifo pipe
expect 0 "^timestamp" sh -c "cat pipe & '$assay' export --db h.db --output pipe && wait"
expect 0 "pipe" sh -c "test -p pipe && echo pipe"
expect 3 "No such file or directory: may the file and its folder be written" "$assay" ingest base --db missing/h.db
# Newest results of one case on more cards than anybody has: none is left out.
for i in $(seq 40); do
    mkdir -p "cards/$i"
    sed "s/nvidia-h100-80gb-hbm3/card-$i/" base/add.v4_optimized.f32.large.json >"cards/$i/add.v4_optimized.f32.large.json"
done
expect 0 "40 new" "$assay" ingest cards --db cards.db
for format in bencher github-action-benchmark google-benchmark; do
    expect 0 "large/cold@card-40" "$assay" export --db cards.db --format $format
    [ "$(grep -c 'large/hot@card-[0-9]*"[:,]' out.txt)" -ge 40 ] || { echo "FAILED: cards are missing from $format"; failures=$((failures + 1)); }
done
commit=$("$assay" history --db h.db | awk 'NR == 2 { print $1 }')
expect 1 "commit $commit" "$assay" compare "$commit" slower --db h.db
if command -v git >/dev/null; then # a subject longer than is kept, cut within a character
    git init -q tree
    subject=x$(awk 'BEGIN { for (i = 0; i < 200; i++) printf "\303\251" }')
    git -C tree -c user.name=n -c user.email=e -c commit.gpgsign=false commit -q --allow-empty -m "$subject"
    hash=$(git -C tree rev-parse HEAD)
    mkdir committed
    for file in base/*; do sed "s/\"commit\": *\"[0-9a-f]*\"/\"commit\":\"$hash\"/" "$file" >"committed/${file##*/}"; done
    expect 0 " new, 0 known" "$assay" ingest committed --db g.db --source tree
    expect 0 "$hash" "$assay" history --db g.db --json
fi
expect 2 "begins with" "$assay" compare fffff slower --db h.db
expect 2 "not a database" sh -c "echo 'this is no database at all, but a text' >t.db; '$assay' export --db t.db"

[ "$failures" -eq 0 ] || echo "$failures failed"
[ "$failures" -eq 0 ]
