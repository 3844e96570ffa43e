#!/bin/sh
# Every option that a subcommand lists in --help is also understood: each is given once, followed by --help, which ends the
# command with status 0 before it does anything. Usage: options_test.sh ASSAY
set -u
assay=$1
failed=0 tried=0

# A value that each option taking one accepts.
value_of() {
    case $1 in
    --flush) echo memset ;;
    --modes) echo cold ;;
    --baselines) echo none ;;
    --build | --golden | --compact | --logs | --plots | --source) echo /tmp ;;
    --ref) echo reference.c ;;
    --protocol) echo adaptive ;;
    --allow) echo driver ;;
    --significance) echo 0.05 ;;
    --lock-clocks) echo 1000 ;;
    --format) echo bencher ;;
    --since | --until) echo 30d ;;
    --commit-url) echo https://example.org/ ;;
    --op) echo add ;;
    --variant) echo v1 ;;
    --dtype) echo f32 ;;
    --size) echo small ;;
    *) echo 1 ;;
    esac
}

for command in list verify bench report env resources targets ingest history export compare dashboard new-op new-variant schema mcp optimize generate; do
    # Options are listed at the beginning of a line; elsewhere in the text one may be named in passing.
    for option in $("$assay" "$command" --help | grep -oE -- '^ {2,6}(-[A-Za-z], +)?--[a-z][a-z-]*(=[A-Za-z.]+)?' | sed 's/.*--/--/' | sort -u); do
        name=${option%%=*}
        case $name in --help | --usage) continue ;; esac
        tried=$((tried + 1))
        if [ "$name" = "$option" ]; then
            "$assay" "$command" "$name" --help >/dev/null 2>&1
        else
            "$assay" "$command" "$name=$(value_of "$name")" --help >/dev/null 2>&1
        fi || { echo "assay $command lists $name and does not understand it"; failed=$((failed + 1)); }
    done
done
echo "$tried options tried, $failed not understood"
[ "$tried" -gt 20 ] && [ "$failed" -eq 0 ]
