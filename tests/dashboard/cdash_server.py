"""Asks a CDash server, through its GraphQL interface, for the build of a Test.xml that was submitted to it, and compares: tests, their
status and labels, and every measurement, by name and value.

usage: cdash_server.py SUBMIT_URL TEST_XML"""

import json
import sys
import time
import urllib.parse
import urllib.request
import xml.etree.ElementTree

# What CTest itself measures and CDash keeps elsewhere than among a test's measurements.
OF_CTEST = {"Execution Time", "Completion Status", "Command Line", "Environment", "Processors", "Exit Code", "Exit Value", "Fail Reason", "Pass Reason"}
STATUS = {"PASSED": "passed", "FAILED": "failed", "NOT_RUN": "notrun"}
QUERY = """query($project: String!, $stamp: String!, $name: String!) {
  projects(filters: {eq: {name: $project}}) { edges { node {
    builds(filters: {all: [{eq: {stamp: $stamp}}, {eq: {name: $name}}]}) { edges { node {
      passedTestsCount failedTestsCount notRunTestsCount
      tests(first: 100) { edges { node {
        name status labels { edges { node { text } } } testMeasurements { name type value }
      } } }
    } } }
  } } }
}"""


def nodes(connection):
    return [edge["node"] for edge in connection["edges"]]


def submitted(path):
    """The tests of a Test.xml by name: status, labels, measurements."""
    site = xml.etree.ElementTree.parse(path).getroot()
    tests = {}
    for test in site.iterfind("Testing/Test"):
        measured = {m.get("name"): (m.get("type"), m.findtext("Value")) for m in test.iterfind("Results/NamedMeasurement")}
        tests[test.findtext("Name")] = {
            "status": test.get("Status"),
            "labels": {label.text for label in test.iterfind("Labels/Label")},
            "measured": {name: value for name, value in measured.items() if name not in OF_CTEST},
        }
    return site, tests


def on_server(url, site):
    """The build there; None until it is."""
    parts = urllib.parse.urlsplit(url)
    project = urllib.parse.parse_qs(parts.query)["project"][0]
    place = parts._replace(path=parts.path.rsplit("/", 1)[0] + "/graphql", query="").geturl()
    variables = {"project": project, "stamp": site.get("BuildStamp"), "name": site.get("BuildName")}
    request = urllib.request.Request(
        place, json.dumps({"query": QUERY, "variables": variables}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        answer = json.load(reply)
    if "errors" in answer:
        sys.exit(f"FAIL the server did not understand the question: {answer['errors'][0]['message']}")
    builds = [build for project in nodes(answer["data"]["projects"]) for build in nodes(project["builds"])]
    return builds[0] if builds else None


def same_value(kind, sent, kept):
    return float(sent) == float(kept) if kind.startswith("numeric") else sent == kept


def main():
    url, path = sys.argv[1:]
    site, expected = submitted(path)
    build = None
    for _ in range(30):  # a server may take what was sent into its database later
        build = on_server(url, site)
        if build and build["passedTestsCount"] + build["failedTestsCount"] + build["notRunTestsCount"] >= len(expected):
            break
        time.sleep(2)
    if not build:
        print("FAIL the build is not on the server")
        return 1
    failed, compared = 0, 0
    there = {test["name"]: test for test in nodes(build["tests"])}
    for name, test in expected.items():
        seen = there.get(name)
        if seen is None:
            print(f"FAIL {name} is not on the server")
            failed = 1
            continue
        labels = {label["text"] for label in nodes(seen["labels"])}
        if STATUS[seen["status"]] != test["status"] or labels != test["labels"]:
            print(f"FAIL {name}: {seen['status']} {sorted(labels)} there, {test['status']} {sorted(test['labels'])} sent")
            failed = 1
        kept = {m["name"]: (m["type"], m["value"]) for m in seen["testMeasurements"]}
        for measure, (kind, value) in test["measured"].items():
            compared += 1
            if measure not in kept or kept[measure][0] != kind or not same_value(kind, value, kept[measure][1]):
                print(f"FAIL {name}, {measure}: {kept.get(measure)} there, {(kind, value)} sent")
                failed = 1
    print(f"{len(expected)} tests, {compared} measurements compared")
    return failed or compared == 0


sys.exit(main())
