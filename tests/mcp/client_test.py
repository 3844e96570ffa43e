"""The MCP server under the protocol's own Python client (PyPI `mcp`), which also holds each result against the tool's output schema.

usage: client_test.py ASSAY BUILD SOURCE"""

import asyncio
import pathlib
import sys

try:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    print("skipped: the Python package mcp is not here (python3 -m pip install mcp)")
    sys.exit(77)

assay, build, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def plain(model):
    """As on the wire: releases of the client name attributes differently."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def call(session, tool, **arguments):
    return plain(await session.call_tool(tool, arguments))


async def talk():
    async with stdio_client(StdioServerParameters(command=assay, args=["mcp", "--build", build])) as (read, write):
        async with ClientSession(read, write) as session:
            hello = plain(await session.initialize())
            assert hello["serverInfo"]["name"] == "assay", hello
            await session.send_ping()
            tools = {tool["name"]: tool for tool in plain(await session.list_tools())["tools"]}
            assert {"list", "verify", "bench", "compare", "resources"} <= set(tools), sorted(tools)
            assert all(tool.get("outputSchema") for tool in tools.values())
            cases = await call(session, "list", op="add", dtype="f32", size="small")
            assert not cases["isError"] and cases["structuredContent"]["output"]["cases"][0]["op"] == "add", cases
            kernel = (source / "ops/add/v1_baseline.cu").read_text()
            verdict = await call(session, "verify", op="add", source=kernel, dtype="f32", size="small")
            if verdict["structuredContent"]["exit_status"] != 77:
                assert verdict["structuredContent"]["output"]["passed"] == 1, verdict
            assert (await call(session, "list", colour="red"))["isError"]
            for name in ("env", "resources"):
                await call(session, name)
    print(f"{len(tools)} tools under the client")


asyncio.run(talk())
