# What the tests of emitted programs share: `check` and the folders that it works in.
set -eu
command -v cmake >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mtfc=${MTFC:?the program to test}
. "${TREE:?the source tree}/tests/tools/nightly.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake_options=()
backend=mpi
lines_of_log=1 # evaluations in the log of a check
. "$TREE/tests/emit/compiler.sh"
needs_mpi() { command -v mpirun >/dev/null && command -v mpicxx >/dev/null || exit 77; }

plain() { sed -E 's/,"seconds":[0-9.e+-]*//' "$1"; }
numbered_lines() { for ((i = 0; i < $1; ++i)); do echo "line $i: the quick brown fox jumps over $((i * i)) lazy dogs."; done; }
ranks() { # ranks N COMMAND...
  local n=$1
  shift
  if [ $backend = placement ]; then timeout 100 "$@"; return; fi
  timeout 100 mpirun --oversubscribe -n "$n" "$@"
}

# build NAME MODEL ARGS...: $work/program, built in $work/build; what the runtime needs is built once.
build() {
  local name=$1 model=$2
  shift 2
  "$mtfc" emit "$model" --backend $backend -o "$work/program" "$@" >"$work/$name.out" 2>&1
  local compiler=mpicxx
  [ $backend = mpi ] || compiler=$cxx
  cmake -S "$work/program" -B "$work/build" -DCMAKE_CXX_COMPILER=$compiler "${cmake_options[@]}" >>"$work/$name.out"
  cmake --build "$work/build" --parallel 2 >>"$work/$name.out" 2>&1 || { cat "$work/$name.out"; exit 1; }
}

# check NAME RANKS MODEL STEPS ARGS...: the emitted program logs what the simulated mesh logs.
check() {
  local name=$1 n=$2 model=$3 steps=$4
  shift 4
  "$mtfc" train "$model" --steps "$steps" --log "$work/$name.sim" "$@" >"$work/$name.out" 2>&1
  build "$name" "$model" "$@"
  ranks "$n" "$work/build/program" --steps "$steps" --quiet >"$work/$name.mpi"
  plain "$work/$name.sim" >"$work/$name.want"
  plain "$work/$name.mpi" >"$work/$name.got"
  diff "$work/$name.want" "$work/$name.got"
  test "$(wc -l <"$work/$name.got")" -eq $((steps + lines_of_log))
}
