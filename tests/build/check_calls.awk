# Finds circles of calls between the files of a folder: a.c uses what b.c defines, and b.c what a.c defines.
#
#   awk -f check_calls.awk -v "folders=core verify" compile_commands.json SYMBOLS        (SYMBOLS: what nm -A says of the objects)
#
# A symbol that several files define (main, an op's entry) says nothing about whom a file uses. Exit status: 0, 1 a circle, 77 no symbols of
# these folders, so that nothing was checked.

BEGIN {
  for (i = split(folders, names, " "); i > 0; i--)
    no_circles[names[i]] = 1
}

# The folder of the list that a file lies in, or "".
function folder_of(path,    part) {
  for (part = path; sub("/[^/]*$", "", part);)
    if (part in no_circles)
      return part
  return ""
}

FNR == 1 { reads_commands = (FILENAME ~ /compile_commands[.]json$/) }

# "command" stands before "file".
reads_commands {
  if (/^ *"command": "/)
    object = match($0, / -o [^ ]+[.]o -c /) ? substr($0, RSTART + 4, RLENGTH - 8) : ""
  else if (/^ *"file": "/) {
    sub(/^ *"file": "/, "")
    sub(/",?$/, "")
    file = index($0, source "/") == 1 ? substr($0, length(source) + 2) : ""
    if (object != "" && folder_of(file) != "")
      source_of[object] = file
  }
  next
}

# "object:address T name" or "object:        U name"
{
  at = index($0, ".o:")
  object = substr($0, 1, at + 1)
  if (!(object in source_of))
    next
  file = source_of[object]
  read_any = 1
  kind = $(NF - 1)
  if (kind == "U")
    uses[file, $NF] = 1
  else if (kind ~ /^[TDBRG]$/) {
    if (!($NF in owner))
      owner[$NF] = file
    else if (owner[$NF] != file)
      owner[$NF] = "several"
  }
}

# Whether uses lead from one file to another. A file that was seen before is not looked at again.
function reaches(from, to,    i, count, next_files) {
  if (from == to)
    return 1
  if (from in seen)
    return 0
  seen[from] = 1
  count = split(used_by[from], next_files, " ")
  for (i = 1; i <= count; i++)
    if (reaches(next_files[i], to))
      return 1
  return 0
}

END {
  if (!read_any) {
    print "skipped: no objects of these folders"
    exit 77
  }
  for (u in uses) {
    split(u, end, SUBSEP)
    to = (end[2] in owner) ? owner[end[2]] : "several"
    if (to == "several" || to == end[1] || folder_of(to) != folder_of(end[1]))
      continue
    if (!((end[1], to) in edges))
      used_by[end[1]] = used_by[end[1]] " " to
    edges[end[1], to] = edges[end[1], to] " " end[2]
  }
  for (e in edges) {
    split(e, end, SUBSEP)
    delete seen
    if (reaches(end[2], end[1])) {
      print "circle of calls: " end[1] " uses of " end[2] ":" edges[e]
      wrong = 1
    }
  }
  exit wrong
}
