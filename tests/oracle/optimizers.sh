#!/usr/bin/env bash
# Every optimiser and schedule, step by step, against NumPy and PyTorch, where they are installed.
set -uo pipefail
export PYTHONPATH=$TREE/tests/tools
/usr/bin/python3 "$TREE/tests/oracle/optimizers.py" "$MTFC" "$TREE/tests/oracle/optimizers.mtf" &&
  /usr/bin/python3 "$TREE/tests/oracle/schedules.py" "$MTFC" "$TREE/tests/oracle/optimizers.mtf"
