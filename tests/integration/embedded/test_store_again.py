"""What the embedded store logs of a write is read back at the next start, whatever the write cost."""

from __future__ import annotations

from pathlib import Path

from redis.asyncio import Redis

from tidegraph.embedded.falkordb import EmbeddedFalkorDB

READ = "MATCH (a) RETURN count(a), max(a.seen)"
WRITE = "UNWIND range(1, 400) AS n MERGE (a:Item {id: n}) SET a.seen = coalesce(a.seen, 0) + 1"


async def test_a_write_is_logged_by_what_it_changed(tmp_path: Path) -> None:
    counts = []
    for _ in range(2):
        async with EmbeddedFalkorDB(tmp_path, append_fsync="no") as store:
            client = Redis.from_url(store.url)
            await client.execute_command("GRAPH.QUERY", "kept", WRITE)  # type: ignore[no-untyped-call]
            found = await client.execute_command("GRAPH.RO_QUERY", "kept", READ)  # type: ignore[no-untyped-call]
            counts.append(found[1][0])
            await client.aclose()
    assert counts == [[400, 1], [400, 2]]
    assert b"MERGE" not in _logged(tmp_path)


def _logged(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("falkordb/appendonlydir/*.aof"))
