#!/bin/sh
# Emits two_layer for 1, 2 and 4 processors, builds it, runs it under mpirun, and compares its log
# with the simulated mesh's: every number must be the same.
# Minutes, not seconds: the runtime is compiled.
set -eu
command -v mpirun >/dev/null && command -v mpicxx >/dev/null || exit 77
mtfc=$MTFC
model=$TREE/models/two_layer.mtf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plain() { sed -E 's/,"seconds":[0-9.e+-]*//' "$1"; }

# The runtime is compiled once: only the program differs from mesh to mesh.
check() {
  name=$1
  ranks=$2
  shift 2
  rm -f "$work"/program/*.cpp "$work"/program/*.h
  "$mtfc" train "$model" --steps 5 --log "$work/$name.sim" "$@" >"$work/$name.out" 2>&1
  "$mtfc" emit "$model" --backend mpi -o "$work/program" "$@" >>"$work/$name.out" 2>&1
  cmake -S "$work/program" -B "$work/build" -DCMAKE_CXX_COMPILER=mpicxx >>"$work/$name.out"
  cmake --build "$work/build" --parallel 2 >>"$work/$name.out" 2>&1 || { cat "$work/$name.out"; exit 1; }
  mpirun --allow-run-as-root --oversubscribe -n "$ranks" "$work/build/program" --steps 5 --quiet \
    >"$work/$name.mpi"
  plain "$work/$name.sim" >"$work/$name.want"
  plain "$work/$name.mpi" >"$work/$name.got"
  diff "$work/$name.want" "$work/$name.got"
  test "$(wc -l <"$work/$name.got")" -eq 6
  cat "$work"/program/*.cpp "$work"/program/*.h | wc -l >"$work/$name.lines"
}

check one 1
check rows2 2 --mesh rows:2 --rules batch:rows
check grid4 4 --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols"

# A mesh of another size gives as many lines.
"$mtfc" emit "$model" --backend mpi -o "$work/larger" --mesh "rows:32;cols:16" \
  --rules "batch:rows;hidden:cols" >/dev/null 2>&1
cat "$work"/larger/*.cpp "$work"/larger/*.h | wc -l | diff "$work/grid4.lines" -

# A wrong number of ranks is told, not run.
if mpirun --allow-run-as-root --oversubscribe -n 2 "$work/build/program" 2>"$work/wrong"; then
  echo "ran with the wrong number of ranks"
  exit 1
fi
grep -q "made for 4 processors" "$work/wrong"
