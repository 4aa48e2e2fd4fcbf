#!/usr/bin/env bash
# The GPT's gradients against PyTorch, where it is installed, on a text made here.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for i in $(seq 400); do echo "line $i: the quick brown fox jumps over $((i * i)) lazy dogs."; done >"$folder/text.txt"
/usr/bin/python3 "$TREE/tests/oracle/gpt_gradients.py" "$MTFC" "$TREE/models/gpt.mtf" \
  "$folder/text.txt" -D layers=2
