#!/bin/sh
# The dashboard's pages in headless Chromium: browser_test.sh ASSAY MAKE_HISTORY MAKE_RESULTS BUILD. Prints every
# check.
set -u
assay=$1 make_history=$2 make_results=$3 build=$4
harness=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/dashboard/chromium.sh
. "$harness/chromium.sh"
folder=$(mktemp -d "${TMPDIR:-/tmp}/assay-browser-XXXXXX") || exit 3
trap 'rm -rf "$folder"' EXIT
failed=0

logs=$folder/logs
"$make_results" "$build" "$folder/card" || exit 3
"$assay" report --build "$build" "$folder/card" --logs "$logs" --plots "$folder/plots" >/dev/null || exit 3
"$make_history" "$folder/history.db" 50 4 0.004 || exit 3
"$assay" dashboard --db "$folder/history.db" --out "$folder/site" --logs "$logs" || exit 3
"$make_history" "$folder/methods.db" 40 1 0.004 methods || exit 3
"$assay" dashboard --db "$folder/methods.db" --out "$folder/site/methods" --logs "$logs" || exit 3

# expect PAGE CHECKS WIDTH [HASH [FLAG...]]: virtual time does not wait for frames, so on a busy machine it may be used up before what
# waits for one is drawn. What is wrong stays wrong: a check counts as failed when it failed three times.
expect() {
    page=$1 checks=$2 width=$3 hash=${4:-}
    if [ $# -lt 4 ]; then shift 3; else shift 4; fi
    printf -- '-- %s %s at %s %s\n' "$page" "$checks" "$width" "$hash"
    for _ in 1 2 3; do
        browse "$folder" --allow-file-access-from-files --virtual-time-budget=20000 --window-size=1400,2100 "$@" --dump-dom \
            "file://$harness/harness.html?checks=$checks&width=$width&hash=$hash&page=file://$folder/site/$page" >"$folder/dom.html"
        sed -n '/<pre id="report">/,/<\/pre>/p' "$folder/dom.html" | sed 's/.*<pre id="report">//; s/<\/pre>.*//' >"$folder/report"
        if grep -q '^done' "$folder/report" && ! grep -q '^FAIL' "$folder/report"; then
            cat "$folder/report"
            return
        fi
        sed 's/^FAIL/not yet/' "$folder/report"
    done
    failed=1
    grep '^FAIL' "$folder/report"
    grep -q '^done' "$folder/report" || { echo "FAIL the checks did not come to their end"; tail -n 5 "$folder/chromium.log"; }
}

dark=--blink-settings=preferredColorScheme=0
expect index.html best 1280
expect index.html best 390
expect cases.html overview 1280
expect cases.html overview 390
expect op-gelu.html op 1280
expect op-gelu.html op 390
expect op-add.html linked 390 '%23case%3Dv4_optimized.bf16.large.ieee'
expect op-add.html dark 1280 '%23case%3Dv4_optimized.bf16.large.ieee' $dark
expect index.html dark 390 '' $dark
expect environment.html everyPage 390
expect environment.html dark 1280 '' $dark
expect methods/cases.html overviewOfMethods 1280
expect methods/index.html everyPage 390
expect methods/op-add.html opOfMethods 1280
expect methods/op-add.html opOfMethods 390
# The label of an earlier method, as a part of a link.
earlier=$("$assay" export --db "$folder/methods.db" --format bencher | sed -n 's/.*cold (\(earlier .*\))@.*/\1/p' | head -n 1 | sed 's/ /%20/g')
expect methods/op-add.html linkedMethod 390 "%23case%3Dv1_baseline.f32.small.ieee.$earlier"
for log in "$folder"/site/log-*-softmax.html "$folder"/site/log-example-gpu.html; do
    expect "$(basename "$log")" everyPage 390
    expect "$(basename "$log")" dark 1280 '' $dark
done

# Every link and source between the pages leads to a file.
for page in "$folder"/site/*.html; do
    grep -o '\(href\|src\)="[^"]*"' "$page" | sed 's/.*="\([^"#]*\).*/\1/' | grep -v '^data:\|^https\?:\|^$' | sort -u |
        while read -r target; do
            [ -e "$folder/site/$target" ] || echo "FAIL $(basename "$page"): $target is not there"
        done
done >"$folder/links"
cat "$folder/links"
[ ! -s "$folder/links" ] || failed=1
exit $failed
