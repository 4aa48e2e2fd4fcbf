#!/usr/bin/env bash
# Emits the models for meshes of 4 processors, builds them against the runtime of mtfc itself, runs them under
# mpirun, and compares their logs with the simulated mesh's: every number must be the same.
. "${TREE:?the source tree}/tests/emit/lib.sh"
needs_mpi
cmake_options=(-DMTFC_RUNTIME="$(dirname "$mtfc")" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-Werror)
lines() { cat "$1"/*.cpp "$1"/*.h | wc -l; }

numbered_lines 300 >"$work/text.txt"

M=$TREE/models
# By day one program has both what a few layers have in common and attention tile by tile.
gpt=("$M/gpt.mtf" 3 --layout "$M/layouts/gpt/dp_mp.layout" -D layers=3 -D d_model=32 -D batch=8 \
  --set "data.text=$work/text.txt" --set train.update=sharded)
! nightly || check gpt 4 "${gpt[@]}" -D d_model=64 -D batch=12
check tiled 4 "${gpt[@]}" -D length=320
grep -q 'TiledSpec' "$work/program/"*.cpp
check along 4 "$TREE/tests/emit/along.mtf" 4 --mesh "rows:2;cols:2" --rules "batch:rows;length:cols"
# What other tests do in part: 16 bits on devices, padding with both MPIs.
! nightly || check half 4 "$M/gpt.mtf" 3 --layout "$M/layouts/gpt/dp_mp.layout" -D layers=2 -D d_model=64 \
  --set "data.text=$work/text.txt" --set train.precision=f16 \
  --set "train.loss_scale=dynamic(init=16777216)"
! nightly || check parts3 3 "$M/two_layer.mtf" 5 --mesh "rows:3" --rules "batch:rows" -D batch=24 -D io=10 -D hidden=7 \
  --set train.microbatches=4 --set train.update=sharded --set "train.optimizer=adam(lr=0.01)"  # with padding

# Stages of a pipeline with meshes of their own, none of whose ranks has anything of other stages' variables. By day of
# layers without attention.
printf '%s\n' 'mesh rows=2, cols=1' 'batch:rows;heads?:cols;d_ff:cols' \
  'pipeline "layers.*" { stages = 2; rows = 2+1; cols = 1+2 }' >"$work/stages.layout"
cat >"$work/chain.mtf" <<'CHAIN'
use "nn.mtf"
dim batch = 8, d_model = 16, d_ff = 32, layers = 2
input x[batch, d_model] from gaussian(seed=7)
input y[batch, d_model] from gaussian(seed=8)
param tied[d_model] ~ normal(1)
h = x * tied
repeat layers { h = h + dense@down(tanh(dense@up(h over d_model -> d_ff)) over d_ff -> d_model) }
loss mean(square(h * tied - y))
train { optimizer = adam(lr=0.001) steps = 10 }
CHAIN
stages=("$work/chain.mtf")
! nightly || stages=("$M/gpt.mtf" -D layers=2 -D batch=8 -D length=8 -D d_model=16 -D heads=2 -D d_ff=32
  --set "data.text=$work/text.txt")
check stages 4 "${stages[0]}" 4 --layout "$work/stages.layout" "${stages[@]:1}" --set train.microbatches=2 --set train.clip=0.1
grep -q 'runs what its stage does' "$work/program/README.md"
grep -q 'mpirun -n 4' "$work/program/README.md"
ranks 3 "$work/build/program" 2>"$work/wrong" && exit 1
grep -q 'made for 4 processors, but runs with 3' "$work/wrong"
grep -q 'mesh rows=2, cols=1 and rows=1, cols=2' "$work/wrong"

# A processor reads its part of each batch and nothing else: in its own copy of the data all other columns, and of what
# is evaluated, whose order is the file's, all other rows are not numbers. The losses are those of the whole data.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  mkdir "$work/parts"
  cp "$TREE/tests/emit/parts.mtf" "$work/parts"
  (cd "$work/parts" && /usr/bin/python3 "$TREE/tests/emit/parts.py")
  check parts 4 "$work/parts/parts.mtf" 4 --mesh "rows:2;cols:2" --rules "batch:rows;d:cols"
  printf '#!/bin/sh\ncd "%s/parts/rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"\n' "$work" >"$work/apart.sh"
  chmod +x "$work/apart.sh"
  MTFC_DATA=parts ranks 4 "$work/apart.sh" "$work/build/program" --steps 4 --quiet --data pairs=x.npy >"$work/apart"
  diff "$work/parts.want" <(plain "$work/apart")
fi

# A mesh of another size gives as many lines.
for mesh in "rows:2;cols:2" "rows:32;cols:16"; do
  "$mtfc" emit "$M/two_layer.mtf" --backend mpi -o "$work/$mesh" --mesh "$mesh" \
    --rules "batch:rows;hidden:cols" >/dev/null 2>&1
done
test "$(lines "$work/rows:2;cols:2")" -eq "$(lines "$work/rows:32;cols:16")"

# Neither do more layers give more statements, but for one or two where a period begins; only longer tables.
statements() { cat "$1"/*.cpp | grep -cE '^ +p\.'; }
for layers in 5 9; do
  "$mtfc" emit "$M/gpt.mtf" --backend mpi -o "$work/layers$layers" --layout "$M/layouts/gpt/dp_mp.layout" \
    -D layers=$layers -D d_model=32 >/dev/null 2>&1
done
test "$(statements "$work/layers9")" -le $(($(statements "$work/layers5") + 8))
