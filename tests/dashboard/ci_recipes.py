"""Checks the recipes under docs/ci: they parse, every script in them passes shellcheck, none mixes an expression of GitHub into a script
(where a branch's name could run as code), every file that a job keeps is one that its scripts write, no run of the main branch is cancelled
for a newer one, and they keep the schemas of GitHub and GitLab that check-jsonschema carries. Where actionlint is on PATH, it is asked
about those of GitHub.

usage: ci_recipes.py FOLDER CHECK_JSONSCHEMA    exit status 77 if something needed is missing"""

import pathlib
import re
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: the Python module yaml is not here (apt-get install python3-yaml)")
    sys.exit(77)


def scripts(name, recipe):
    """(where, text) of each script of a recipe."""
    if name.startswith("github"):
        for job, body in recipe["jobs"].items():
            for number, step in enumerate(body["steps"]):
                if "run" in step:
                    yield f"{job}, step {number + 1}", step["run"]
    else:
        for job, body in recipe.items():
            if isinstance(body, dict) and "script" in body:
                yield job, "\n".join(body["script"]) + "\n"


def kept(recipe):
    """(job, path, text of its scripts) of each file that a job keeps as an artifact."""
    for job, body in recipe.get("jobs", recipe).items():
        if not isinstance(body, dict) or not {"steps", "script"} & body.keys():
            continue
        steps = body.get("steps", [])
        text = "\n".join([step.get("run", "") for step in steps] + body.get("script", []))
        paths = [line for step in steps if "upload-artifact" in step.get("uses", "") for line in step["with"]["path"].split("\n")]
        artifacts = body.get("artifacts", {})
        paths += artifacts.get("paths", []) + list(artifacts.get("reports", {}).values())
        yield from ((job, path, text) for path in paths if path)


def keeps_runs_of_main(name, recipe):
    """Of the runs that wait in one concurrency group, GitHub keeps the newest; GitLab cancels what a newer pipeline of a branch makes
    redundant unless it is told not to."""
    if name.startswith("github"):
        group = recipe["concurrency"]["group"]
        return "github.sha" in group or recipe["concurrency"].get("queue") == "max"
    main = [rule for rule in recipe["workflow"]["rules"] if "$CI_DEFAULT_BRANCH" in rule["if"]]
    return len(main) == 1 and main[0].get("auto_cancel", {}).get("on_new_commit") == "none"


def actionlint(path):
    done = subprocess.run(["actionlint", "-color=false", "-ignore", 'label "gpu" is unknown', path], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def shellcheck(text):
    done = subprocess.run(
        ["shellcheck", "--shell=bash", "--severity=style", "-"], input="set -e\n" + text, capture_output=True, text=True
    )
    return done.stdout if done.returncode else ""


def main():
    folder, check_jsonschema = pathlib.Path(sys.argv[1]), sys.argv[2]
    if not shutil.which("shellcheck"):
        print("skipped: shellcheck is not here (apt-get install shellcheck)")
        return 77
    failed = 0
    if not shutil.which("actionlint"):
        print("actionlint is not here and therefore not asked")
    gate = (folder / "gate.sh").read_text()
    readme = (folder / "README.md").read_text()
    recipes = sorted(folder.glob("*.yml"))
    if len(recipes) != 4:
        print(f"FAIL four recipes are expected in {folder}, there are {len(recipes)}")
        failed = 1
    for path in recipes:
        recipe = yaml.safe_load(path.read_text())
        if f"`{path.name}`" not in readme:
            print(f"FAIL README.md says nothing of {path.name}")
            failed = 1
        count = 0
        for where, text in scripts(path.name, recipe):
            count += 1
            found = shellcheck(text)
            if found or "${{" in text:
                print(f"FAIL {path.name}, {where}: {found or 'an expression in a script'}")
                failed = 1
        if count == 0:
            print(f"FAIL {path.name}: no scripts found")
            failed = 1
        if not keeps_runs_of_main(path.name, recipe):
            print(f"FAIL {path.name}: a run of the main branch that waits is cancelled when the next one comes, which leaves holes in a history")
            failed = 1
        for job, file, text in kept(recipe):
            # What the gate writes stands in the gate.
            if not re.search(re.escape(file) + r"(?![\w/.-])", text) and not ("gate.sh" in text and file.removeprefix("build/gate/") in gate):
                print(f"FAIL {path.name}, {job}: nothing writes {file}")
                failed = 1
        if path.name.startswith("github") and shutil.which("actionlint"):
            found = actionlint(path)
            if found:
                print(f"FAIL {path.name}: {found}")
                failed = 1
        schema = "vendor.github-workflows" if path.name.startswith("github") else "vendor.gitlab-ci"
        done = subprocess.run([check_jsonschema, "--builtin-schema", schema, path], capture_output=True, text=True)
        if done.returncode:
            print(f"FAIL {path.name}: {done.stdout}{done.stderr}")
            failed = 1
        print(f"{path.name}: {count} scripts, {schema}")
    for script in folder.glob("*.sh"):
        done = subprocess.run(["shellcheck", script], capture_output=True, text=True)
        if done.returncode:
            print(f"FAIL {script.name}: {done.stdout}")
            failed = 1
    return failed


sys.exit(main())
