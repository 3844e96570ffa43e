#!/bin/sh
# What every command prints with --json is as `assay schema COMMAND` says: real output of each is held against its schema, and no command
# is left out. Usage: schema_test.sh ASSAY MAKE_RESULTS BUILD SOURCE_TREE
set -u
assay=$1 make_results=$2 build=$3 source=$4
failed=0 tried=' '
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "$*"
    failed=1
}

# hold STATUSES COMMAND OPTION...: run it with --json; its output must be as its schema says, its exit status one of the list.
hold() {
    statuses=$1 command=$2
    shift
    "$assay" "$@" --json >"$scratch/out" 2>"$scratch/messages"
    status=$?
    tried="$tried$command "
    case ",$statuses," in *",$status,"*) ;; *) fail "assay $*: status $status: $(cat "$scratch/messages")" ;; esac
    [ "$status" -eq 77 ] && [ ! -s "$scratch/out" ] && return # skipped, for the reason on standard error
    "$assay" schema "$command" --check "$scratch/out" || fail "assay $*: its output is not what its schema says"
}

"$make_results" "$build" "$scratch/card" || exit 3
cp -r "$scratch/card" "$scratch/other"
hold 0 list --op add
hold 0 env
hold 0 schema
hold 0,2 report "$scratch/card" --no-plots --logs "$scratch/logs" --plots "$scratch/plots"
hold 0 report "$scratch/card" --table
hold 0 report "$scratch/card" --compact "$scratch/kept"
hold 0,1 targets "$scratch/card"
hold 0,77 resources
hold 0 compare "$scratch/card" "$scratch/other"
hold 0,2 ingest "$scratch/card" --db "$scratch/history.db"
hold 0 history --db "$scratch/history.db"
hold 0 export --db "$scratch/history.db"
hold 0 dashboard --db "$scratch/history.db" --out "$scratch/site"
mkdir "$scratch/ops"
hold 0 new-op schema_test_op --dir "$scratch/ops"
hold 0 new-variant add schema_test_variant --dry-run
hold 0 experience list --db "$scratch/experience.db"
hold 0 experience stats --db "$scratch/experience.db"
hold 0 experience recommend --kind row --db "$scratch/experience.db"
hold 0,1,77 sanitize --op add --variant v1 --dtype f32
"$assay" verify --dry-run >/dev/null 2>&1
device=$?
if [ "$device" -ne 77 ]; then
    hold 0 verify add --source "$source/ops/add/v1_baseline.cu" --dtype f32 --size small
    hold 1 verify add --source "$source/tests/wrong_kernels/does_not_compile.cu" --dtype f32 --size small
    hold 0 bench add --source "$source/ops/add/v1_baseline.cu" --dtype f32 --size small --quick
    hold 0 optimize "$source/ops/add/v1_baseline.cu" --ref add --out "$scratch/run" --iterations 1 --dtype f32 --size small \
        --repetitions 2 --sample-ms 0.1 --warmup-ms 0
    hold 1 generate F.add --provider 'exit 1' --out "$scratch/made" --dtype f32 --size small --quick
    hold 0 bench add --variant v1 --dtype f32 --size small --quick --no-verify --baselines none
fi

# A schema for each command, and a test of each: a new command is noticed.
for command in $("$assay" help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    # mcp speaks JSON-RPC; run prints what another program prints.
    case $command in mcp | run) continue ;; esac
    "$assay" schema "$command" >/dev/null 2>&1 || fail "assay $command has no schema in cli/schemas/"
    # These need a search, a sweep or a profile first, which take minutes, or nvcc (tests/counts/): only that they have a schema is held
    # here.
    case $command in tune | sweep | archive | merge | profile | count) continue ;; esac
    case $tried in *" $command "*) ;; *) [ "$device" -eq 77 ] || fail "nothing here runs assay $command --json" ;; esac
done

# The check can fail.
echo '{"device": "cpu", "cases": [{"name": 1}]}' | "$assay" schema list --check - 2>/dev/null
[ $? -eq 1 ] || fail "a wrong document is taken for a list"
echo '{' | "$assay" schema list --check - 2>/dev/null
[ $? -eq 2 ] || fail "what is no JSON is not refused"
"$assay" schema nothing 2>/dev/null
[ $? -eq 2 ] || fail "a schema of an unknown command"
exit "$failed"
