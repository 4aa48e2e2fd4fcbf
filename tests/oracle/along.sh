#!/bin/sh
# Values and gradients of convolutions, pooling, cumsum, top_k and concat against PyTorch, split and whole.
set -eu
/usr/bin/python3 -c 'import torch, numpy' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for rules in "" "batch:a" "row:a;out:b" "depth:a;out:b" "out:b;row:c;row2:c" "in:c;depth:a;out:b"; do
  if [ -z "$rules" ]; then set --; else set -- --mesh "a:2;b:4;c:3" --rules "$rules"; fi
  "$MTFC" run "$TREE/tests/oracle/along.mtf" x v strided dilated volume pooled sums values places joined \
    strided.k dilated.k volume.k --gradients --set train.precision=f64 -o "$work/out.npz" "$@" >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  /usr/bin/python3 "$TREE/tests/oracle/along.py" "$work/out.npz"
done
