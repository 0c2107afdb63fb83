"""A program for `test_spark_cluster.py`: a cluster of two workers on this machine, one of which is killed.

It releases a folder of Parquet files as they are, in a job whose second stage has begun when an executor dies
with all that it had sent to no one yet. It prints what happened as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyspark
from pyspark.sql import SparkSession

from shoal.engines.spark.database import Spark, open_spark
from shoal.write.output import FileOutput

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.log.level": "OFF",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "64k",
    "spark.sql.adaptive.coalescePartitions.minPartitionSize": "1k",
    "spark.sql.shuffle.partitions": "12",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def main(source: Path, target: Path) -> None:
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)  # whose scripts start the executors
    builder: Any = SparkSession.builder
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    session: SparkSession = builder.master("local-cluster[2,1,1024]").appName("tests").getOrCreate()
    database = open_spark(source, session)
    kept = database.keep(f"SELECT c1, COUNT(*) AS n FROM {database.input} GROUP BY c1", "kept")
    before = sorted(database.rows(f"SELECT * FROM {kept}"))
    victim = Victim(session)
    stored = database.store(everything(database), database.columns, FileOutput(target))
    victim.join()
    stored.publish()
    after = sorted(database.rows(f"SELECT * FROM {kept}"))
    told = {
        "killed": victim.killed,
        "stages": victim.stages,
        "rows": stored.rows,
        "files": len(stored.files),
        "kept": before == after,
        "retried": retried(session),
    }
    print(json.dumps(told))
    database.close()
    session.stop()


def everything(database: Spark) -> str:
    columns = ", ".join(f"c{place} AS r{place}" for place in range(len(database.columns)))
    return f"SELECT {columns} FROM {database.input}"


class Victim(threading.Thread):
    """Kills an executor as soon as a job that writes has read what a first stage sent over."""

    def __init__(self, session: SparkSession) -> None:
        super().__init__(daemon=True)
        self.killed = 0
        self.stages: list[int] = []
        self._executor = executors()[0]
        self._tracker: Any = session.sparkContext.statusTracker()
        self.start()

    def run(self) -> None:
        wait = threading.Event()
        while not (stages := self._in_second_stage()):
            wait.wait(0.002)
        self.stages = stages
        self._executor.kill()
        self.killed = 1

    def _in_second_stage(self) -> list[int]:
        for job in self._tracker.getActiveJobsIds():
            info = self._tracker.getJobInfo(job)
            stages = sorted(info.stageIds) if info is not None else []
            last = self._tracker.getStageInfo(stages[-1]) if len(stages) > 1 else None
            if last is not None and last.numTasks > 2 and last.numActiveTasks:
                return [int(stage) for stage in stages]
        return []


def executors() -> list[psutil.Process]:
    """Return the processes of our own executors."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # those that end meanwhile
            if any("CoarseGrainedExecutorBackend" in part for part in child.cmdline()):
                found.append(child)
    return found


def retried(session: SparkSession) -> bool:
    """Tell whether Spark had to run any stage again."""
    tracker: Any = session.sparkContext.statusTracker()
    infos = (tracker.getStageInfo(stage) for stage in range(200))
    return any(info is not None and info.currentAttemptId > 0 for info in infos)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
