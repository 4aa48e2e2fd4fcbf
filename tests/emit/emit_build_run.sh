#!/usr/bin/env bash
# Emits the models for meshes of 1, 2 and 4 processors, builds them, runs them under mpirun, and compares their logs
# with the simulated mesh's: every number must be the same.
# Minutes, not seconds: the runtime is compiled.
set -eu
command -v mpirun >/dev/null && command -v mpicxx >/dev/null || exit 77
mtfc=$MTFC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plain() { sed -E 's/,"seconds":[0-9.e+-]*//' "$1"; }

# check NAME RANKS MODEL STEPS ARGS...: the runtime is compiled once; the rest of the folder changes.
check() {
  name=$1
  ranks=$2
  model=$TREE/models/$3.mtf
  steps=$4
  shift 4
  rm -f "$work"/program/*.cpp "$work"/program/*.h
  "$mtfc" train "$model" --steps "$steps" --log "$work/$name.sim" "$@" >"$work/$name.out" 2>&1
  "$mtfc" emit "$model" --backend mpi -o "$work/program" "$@" >>"$work/$name.out" 2>&1
  cmake -S "$work/program" -B "$work/build" -DCMAKE_CXX_COMPILER=mpicxx >>"$work/$name.out"
  cmake --build "$work/build" --parallel 2 >>"$work/$name.out" 2>&1 || { cat "$work/$name.out"; exit 1; }
  mpirun --allow-run-as-root --oversubscribe -n "$ranks" "$work/build/program" --steps "$steps" \
    --quiet >"$work/$name.mpi"
  plain "$work/$name.sim" >"$work/$name.want"
  plain "$work/$name.mpi" >"$work/$name.got"
  diff "$work/$name.want" "$work/$name.got"
  test "$(wc -l <"$work/$name.got")" -eq $((steps + 1))
  cat "$work"/program/*.cpp "$work"/program/*.h | wc -l >"$work/$name.lines"
}

i=0
while [ $i -lt 300 ]; do
  echo "line $i: the quick brown fox jumps over $((i * i)) lazy dogs."
  i=$((i + 1))
done >"$work/text.txt"

check gpt 4 gpt 3 --layout "$TREE/models/layouts/gpt/dp_mp.layout" -D layers=2 -D d_model=64 \
  --set "data.text=$work/text.txt"
check mnist 4 mnist 6 --layout "$TREE/models/layouts/mnist/dp_mp.layout" -D hidden1=128
check along 4 ../tests/emit/along 4 --mesh "rows:2;cols:2" --rules "batch:rows;length:cols"
check half 4 gpt 3 --layout "$TREE/models/layouts/gpt/dp_mp.layout" -D layers=2 -D d_model=64 \
  --set "data.text=$work/text.txt" --set train.precision=f16 \
  --set "train.loss_scale=dynamic(init=16777216)"
check one 1 two_layer 5
check rows2 2 two_layer 5 --mesh rows:2 --rules batch:rows
check grid4 4 two_layer 5 --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols"
check parts4 4 two_layer 5 --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols" \
  --set train.microbatches=4

# Checkpoints: emitted programs and mtfc go on from each other's, within the same bits.
"$mtfc" train "$TREE/models/two_layer.mtf" --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols" --steps 2 \
  -o "$work/run" >/dev/null 2>&1
mpirun --allow-run-as-root --oversubscribe -n 4 "$work/build/program" --steps 4 --quiet --resume "$work/run" \
  --out "$work/next" >"$work/resumed"
plain "$work/resumed" | head -n 2 | diff - <(plain "$work/grid4.sim" | sed -n 3,4p)
"$mtfc" train "$TREE/models/two_layer.mtf" --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols" --steps 5 \
  --resume "$work/next" --log "$work/last.jsonl" >/dev/null 2>&1
plain "$work/last.jsonl" | diff - <(plain "$work/grid4.sim" | sed -n 5,6p)

# A mesh of another size gives as many lines.
"$mtfc" emit "$TREE/models/two_layer.mtf" --backend mpi -o "$work/larger" --mesh "rows:32;cols:16" \
  --rules "batch:rows;hidden:cols" >/dev/null 2>&1
cat "$work"/larger/*.cpp "$work"/larger/*.h | wc -l | diff "$work/grid4.lines" -

# A wrong number of ranks is told, not run.
if mpirun --allow-run-as-root --oversubscribe -n 2 "$work/build/program" 2>"$work/wrong"; then
  echo "ran with the wrong number of ranks"
  exit 1
fi
grep -q "made for 4 processors" "$work/wrong"
