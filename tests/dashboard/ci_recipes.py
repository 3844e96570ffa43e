"""Checks the recipes under docs/ci: they parse, every script in them passes shellcheck, none mixes an expression of GitHub into a script
(where a branch's name could run as code), and they keep the schemas of GitHub and GitLab that check-jsonschema carries.

usage: ci_recipes.py FOLDER CHECK_JSONSCHEMA    exit status 77 if something needed is missing"""

import pathlib
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
    recipes = sorted(folder.glob("*.yml"))
    if len(recipes) != 4:
        print(f"FAIL four recipes are expected in {folder}, there are {len(recipes)}")
        failed = 1
    for path in recipes:
        recipe = yaml.safe_load(path.read_text())
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
