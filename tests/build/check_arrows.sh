#!/bin/sh
# check_arrows.sh SOURCE_TREE: holds the includes of a source tree to the arrows of its docs/architecture.md.
here=$(cd "$(dirname "$0")" && pwd)
cd "$1" || exit 1
find . \( -path ./build -o -path './build-*' -o -path ./tests -o -path ./examples -o -path './.*' \) -prune -o \
  -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print | sed 's|^\./||' |
  xargs awk -f "$here/check_arrows.awk" docs/architecture.md
