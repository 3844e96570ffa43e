#!/bin/sh
# check_calls_test.sh FOLDER COMPILER: two files that use each other are found, and a third that only uses them is not named.
check=$(cd "$(dirname "$0")" && pwd)/check_calls.sh
rm -rf "$1" && mkdir -p "$1/part" && cd "$1" || exit 1

echo 'int two(void); int three(void); int one(void) { return three(); } int alone(void) { return two(); }' > part/a.c
echo 'int one(void); int two(void) { return one(); }' > part/b.c
echo 'int three(void) { return 3; }' > part/c.c
echo 'int two(void); int top(void) { return two(); }' > part/d.c
{
  for file in a b c d; do
    "$2" -c "part/$file.c" -o "$file.o" || exit 1
    printf '  "command": "cc -o %s.o -c %s/part/%s.c",\n  "file": "%s/part/%s.c"\n' $file "$PWD" $file "$PWD" $file
  done
} > compile_commands.json
said=$(sh "$check" "$PWD" . part) && { echo "accepted: a.c and b.c use each other"; exit 1; }
expected='circle of calls: part/a.c uses of part/b.c: two
circle of calls: part/b.c uses of part/a.c: one'
[ "$(echo "$said" | sort)" = "$expected" ] || { echo "expected: $expected"; echo "$said"; exit 1; }
sh "$check" "$PWD" . other; [ $? -eq 77 ] || { echo "files outside of the folders asked for were looked at"; exit 1; }
