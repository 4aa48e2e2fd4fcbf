#!/usr/bin/env bash
# Llama, and the library's blocks of which it consists, against NumPy, whole and split.
set -uo pipefail
/usr/bin/python3 -B "$TREE/tests/oracle/llama.py" "$MTFC" "$TREE/models"
