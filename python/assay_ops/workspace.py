"""A build of Assay: which of its kernels is used for an op and dtype. Knows nothing of torch.

A kernel is offered if its module was compiled, it has a verdict, and every verdict on this source is a pass. Of these the fastest is taken,
by the times of `assay report --table --json`; where nothing is timed, the last step (v4 before v3d before v3).
"""

import json
import math
import os
import pathlib
import shutil
import subprocess


class Unavailable(Exception):
    """Why there is no kernel, one line."""


class Choice:
    """The kernel for an op and dtype: `variant`, `library` (path of the module), `timed` (number of sizes it was compared at)."""

    def __init__(self, variant, library, timed):
        self.variant, self.library, self.timed = variant, library, timed


def _step(variant):
    """Order of steps: later ones are the faster ones, and what is written in Triton beside the ladder is no step of it."""
    return not variant.endswith("_triton"), variant


def fastest(rows, variants):
    """(variant, sizes compared). `rows`: results of one op and dtype as `assay report --table --json` lists them.

    Compared are the variants that are timed at the most sizes, by the geometric mean of their cold times there: a mean of ratios does not
    let the largest size decide alone."""
    times = {}
    for row in rows:
        mean = row["modes"].get("cold", {}).get("mean_us")
        if row["name"] in variants and row["status"] == "ok" and mean:
            times.setdefault(row["name"], {})[row["size"]] = mean
    if not times:
        return max(variants, key=_step), 0
    most = max(len(sizes) for sizes in times.values())
    full = {name: sizes for name, sizes in times.items() if len(sizes) == most}
    common = set.intersection(*(set(sizes) for sizes in full.values()))
    if not common:
        return max(full, key=_step), 0
    return min(full, key=lambda name: sum(math.log(full[name][size]) for size in common)), len(common)


class Workspace:
    """`build`: a configured build folder, or an unpacked bundle, of Assay. ValueError: none there."""

    def __init__(self, build):
        self.build = pathlib.Path(build).absolute()
        try:
            self.about = json.loads((self.build / "assay.json").read_text())
            self.device = self.about["device"]
            self.modules, self.results, self.libexec = (self.folder(key) for key in ("modules", "results", "libexec"))
            self.ops = {op["name"]: (self.build / op["directory"], self.build / op["reference"]) for op in self.about["ops"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError("%s is no build folder of Assay (assay.json: %s); name one by ASSAY_BUILD or assay_ops.use()"
                             % (self.build, error)) from None
        self._rows = None

    def folder(self, key):
        return self.build / self.about[key]

    def choose(self, op, dtype):
        """The Choice for an op and dtype, or Unavailable."""
        if op not in self.ops:
            raise Unavailable("this build has no op %s" % op)
        reasons, offered = [], {}
        for path in sorted(self.modules.glob("%s.*.%s.json" % (op, dtype))):
            record = _read(path)
            variant = record.get("variant", path.name.split(".")[1])
            reason = self._objection(record, op, variant, dtype)
            if reason:
                reasons.append("%s %s" % (variant, reason))
            else:
                offered[variant] = path.parent / record["library"]
        if not offered:
            raise Unavailable("no verified kernel for %s: %s" % (dtype, "; ".join(reasons) or "none is built"))
        rows = [row for row in self._timed_rows() if row["op"] == op and row["dtype"] == dtype]
        variant, timed = fastest(rows, sorted(offered))
        return Choice(variant, offered[variant], timed)

    def _objection(self, record, op, variant, dtype):
        """Why a module is not offered; None if it is."""
        if record.get("status") != "ok":
            return "does not compile"
        if record.get("device") != self.device:
            return "is for the device %s" % record.get("device")
        verdicts = [_read(path) for path in self.results.glob("*/verify/%s.%s.%s.*.json" % (op, variant, dtype))]
        verdicts = [verdict for verdict in verdicts if verdict.get("source_sha256") == record.get("source_sha256")]
        wrong = [verdict for verdict in verdicts if verdict.get("status") not in ("pass", "skipped")]
        if wrong:
            return "is wrong at size %s" % wrong[0].get("size")
        if not any(verdict.get("status") == "pass" for verdict in verdicts):
            return "is not verified (assay verify --op %s)" % op
        return None

    def _timed_rows(self):
        """Results that the command reads; a build without them, or without the command, has none."""
        if self._rows is None:
            self._rows = []
            command = self.libexec / "assay"
            command = str(command) if os.access(command, os.X_OK) else shutil.which("assay")
            if command and self.results.is_dir():
                told = subprocess.run([command, "report", "--table", "--json", "--build", str(self.build)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
                try:
                    self._rows = json.loads(told.stdout)["results"]
                except (ValueError, KeyError):
                    pass
        return self._rows


def _read(path):
    """A JSON object; {} where there is none, which no rule above takes for a good one."""
    try:
        value = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
