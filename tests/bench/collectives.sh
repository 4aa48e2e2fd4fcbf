#!/usr/bin/env bash
# The table of docs/collectives.md: collectives and bytes of a training step, before and after the
# passes over programs. MTFC=build/mtfc tests/bench/collectives.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${MTFC:=build/mtfc}"
layout=$(mktemp)
trap 'rm -f "$layout"' EXIT
row() {  # row MODEL NAME LAYOUT ARGUMENTS...
  local model=$1 name=$2
  echo "$3" | tr ';' '\n' >"$layout"
  shift 3
  "$MTFC" cost "models/$model.mtf" "$@" --layout "$layout" --passes 2>/dev/null | awk -v name="$name" '
    $1 == "lower" { before = $2 " | " $5 " " $6 }
    $1 == "fuse-maps" { after = $2 " | " $5 " " $6 }
    END { print "| " name " | " before " | " after " |" }'
}
head() { printf '\n| %s | before | sent | after | sent |\n|---|---|---|---|---|\n' "$1"; }
mixed="d_ff:model;heads:model"
head "gpt"
row gpt "8 data" "mesh all=8;batch:all" -D batch=16
row gpt "8 data, sharded update" "mesh all=8;batch:all;set update=sharded" -D batch=16
row gpt "4 model" "mesh model=4;$mixed"
row gpt "2 data x 4 model" "mesh data=2,model=4;batch:data;$mixed"
row gpt "2 data x 2 length x 2 model, sharded update" \
  "mesh data=2,seq=2,model=2;batch:data;length:seq;$mixed;set update=sharded"
head "transformer_lm"
row transformer_lm "8 data" "mesh all=8;batch:all"
row transformer_lm "8 data, sharded update" "mesh all=8;batch:all;set update=sharded"
row transformer_lm "4 model" "mesh model=4;vocab:model;$mixed"
row transformer_lm "8 data x 4 model" "mesh data=8,model=4;batch:data;vocab:model;$mixed"
row transformer_lm "16 data x 32 model, the paper's largest, sharded update" \
  "mesh data=16,model=32;batch:data;vocab:model;$mixed;set update=sharded" \
  -D d_ff=262144 -D heads=256
