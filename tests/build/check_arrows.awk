# Holds #include "folder/file.h" to the arrows of docs/architecture.md, and finds circles of includes.
#
#   awk -f check_arrows.awk docs/architecture.md FILES...       (from the root of the source tree)
#
# The list under "## Parts" of docs/architecture.md has the arrows, as in "- `low/`: text" and "- `high/` <- `low/`, `lower/`: text"; a folder
# may also use what those folders may use, and itself. A file belongs to the longest folder of the list that it lies in. For circles a .c and a .h of one name are one.

function folder_of(path,    part) {
  for (part = path; sub("/[^/]*$", "", part);)
    if (part in folders)
      return part
  return ""
}

function may_use(from, to,    next_folder) {
  if (from == to || index(to, from "/") == 1 || ((from, to) in arrows))
    return 1
  for (next_folder in folders)
    if (((from, next_folder) in arrows) && may_use(next_folder, to))
      return 1
  return 0
}

# "`ops/<op>/`" is ops
function folder_named(text) {
  sub(/^[^`]*`/, "", text)
  sub(/(\/<op>)?\/`$/, "", text)
  return text
}

function complain(text) {
  print text
  wrong = 1
}

FNR == 1 { file = FILENAME; stem = file; sub("[.][a-z]*$", "", stem); own = folder_of(file); if (file ~ /[.](c|cc|cu)$/) sources[stem] = 1 }

# The list of docs/architecture.md.
file ~ /architecture[.]md$/ {
  if (/^## /)
    in_list = ($0 == "## Parts")
  else if (in_list && match($0, /^- `[^`]*`/)) {
    from = folder_named(substr($0, 3, RLENGTH - 2))
    folders[from] = 1
    for (named = substr($0, RLENGTH + 1); match(named, /^( <-|,) `[^`]*`/); named = substr(named, RLENGTH + 1))
      arrows[from, folder_named(substr(named, 1, RLENGTH))] = 1
  }
  next
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
  split($0, part, "\"")
  target = part[2]
  if (index(target, "/") == 0 || target ~ /^assay\//) # beside the file, or the contract
    next
  to = folder_of(target)
  if (own == "")
    complain(file ":" FNR ": " file " lies in no folder of docs/architecture.md")
  else if (to == "") # relative to another folder, as a kernel's "common/..."
    next
  else if (!may_use(own, to))
    complain(file ":" FNR ": " own "/ may not use " to "/ (docs/architecture.md): " target)
  sub("[.][a-z]*$", "", target)
  if (target != stem) {
    stems[stem] = stems[target] = 1
    edges[stem, target] = 1
  }
}

# The stem that a stem belongs to: a header without a source, which includes X.h and is included by X.c, is a private header of X.
function owner(name,    steps) {
  for (steps = 0; (name in part_of) && steps < 9; steps++)
    name = part_of[name]
  return name
}

# Take away what has no edge on one side ("from" or "to"); returns how many were taken.
function trim(side,    s, e, taken, has) {
  delete has
  for (e in uses) {
    split(e, end, SUBSEP)
    if ((end[1] in stems) && (end[2] in stems))
      has[end[side]] = 1
  }
  for (s in stems)
    if (!(s in has)) { delete stems[s]; taken++ }
  return taken
}

END {
  for (e in edges) {
    split(e, end, SUBSEP)
    if (((end[2], end[1]) in edges) && !(end[2] in sources))
      part_of[end[2]] = end[1]
  }
  for (e in edges) {
    split(e, end, SUBSEP)
    if (owner(end[1]) != owner(end[2]))
      uses[owner(end[1]), owner(end[2])] = 1
  }
  while (trim(1) + trim(2))
    ;
  for (e in uses) {
    split(e, end, SUBSEP)
    if ((end[1] in stems) && (end[2] in stems))
      complain("circle of includes: " end[1] " uses " end[2])
  }
  exit wrong
}
