"""One Apache Kafka broker (KRaft, combined) for tests: jars by Maven, started on free ports."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tidegraph.embedded.network import LOOPBACK, free_port, kafka_answers
from tidegraph.embedded.process import Child, ChildSpec

CACHE: Final = Path(__file__).resolve().parents[3] / "build" / "kafka"
READY_SECONDS: Final = 60.0
POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tidegraph.test</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>4.3.1</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
"""
PROPERTIES: Final = """
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
controller.quorum.voters=1@127.0.0.1:{controller}
log.dirs={folder}/logs
auto.create.topics.enable=false
num.partitions=4
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=10
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
"""


def class_path() -> str:
    """The jars of the broker; resolved by Maven once and kept under build/."""
    folder = CACHE / hashlib.sha256(POM.encode()).hexdigest()[:12]
    listing = folder / "classpath.txt"
    if not listing.is_file() or any(not Path(jar).is_file() for jar in listing.read_text().split(os.pathsep)):
        maven = shutil.which("mvn")
        assert maven, "Maven is needed to fetch Apache Kafka"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pom.xml").write_text(POM)
        command = [maven, "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=partial.txt"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"Maven could not fetch Apache Kafka:\n{done.stdout}{done.stderr}"
        (folder / "partial.txt").replace(listing)
    return listing.read_text().strip()


class KafkaBroker:
    """A broker whose topics, records and offsets survive :meth:`restart`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._child: Child | None = None

    @property
    def bootstrap(self) -> str:
        return f"{LOOPBACK}:{self._port}"

    @property
    def child(self) -> Child:
        assert self._child is not None
        return self._child

    async def start(self) -> None:
        """Format the log folder and start."""
        self._folder.mkdir(parents=True, exist_ok=True)
        text = PROPERTIES.format(port=self._port, controller=free_port(), folder=self._folder)
        (self._folder / "server.properties").write_text(text)
        storage = [*self._java("kafka.tools.StorageTool"), "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk"]
        done = await asyncio.to_thread(
            subprocess.run,
            [*storage, "-c", "server.properties"],
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"Kafka's storage could not be formatted:\n{done.stdout}{done.stderr}"
        await self.restart()

    async def restart(self) -> None:
        """Start on what is there."""
        self._child = Child(
            ChildSpec(
                name="kafka",
                command=(
                    *self._java("kafka.Kafka", "-Xmx384m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"),
                    str(self._folder / "server.properties"),
                ),
                log_file=self._folder / "kafka.log",
                grace_seconds=30.0,
            )
        )
        await self._child.start()
        await self._child.ready(lambda: kafka_answers(self._port), READY_SECONDS)

    async def stop(self) -> None:
        """Clean stop."""
        if self._child is not None:
            await self._child.stop()

    def _java(self, main: str, *options: str) -> tuple[str, ...]:
        java = shutil.which("java")
        assert java, "Java is needed to run Apache Kafka"
        return java, *options, "-cp", class_path(), main
