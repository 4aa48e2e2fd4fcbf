#!/usr/bin/env bash
# An emitted program with the sources that it is shipped with. In scripts/nightly (MTFC_NIGHTLY) it is built from them as a
# user does: a Debug build, since optimisation does not change a bit, and without a warning; and another with its runtime.
# Else one room is, the others are only looked at, since mtfc itself was built of them a moment ago, and the program takes
# mtfc's own runtime.
use_gcc=1
. "${TREE:?the source tree}/tests/emit/lib.sh"
needs_mpi
cmake_options=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CXX_FLAGS=-Werror)
runtime=$work/build
if ! nightly; then
  runtime=$(dirname "$mtfc")
  cmake_options+=(-DMTFC_RUNTIME="$runtime")
fi
layout=(--mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols")
two=$TREE/models/two_layer.mtf
check grid4 4 "$two" 5 "${layout[@]}"

# Nothing that a source includes is missing, nor a source of a room whose others are there.
cd "$work/program/runtime"
grep -rhoE '^#include "[^"]+"' . | sed 's/.*"\(.*\)"/\1/' | sort -u >"$work/included"
test "$(wc -l <"$work/included")" -gt 100
while read -r file; do test -e "$file" || { echo "$file is included and not shipped"; exit 1; }; done <"$work/included"
for room in sources kernels comm data train; do
  diff <(find $room -name '*.cpp' | sort) <(cd "$TREE/src" && find $room -name '*.cpp' | sort)
done
cd "$work"
if ! nightly; then
  cmake -S "$work/program" -B "$work/own" -DCMAKE_CXX_COMPILER=mpicxx "${cmake_options[@]:0:3}" >"$work/out"
  cmake --build "$work/own" --target mtfc_sources >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
  # A room is compiled as fewer units there than in mtfc's own build: the compiler reads those of all but the kernels.
  cmake -S "$work/program" -B "$work/read" -DCMAKE_CXX_COMPILER=mpicxx -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG=-fsyntax-only -DCMAKE_CXX_FLAGS=-Werror >"$work/out"
  for room in support comm data train; do
    # No object is written, so that the build ends without a library.
    cmake --build "$work/read" --target mtfc_$room -- -k >"$work/out" 2>&1 || true
    grep -q "Building CXX object" "$work/out" || { cat "$work/out"; exit 1; }
    ! grep "error:" "$work/out" || { echo "room $room does not compile as one unit"; exit 1; }
  done
fi

# Checkpoints: emitted programs and mtfc resume from each other's, within the same bits.
"$mtfc" train "$two" "${layout[@]}" --steps 2 -o "$work/run" >/dev/null 2>&1
ranks 4 "$work/build/program" --steps 4 --quiet --resume "$work/run" --out "$work/next" >"$work/resumed"
plain "$work/resumed" | head -n 2 | diff - <(plain "$work/grid4.sim" | sed -n 3,4p)
"$mtfc" train "$two" "${layout[@]}" --steps 5 --resume "$work/next" --log "$work/last.jsonl" >/dev/null 2>&1
plain "$work/last.jsonl" | diff - <(plain "$work/grid4.sim" | sed -n 5,6p)

# A wrong number of ranks is told, not run.
if ranks 2 "$work/build/program" 2>"$work/wrong"; then
  echo "ran with the wrong number of ranks"
  exit 1
fi
grep -q "made for 4 processors" "$work/wrong"

# Another program takes the runtime of this one; one of another mtfc is not taken.
other=$work/program built=$work/build
if nightly; then
  other=$work/other built=$work/other/build
  "$mtfc" emit "$two" --backend mpi -o "$work/other" >/dev/null 2>&1
  cmake -S "$work/other" -B "$work/other/build" -DCMAKE_CXX_COMPILER=mpicxx -DMTFC_RUNTIME="$runtime" >/dev/null
  cmake --build "$work/other/build" --parallel 2 >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
  if grep -q "window.cpp" "$work/out"; then echo "the runtime was built again"; exit 1; fi
  ranks 1 "$work/other/build/program" --steps 1 --quiet | grep -q '"step":1,'
  # A compiler that has no MPI of its own.
  cmake -S "$work/other" -B "$work/other/plain" -DCMAKE_CXX_COMPILER=c++ -DMTFC_RUNTIME="$runtime" >/dev/null
  cmake --build "$work/other/plain" --parallel 2 >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
  ranks 1 "$work/other/plain/program" --steps 1 --quiet | grep -q '"step":1,'
fi
echo "// changed" >>"$other/runtime/train/engine.h"
if cmake -S "$other" -B "$built" >"$work/out" 2>&1; then
  echo "another runtime was taken"
  exit 1
fi
grep -q "no runtime of the same mtfc" "$work/out"
