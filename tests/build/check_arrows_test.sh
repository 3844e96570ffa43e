#!/bin/sh
# check_arrows_test.sh FOLDER: a tree with an include against the arrows and with a circle of two files, and what must be said of it.
check=$(cd "$(dirname "$0")" && pwd)/check_arrows.sh
rm -rf "$1" && mkdir -p "$1/docs" "$1/low" "$1/middle" "$1/high" "$1/new" && cd "$1" || exit 1

cat > docs/architecture.md <<'END'
## Parts
- `low/`: the ground
- `middle/` <- `low/`: in between
- `high/` <- `beside/`, `middle/`: the top
END
echo '#include "low/a.h"' > high/b.c
echo '#include "low/a.h"' > middle/one.h
echo '#include "middle/one.h"' > middle/one.c
: > low/a.h

fails() { # WORDS: the check fails and says so
  said=$(sh "$check" .) && { echo "accepted: $1"; exit 1; }
  case $said in *"$1"*) ;; *) echo "expected: $1"; echo "$said"; exit 1 ;; esac
}

sh "$check" . || { echo "a tree without mistakes was refused"; exit 1; }
echo '#include "high/b.h"' > low/up.c
fails 'low/up.c:1: low/ may not use high/'
rm low/up.c
echo '#include "low/a.h"' > new/x.c
fails 'new/x.c:1: new/x.c lies in no folder'
rm new/x.c
echo '#include "middle/two.h"' >> middle/one.c
echo '#include "middle/one.h"' > middle/two.h
echo "int two;" > middle/two.c
fails 'circle of includes: middle/two uses middle/one'
rm middle/two.c # now two.h is a private header of one.c
sh "$check" . || { echo "a private header was taken for a circle"; exit 1; }
