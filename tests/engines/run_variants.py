"""Run variants of a recipe in one process, which starts its engine once: ``run_variants.py variants.json``.

``variants.json`` has the program of each variant by its name. The file ``findings.parquet`` that a variant writes is
renamed to ``found-<name>.parquet``.
"""

import json
import os
import sys
from pathlib import Path

for name, program in json.loads(Path(sys.argv[1]).read_bytes()).items():
    exec(compile(program, name, "exec"), {"__name__": "__main__"})
    os.rename("findings.parquet", f"found-{name}.parquet")
if "pyspark" in sys.modules:
    from pyspark.sql import SparkSession

    SparkSession.active().stop()
