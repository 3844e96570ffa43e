"""The MCP server as a plain program sees it: a line a message, without any client library.

usage: plain_test.py ASSAY BUILD SOURCE"""

import json
import os
import pathlib
import select
import subprocess
import sys
import time

assay, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


class Server:
    def __init__(self):
        self.process = subprocess.Popen([assay, "mcp", "--build", build], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer, self.number = b"", 0

    def say(self, text):
        self.process.stdin.write(text.encode() + b"\n")

    def send(self, method, params=None, request=True):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        if request:
            self.number += 1
            message["id"] = self.number
        self.say(json.dumps(message))
        return self.number

    def receive(self, limit=120.0):
        end = time.monotonic() + limit
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            got = os.read(self.process.stdout.fileno(), 65536)
            assert got, "the server has gone"
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, params=None):
        number = self.send(method, params)
        answer = self.receive()
        assert answer is not None and answer["id"] == number, answer
        return answer

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]


def start():
    server = Server()
    server.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
    server.send("notifications/initialized", request=False)
    return server


def handshake():
    server = Server()
    assert server.ask("tools/list")["error"]["code"] == -32600  # before initialize
    assert server.ask("ping")["result"] == {}
    hello = server.ask("initialize", {"protocolVersion": "1999-01-01"})["result"]
    assert hello["protocolVersion"] == "2025-06-18" and hello["serverInfo"]["name"] == "assay"
    server.process.stdin.close()
    assert server.process.wait(20) == 0


def errors():
    server = start()
    server.say("{")
    assert server.receive()["error"]["code"] == -32700
    for value in ("1180591620717411303424", '"\\ud800"'):  # not taken as JSON, and yet who asked must not wait for ever
        server.say('{"method": "tools/call", "params": {"name": "verify", "arguments": {"id": 3, "seed": %s}}, "jsonrpc": "2.0", "id": "\\"77"}' % value)
        refused = server.receive()
        assert (refused["id"], refused["error"]["code"]) == ('"77', -32700), refused
    for value in ("1.5", "1e3"):  # no id of this protocol, and not that of request 1
        server.say('{"jsonrpc": "2.0", "method": "ping", "id": %s, }' % value)
        refused = server.receive()
        assert (refused["id"], refused["error"]["code"]) == (None, -32700), refused
    server.say('{"id": 7}')
    assert server.receive()["error"]["code"] == -32600
    server.say('{"jsonrpc": "2.0", "id": 8, "method": "resources/list"}')
    assert server.receive()["error"]["code"] == -32601
    server.say('{"jsonrpc": "2.0", "id": 9, "result": {}}')  # an answer to nothing
    assert server.ask("tools/call", {"name": "rm"})["error"]["code"] == -32602
    wrong = server.call("list", speed="fast")
    assert wrong["isError"] and "speed" in wrong["content"][0]["text"], wrong
    unknown = server.call("list", op="nothing")
    assert unknown["isError"] and unknown["structuredContent"]["exit_status"] == 2, unknown
    # What begins with a dash stays a value, and no second option.
    trick = server.call("compare", base="--help", new="x")
    assert trick["isError"] and "--help" in trick["structuredContent"]["messages"], trick
    server.say(" " * (17 << 20))
    assert server.receive()["error"]["code"] == -32600
    assert server.ask("ping")["result"] == {}  # none of this has hurt it
    server.process.stdin.close()
    assert server.process.wait(20) == 0


def verdicts():
    """An agent gets verdicts, and has no way to bring one."""
    server = start()
    tools = {t["name"]: t for t in server.ask("tools/list")["result"]["tools"]}
    assert {"list", "verify", "bench", "compare", "resources"} <= set(tools), sorted(tools)
    for tool in tools.values():
        assert not {"verdict", "status", "passed"} & set(tool["inputSchema"]["properties"]), tool
    right = (source / "ops/add/v1_baseline.cu").read_text()
    wrong = (source / "tests/wrong_kernels/constant.cu").read_text()
    judged = server.call("verify", op="add", source=right, dtype="f32", size="small")["structuredContent"]
    assert judged["exit_status"] == 0 and judged["output"]["passed"] == 1, judged
    refused = server.call("verify", op="add", source=wrong, dtype="f32", size="small")
    assert not refused["isError"] and refused["structuredContent"]["exit_status"] == 1, refused
    assert refused["structuredContent"]["output"]["cases"][0]["status"] == "fail", refused
    liar = 'extern "C" int solve() { return 0; }\n// {"status": "pass", "passed": 1}\n'
    answer = server.call("verify", op="add", source=liar, dtype="f32", size="small")["structuredContent"]
    assert answer["exit_status"] != 0, answer
    timed = server.call("bench", op="add", source_file=str(source / "tests/wrong_kernels/constant.cu"), dtype="f32", size="small", quick=True)
    assert timed["structuredContent"]["output"]["timed"] == 0, timed
    assert not list(pathlib.Path(build, "outside/mcp").glob("kernel_*")), "sources of calls stay behind"
    server.process.stdin.close()
    server.process.wait(20)


def cancellation():
    server = start()
    hang = (source / "tests/wrong_kernels/infinite_loop.cu").read_text()
    running = server.send("tools/call", {"name": "verify", "arguments": {"op": "add", "source": hang, "dtype": "f32", "size": "small"}})
    waiting = server.send("tools/call", {"name": "env", "arguments": {}})
    after = server.send("tools/call", {"name": "list", "arguments": {"op": "add", "dtype": "f32", "size": "small"}})
    time.sleep(2)
    ping = server.send("ping")
    assert server.receive(20)["id"] == ping, "no answer while a kernel hangs"
    for number in (waiting, running):
        server.send("notifications/cancelled", {"requestId": number, "reason": "test"}, request=False)
    begin = time.monotonic()
    answer = server.receive(30)
    assert answer is not None and answer["id"] == after, answer  # the cancelled ones are not answered
    assert time.monotonic() - begin < 20
    server.process.stdin.close()
    assert server.process.wait(20) == 0


if subprocess.run([assay, "verify", "--build", build, "--dry-run"], capture_output=True).returncode == 77:
    print("skipped: no device")
    sys.exit(77)
for test in (handshake, errors, verdicts, cancellation):
    test()
    print("ok", test.__name__)
