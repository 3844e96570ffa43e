#!/bin/sh
# assay archive, merge and experience as commands. Usage: cli_test.sh ASSAY
set -u
assay=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/assay-search-XXXXXX")
trap 'rm -rf "$work"' EXIT
failures=0

# expect STATUS PATTERN ARGUMENT...: run assay; its status, and a line of its output that matches.
expect() {
    status=$1 pattern=$2
    shift 2
    said=$("$assay" "$@" 2>&1)
    got=$?
    if [ "$got" -ne "$status" ] || ! printf '%s\n' "$said" | grep -q -- "$pattern"; then
        printf 'assay %s: status %s, expected %s and "%s":\n%s\n' "$*" "$got" "$status" "$pattern" "$said"
        failures=$((failures + 1))
    fi
}

cat >"$work/space.t4.json" <<'END'
{"results": [
 {"configuration": {"A": 1, "B": "row"}, "times": {"compilation_time": 2}, "invalidity": "correct", "measurements": [{"name": "time", "value": 0.5, "unit": "ms"}]},
 {"configuration": {"A": 2, "B": "row"}, "times": {"compilation": 3}, "invalidity": "correct", "measurements": [{"name": "time", "value": 0.25, "unit": "ms"}]},
 {"configuration": {"A": 2, "B": "column"}, "invalidity": "compile", "measurements": []}]}
END

# The archive.
expect 2 'best, history, stats, export or import' archive
expect 2 'is expected, not "worst"' archive worst
expect 2 'one argument too many' archive best more
expect 2 'csv, json or t4' archive export --format xml --db "$work/a.db"
expect 3 'No such file' archive best --db "$work/none.db"
expect 0 '^3 candidates added' archive import "$work/space.t4.json" --op sum --variant v1 --dtype f32 --size small --db "$work/a.db"
expect 0 '^0 candidates added' archive import "$work/space.t4.json" --op sum --variant v1 --dtype f32 --size small --db "$work/a.db"
expect 0 ' 250.000 us .*success .*A=2,B=row' archive best --db "$work/a.db" --limit 1
expect 0 'failed_compile .*A=2,B=column' archive history --db "$work/a.db" --limit 3
expect 0 '^3 attempts in 1 runs, 66.7% success' archive stats --db "$work/a.db"
expect 0 '"success_rate": 0.66' archive stats --db "$work/a.db" --json
expect 0 '^no candidate matches' archive best --db "$work/a.db" --op other
expect 0 '^\[\]$' archive best --db "$work/a.db" --op other --json
expect 0 ',sum.v1.f32.small,0.25,,success,"{""A"":2,""B"":""row""}"' archive export --db "$work/a.db"
expect 0 '' archive export --format t4 --output "$work/out.json" --db "$work/a.db"
grep -q '"compilation_time":2.0,"compilation":2.0' "$work/out.json" || { echo "no T4: $(cat "$work/out.json")"; failures=1; }
[ ! -e "$work/out.json.part" ] || { echo "a temporary file is left"; failures=1; }

# Merging.
expect 2 'archives to merge are missing' merge --db "$work/b.db"
expect 0 '1 runs and 3 candidates added' merge "$work/a.db" --db "$work/b.db"
expect 0 '0 runs and 0 candidates added; 1 runs and 3 candidates were known' merge "$work/a.db" --db "$work/b.db"
echo 'this is a text that is long enough to be no database at all' >"$work/text"
expect 2 'no archive' merge "$work/text" --db "$work/b.db"
expect 0 '250.000 us' archive best --db "$work/b.db"

# Experience.
ASSAY_EXPERIENCE=$work/experience.db
export ASSAY_EXPERIENCE
expect 2 'add, recommend' experience
expect 2 'kind: there is no "mat"; allowed: matmul' experience recommend --kind mat
expect 2 'outcome: there is no "bad"; allowed: success' experience list --outcome bad
expect 0 '^1\. ' experience recommend --kind any --limit 1
expect 2 '"kind" is missing' experience add --strategy "x" --outcome success --bottleneck memory
expect 2 '"outcome" is "great"; allowed' experience add --kind row --strategy "x" --outcome great --bottleneck memory
expect 0 '^added' experience add --kind row --bottleneck memory --strategy "Do it twice" --outcome success --effect 1.25 --source "a test"
expect 0 '^known already' experience add --kind row --bottleneck memory --strategy "Do it twice" --outcome success --effect 1.25 --source "a test"
expect 0 'success 1.25x .*Do it twice' experience search twice
expect 0 '^1\. ' experience recommend --kind matmul --bottleneck compute --limit 2
expect 0 'score [0-9.]*: [0-9]* successes' experience recommend --kind matmul --bottleneck compute --limit 2
expect 0 "^- Do it twice. Faster in 1, the same in 0, slower in 0; 1.25x in the mean. Against memory on any" experience learned
expect 0 '^own: 1' experience stats
expect 0 '0 entries received, 1 sent' experience sync "$work/shared.jsonl"
expect 0 '^1 entries added, 0 were known' experience merge "$work/shared.jsonl" --db "$work/other.db"
expect 0 '^0 entries added, 1 were known' experience merge "$work/shared.jsonl" --db "$work/other.db"
echo '{"kind": 3}' >"$work/broken.jsonl"
expect 2 'line 1: "backend" is missing' experience merge "$work/broken.jsonl"

exit "$failures"
