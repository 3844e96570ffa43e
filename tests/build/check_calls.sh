#!/bin/sh
# check_calls.sh SOURCE_TREE BUILD_FOLDER FOLDERS...: no two files of one of these folders use each other, as the symbols of the objects say
# that the build made so far. Exit status 77 where there is nothing to read: no compile_commands.json, or no objects where it says.
here=$(cd "$(dirname "$0")" && pwd)
source=$1
cd "$2" || exit 1
shift 2
[ -f compile_commands.json ] && command -v "${NM:-nm}" > /dev/null || { echo "skipped: no compile_commands.json, or no nm"; exit 77; }
sed -nE 's/^ *"command": ".* -o ([^ ]+[.]o) -c .*/\1/p' compile_commands.json | while read -r object; do
  [ ! -f "$object" ] || printf '%s\n' "$object"
done | xargs -d '\n' "${NM:-nm}" -A 2> /dev/null | awk -v "source=$source" -v "folders=$*" -f "$here/check_calls.awk" compile_commands.json -
