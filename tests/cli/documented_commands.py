"""Every command that README.md, docs/, skills/ and the recipes under docs/ci tell a reader to type names what exists: subcommands and options of
assay, ctest's options and the labels of tests, CMake's presets and Assay's own variables, ./run's jobs and environment, and scripts.

usage: documented_commands.py SOURCE BUILD ASSAY CTEST CMAKE"""

import functools
import pathlib
import re
import shlex
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

SEPARATORS = re.compile(r"^[;&|()<>]+$")
WORDS_BEFORE_A_COMMAND = {"if", "then", "else", "do", "!", "{", "while", "env", "nice", "time", "exec"}


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode == 0 else ""


def fenced(text):
    """The shell blocks of a Markdown text."""
    return re.findall(r"^ *```(?:sh|bash|console)\n(.*?)^ *```", text, re.M | re.S)


def inline(text):
    """Whole commands between backticks: `assay bench --quick`, but not the bare name of a program."""
    outside = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
    return [code for code in re.findall(r"`([^`\n]+)`", outside) if re.match(r"(\S*/)?(assay|ctest|cmake|run) \S", code)]


def scripts_of_recipe(path):
    recipe = yaml.safe_load(path.read_text())
    jobs = recipe.get("jobs", recipe)
    for job in jobs.values():
        if isinstance(job, dict):
            yield from (step["run"] for step in job.get("steps", []) if "run" in step)
            yield from job.get("script", [])


def commands(text):
    """The simple commands of a shell text as lists of words, assignments in front included."""
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"\$\(([^()]*)\)", r" ; \1 ; ", text)  # a substitution is a command of its own
    for line in text.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:  # a quotation over several lines, or prose
            continue
        command = []
        for word in words + [";"]:
            if SEPARATORS.match(word):
                if command:
                    yield command
                command = []
            elif command or word not in WORDS_BEFORE_A_COMMAND:
                command.append(word)


