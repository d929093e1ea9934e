"""Run variants of a recipe in one process, which starts its engine once: ``run_variants.py variants.json``.

Each variant is a program by its name; what it wrote as ``findings.parquet`` gets that name.
"""

import json
import os
import sys

for name, program in json.load(open(sys.argv[1], encoding="utf-8")).items():
    exec(compile(program, name, "exec"), {"__name__": "__main__"})
    os.rename("findings.parquet", f"{name}.parquet")
if "pyspark" in sys.modules:
    from pyspark.sql import SparkSession

    SparkSession.active().stop()
