#!/usr/bin/env bash
# Programs that run all processors by themselves, on named devices: built without MPI, they log what the simulated mesh
# logs, with more processors than devices too.
. "${TREE:?the source tree}/tests/emit/lib.sh"
backend=placement
cmake_options=(-DMTFC_RUNTIME="$(dirname "$mtfc")" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-Werror)
M=$TREE/models
numbered_lines 300 >"$work/text.txt"
# emit_build_run.sh has its like under mpirun.
! nightly || check gpt 4 "$M/gpt.mtf" 3 --layout "$M/layouts/gpt/dp_mp.layout" -D layers=3 -D d_model=32 \
  --set "data.text=$work/text.txt" --set train.update=sharded
# Random samples in iterations of a block, values made again on the way back, parts of a batch, 16 bits with a scaled loss.
lines_of_log=2
check blocks 4 "$TREE/tests/emit/blocks.mtf" 4 --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols" \
  --set train.microbatches=2 --set train.precision=f16 --set "train.loss_scale=dynamic(init=1024)"
if grep -q "mpi" "$work/build/CMakeFiles/program.dir/link.txt"; then echo "linked with MPI"; exit 1; fi
grep -q "5 iterations" "$work"/program/*.cpp
grep -q "t.keys" "$work"/program/*.cpp
lines_of_log=1
printf '%s\n' 'mesh rows=1' 'pipeline "layers.*" { stages = 2; chunks = 2 }' >"$work/chunks.layout"
check chunks 2 "$M/gpt.mtf" 3 --layout "$work/chunks.layout" -D layers=4 -D batch=8 -D length=8 -D d_model=16 -D heads=2 \
  -D d_ff=32 --set "data.text=$work/text.txt" --set train.microbatches=4
grep -q '{"cpu:1"},  // stage 1' "$work/program/main.cpp"
check eight 8 "$M/two_layer.mtf" 5 --mesh "rows:4;cols:2" --rules "batch:rows;hidden:cols"

# Other devices, and one that this machine has not got, change no bit; what is no device is refused.
for devices in cpu:0 cpu:0-1,cpu:1023; do
  "$work/build/program" --steps 5 --quiet --devices "$devices" >"$work/log" 2>"$work/err"
  diff "$work/eight.want" <(plain "$work/log")
done
grep -q "no cpu:1023" "$work/err"
status=0
"$work/build/program" --devices gpu:0 >"$work/log" 2>"$work/err" || status=$?
test "$status" -eq 2
grep -q "is not a list of devices" "$work/err"

# Checkpoints go from one form to the other.
"$work/build/program" --steps 2 --quiet --out "$work/run" >/dev/null 2>&1
"$mtfc" train "$M/two_layer.mtf" --mesh "rows:2" --rules "batch:rows" --steps 3 --resume "$work/run" \
  --log "$work/resumed" >/dev/null 2>&1
grep -q '"step":3,' "$work/resumed"

# A processor is one line.
for mesh in 2 64; do
  "$mtfc" emit "$M/two_layer.mtf" --backend placement --devices cpu:0,cpu:1 -o "$work/mesh$mesh" --mesh "rows:$mesh" \
    --rules "batch:rows" >/dev/null 2>&1
done
lines() { cat "$1"/*.cpp "$1"/*.h | wc -l; }
test "$(lines "$work/mesh64")" -eq $(($(lines "$work/mesh2") + 62))
for wrong in "--backend placement --devices gpu:0" "--backend mpi --devices cpu:0"; do
  status=0
  "$mtfc" emit "$M/two_layer.mtf" $wrong -o "$work/wrong" >/dev/null 2>&1 || status=$?
  test "$status" -eq 2
done