class Checker:
    def __init__(self, source, build, assay, ctest, cmake):
        self.source, self.assay = source, assay
        self.problems, self.seen = [], {}
        self.run_help = output(source / "run", "help") + output(source / "cmake/bundle-run", "help")  # a bundle has a ./run of its own
        self.ctest_help = output(ctest, "--help")
        self.presets = {}
        for kind in ("configure", "build", "test", "workflow"):
            done = subprocess.run([cmake, f"--list-presets={kind}"], cwd=source, capture_output=True, text=True)
            self.presets[kind] = set(re.findall(r'^ +"([^"]+)"', done.stdout, re.M))
        self.cache = set(re.findall(r"^([A-Z_]+):", (build / "CMakeCache.txt").read_text(), re.M))
        self.labels, text = set(output(ctest, "--test-dir", build, "--print-labels").split()), ""
        for path in [*source.glob("cmake/*.cmake"), *source.glob("**/CMakeLists.txt")]:
            text += path.read_text() if "build" not in path.relative_to(source).parts else ""
        for labels in re.findall(r'LABELS\s+"?([\w;]+)', text):
            self.labels |= set(labels.split(";"))

    @functools.cache
    def options_of(self, subcommand):
        return set(re.findall(r"--[a-z][a-z-]*|(?<=[ ,])-[A-Za-z?](?=[ ,])", output(self.assay, subcommand, "--help")))

    def fail(self, where, command, why):
        self.problems.append(f"{where}: {' '.join(command)[:160]}: {why}")

    def check(self, where, command):
        while command and re.match(r"^[A-Za-z_]\w*=", command[0]):
            name = command[0].split("=")[0]
            if name.startswith("ASSAY_") and len(command) > 1 and "run" in command[1] and name not in self.run_help:
                self.fail(where, command, f"./run knows no {name}")
            if name == "ASSAY_CMAKE_FLAGS":
                self.check_variables(where, command, command[0].split("=", 1)[1].split())
            command = command[1:]
        if not command:
            return
        program = command[0].rsplit("/", 1)[-1].lstrip("$")
        kind = {"assay": self.check_assay, "ctest": self.check_ctest, "cmake": self.check_cmake}.get(program)
        if command[0] in ("./run", "run") and len(command) > 1:
            kind = self.check_run
        elif command[0].endswith(".sh") and not command[0].startswith("/"):
            kind = self.check_script
        if kind:
            self.seen[program] = self.seen.get(program, 0) + 1
            kind(where, command)

    def check_assay(self, where, command):
        if len(command) < 2 or not re.match(r"^[a-z][a-z-]*$", command[1]):
            return  # `assay --version`, `assay COMMAND`
        known = self.options_of(command[1])
        if not known:
            self.fail(where, command, "no such subcommand")
            return
        for word in command[2:]:
            if re.match(r"^--?[A-Za-z]", word) and word.split("=")[0] not in known:
                self.fail(where, command, f"assay {command[1]} has no {word}")

    def check_ctest(self, where, command):
        for word, following in zip(command[1:], command[2:] + [""]):
            option = word.split("=")[0]
            if re.match(r"^--[a-z]", word) and not re.search(re.escape(option) + r"\b", self.ctest_help):
                self.fail(where, command, f"ctest has no {word}")
            if word in ("-L", "--label-regex", "-LE"):
                for label in following.strip("^$()").split("|"):
                    if label not in self.labels and where.name != "outside.md":  # an op of the reader's own
                        self.fail(where, command, f"no test has the label {label}")
            if word == "--preset" and following not in self.presets["test"]:
                self.fail(where, command, f"no test preset {following}")

    def check_cmake(self, where, command):
        kind = "build" if "--build" in command else "workflow" if "--workflow" in command else "configure"
        for word, following in zip(command[1:], command[2:] + [""]):
            if word == "--preset" and re.match(r"^[a-z]", following) and following not in self.presets[kind]:
                self.fail(where, command, f"no {kind} preset {following}")
        self.check_variables(where, command, command[1:])

    def check_variables(self, where, command, words):
        for word in words:
            variable = re.match(r"^-D(ASSAY_[A-Z_]+)[:=]", word)
            if variable and variable[1] not in self.cache:
                self.fail(where, command, f"CMake's cache has no {variable[1]}")

    def check_run(self, where, command):
        if not re.match(r"^[A-Z\[]|^\.", command[1]) and not re.search(rf"^  {re.escape(command[1])} ", self.run_help, re.M):
            self.fail(where, command, f"./run has no job {command[1]}")

    def check_script(self, where, command):
        if not (self.source / command[0]).is_file() and not list(self.source.glob("*/" + command[0])):
            self.fail(where, command, "no such script")


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    assay, ctest, cmake = sys.argv[3:]
    checker = Checker(source, build, assay, ctest, cmake)
    texts = [(path.relative_to(source), fenced(path.read_text()) + inline(path.read_text()))
             for path in [source / "README.md", *sorted(source.glob("docs/**/*.md")), *sorted(source.glob("skills/**/*.md"))]]
    texts.append((pathlib.Path("docs/ci/gate.sh"), [(source / "docs/ci/gate.sh").read_text()]))
    if yaml:
        texts += [(path.relative_to(source), list(scripts_of_recipe(path))) for path in sorted(source.glob("docs/ci/*.yml"))]
    else:
        print("the recipes are left out: the Python module yaml is not here (apt-get install python3-yaml)")
    skills = sorted(source.glob("skills/*/SKILL.md"))
    for skill in skills:
        head = re.match(r"---\nname: ([a-z-]+)\ndescription: (.+)\n---\n", skill.read_text())
        if not head or head[1] != skill.parent.name:
            checker.problems.append(f"{skill.relative_to(source)}: it must begin with its name, that of its folder, and a description")
        for link in re.findall(r"\]\(([^):#]+)\)", skill.read_text()):
            if not (skill.parent / link).is_file():
                checker.problems.append(f"{skill.relative_to(source)}: {link} is not there")
    if not skills:
        checker.problems.append("skills/ has no SKILL.md")
    for where, blocks in texts:
        for block in blocks:
            for command in commands(block):
                checker.check(where, command)
    print(", ".join(f"{count} of {name}" for name, count in sorted(checker.seen.items())))
    for problem in checker.problems:
        print("FAIL", problem)
    if checker.seen.get("assay", 0) < 20 or checker.seen.get("ctest", 0) < 3 or checker.seen.get("run", 0) < 3:
        print("FAIL so few commands were found that the reading of the documents must be wrong")
        return 1
    return 1 if checker.problems else 0


sys.exit(main())
