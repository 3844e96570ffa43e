"""An endpoint for tests: what it does is the first part of the path. Prints its port, then serves until its input ends."""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

calls = {}
GOOD = {"candidates": [{"values": {"BLOCK_M": 128, "STAGES": 3}, "reason": "fits"},
                       {"values": {"BLOCK_M": 64, "STAGES": 2}, "reason": "small"}]}
HOSTILE = {"candidates": [
    {"values": {"BLOCK_M": 1e308, "STAGES": 3}},
    {"values": {"BLOCK_M": "$(touch /tmp/assay-hostile)", "STAGES": 2}},
    {"values": {"BLOCK_M": 128, "STAGES": 3, "__class__": "x"}},
    {"values": {"BLOCK_M": 256, "STAGES": 4}},
    {"values": ["BLOCK_M"]}, "text", None, 3, {}, {"values": {"BLOCK_M": [[[[128]]]], "STAGES": None}},
    {"values": {"BLOCK_M\x1b[31m": 128}}]}


def kernel_answer(request):
    """For a prompt of `assay optimize`: its source with other threads, fenced as models do."""
    prompt = json.loads(request["messages"][-1]["content"])
    assert prompt["experience"] and prompt["profile"]["page"], prompt.keys()
    answer = {"source": prompt["source"].replace("THREADS 32", "THREADS 64"), "hypothesis": "More threads a block.", "expected_speedup": None}
    return "```json\n" + json.dumps(answer) + "\n```"


def content_of(mode):
    if mode == "malformed":
        return '{"candidates": [{"values": {"BLOCK_M": 128'
    if mode == "prose":
        return "Sure! Here are the candidates: " + json.dumps(GOOD)
    if mode == "fenced":
        return "```json\n" + json.dumps(GOOD) + "\n```"
    if mode == "hostile":
        return json.dumps(HOSTILE)
    if mode == "deep":
        return "[" * 100000 + "]" * 100000
    if mode == "duplicates":
        return json.dumps({"candidates": GOOD["candidates"] * 20})
    return json.dumps(GOOD)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, text, headers=(), length=None):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def complete(self, mode):
        self.answer(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content_of(mode)}}]}))

    def refuse_parameters(self, request, names):
        for name in names:
            if name in request:
                self.answer(400, json.dumps({"error": {"message": "Unsupported parameter: " + name}}))
                return
        self.complete("good")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        mode = self.path.split("/")[1]
        calls[mode] = calls.get(mode, 0) + 1
        if self.path != "/" + mode + "/v1/chat/completions":
            self.answer(404, "no such path " + self.path)
        elif mode == "key":
            key = self.headers.get("Authorization", "")
            if key == "Bearer secret-key-0123456789":
                self.complete("good")
            else:
                self.answer(401, "no key")
        elif mode == "kernel":
            self.answer(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": kernel_answer(request)}}]}))
        elif mode == "echo":
            self.answer(401, "x" * 150 + " wrong key: " + self.headers.get("Authorization", "") + " \x1b[2J\n" + "y" * 500)
        elif mode == "slow":
            time.sleep(200)
            self.complete("good")
        elif mode == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            for _ in range(2000):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
        elif mode == "truncated":
            self.answer(200, '{"choices": [', length=5000)
            self.close_connection = True
        elif mode == "limited":
            if calls[mode] == 1:
                self.answer(429, "slow down", [("Retry-After", "1")])
            else:
                self.complete("good")
        elif mode == "busy":
            self.answer(429, "slow down", [("Retry-After", "3600")])
        elif mode == "picky":
            self.refuse_parameters(request, ["max_tokens", "response_format", "temperature"])
        elif mode == "stubborn":
            self.answer(400, "bad request")
        elif mode == "redirect":
            self.answer(302, "", [("Location", "/good/v1/chat/completions")])
        elif mode == "huge":
            self.answer(200, " " * (6 << 20))
        elif mode == "empty":
            self.answer(200, json.dumps({"choices": []}))
        elif mode == "html":
            self.answer(200, "<html>login</html>")
        else:
            self.complete(mode)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # clients that hang up are part of the test


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
