#!/usr/bin/env bash
# The blocks of the shipped library against PyTorch, where it is installed.
set -uo pipefail
/usr/bin/python3 -B "$TREE/tests/oracle/library.py" "$MTFC" "$@"
