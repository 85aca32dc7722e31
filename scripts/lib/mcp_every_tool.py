"""Lists and calls every tool of the toolset `all` with the official Python client, over stdio.

Each schema must be a valid JSON Schema, each call must come back as a result, and what a tool refuses must be in the
envelope of errors. Usage: mcp_every_tool.py PROGRAM, with DATABASE_URL in the environment.
"""

import asyncio
import json
import os
import sys

import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams


def example(schema, known):
    """A value for an argument: one that was seen before under its name, or one of its type."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "string" and schema.get("format") == "date-time":
        return "2026-01-01T00:00:00Z"
    return {"integer": 1, "number": 0.5, "boolean": False, "array": [], "object": {}}.get(kind, known)


# Tools whose arguments can all be left out, but not all at once: what they are given.
ALSO = {"projects.resolve": ["display_name"], "forget": ["item_id"]}

# Tools that have to refuse: the profile there is has another model and is not filled, and no job waits or has failed.
REFUSED = {
    "embedding_profiles.upsert": "PROFILE_IMMUTABLE", "embedding_profiles.activate": "PROFILE_NOT_FILLED",
    "cancel_job": "JOB_STATE", "retry_job": "JOB_STATE",
}


def arguments(tool, seen):
    """What the tool requires."""
    given = {name: seen[name] for name in ALSO.get(tool.name, [])}
    for name in tool.input_schema.get("required", []):
        given[name] = seen.get(name, example(tool.input_schema["properties"][name], "example"))
    return given


async def things_to_speak_of(session):
    """Values for arguments that name something."""

    async def stored(name, **given):
        return (await session.call_tool(name, given)).structured_content

    item = await stored("remember", content="Decision: we use Postgres for events.")
    other = await stored("remember", content="Kafka was considered.")
    artifact = await stored("artifact_ingest", artifact_type="note", source_system="wiki", content="Decision: We will use Postgres.")
    assert (await stored("wait_until_idle", timeout="60 s"))["result"], "jobs are worked off"
    semantic = (await stored("event_search", query="Postgres"))["events"][0]
    await stored("canonical.upsert", canonical_key="plan", content="# Plan\n\nUse Postgres.")
    pack = await stored("retrieve", query="Postgres")
    doomed = await stored("remember", content="To be forgotten.")
    receipt = await stored("forget", item_id=doomed["item_id"])
    event = (await stored("emit_event", event_type="example"))["event_id"]
    project = (await session.list_resources()).resources[0].uri
    assert str(project).startswith("memory://projects/")
    return {
        "item_id": item["item_id"], "from_item_id": item["item_id"], "to_item_id": other["item_id"], "memory_id": other["item_id"],
        "version_id": item["version_id"], "version_num": 1, "from_version": 1, "artifact_id": artifact["artifact_id"],
        "artifact_uid": artifact["artifact_uid"], "revision_a": artifact["revision_id"], "event_id": semantic["event_id"], "receipt_id": receipt["receipt_id"],
        "canonical_key": "plan", "section_anchor": "plan", "pack_id": pack["query_id"],
        "evidence_id": (pack["artifacts"] + pack["quotes"])[0]["evidence_id"],
        "event_uuid": event, "root_uuid": event, "parent_uuid": event,
        "session_id": (await stored("sessions.start"))["session_id"],
        "entries": [{"content": "an entry"}], "provider": "hash", "dims": 8, "name": "local", "display_name": "default",
    }


async def call_all(session):
    listed, cursor = [], None
    while True:
        page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
        listed += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    seen = await things_to_speak_of(session)
    refused = {}
    # What erases comes last.
    for tool in sorted(listed, key=lambda tool: tool.annotations.destructive_hint is True):
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        given = arguments(tool, seen)
        if not any(isinstance(value, str) and value == "example" for value in given.values()):
            jsonschema.validate(given, tool.input_schema)
        result = await session.call_tool(tool.name, given)
        assert result.structured_content == json.loads(result.content[0].text), tool.name
        if result.is_error:
            error = result.structured_content["error"]
            assert error["code"] and error["message"] and error["trace_id"], (tool.name, error)
            assert error["code"] not in ("INTERNAL_ERROR", "DB_QUERY_FAILED", "SERVICE_UNAVAILABLE"), (tool.name, error)
            refused[tool.name] = error["code"]
    return listed, refused


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["--toolset", "all", "--page-size", "20"], env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        listed, refused = await call_all(session)
        resources = (await session.list_resources()).resources
        templates = (await session.list_resource_templates()).resource_templates
        read = await session.read_resource(resources[0].uri)
        assert read.contents[0].text and len(templates) >= 3
    assert len(listed) > 50, listed
    assert refused == REFUSED, refused
    print(f"the Python client: {len(listed)} tools listed and called, all schemas valid; refused as they must be: {refused}")


asyncio.run(main())
