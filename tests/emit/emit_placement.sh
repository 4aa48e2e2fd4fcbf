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

# What it reads, what runs keep and what it has not written itself is no output: refused before anything is opened.
program=$work/build/program
mkdir "$work/outputs"
cd "$work/outputs"
cp "$work/text.txt" in.txt
refused() { # refused TEXT FILE OPTIONS...: status 2, one message with this text, and the file is as it was
  local text=$1 file=$2 status=0
  shift 2
  cp "$file" before
  "$program" --quiet --data text=in.txt "$@" >log 2>err || status=$?
  test $status -eq 2 && test "$(grep -c '^error' err)" -eq 1 && grep -q "^error: .*$text" err && cmp before "$file" ||
    { echo "$*: status $status"; cat err; exit 1; }
}
trains() { # trains STEPS OPTIONS...
  local steps=$1
  shift
  "$program" --quiet --data text=in.txt --steps "$steps" "$@" >log 2>err || { cat err; exit 1; }
}
cp in.txt data.npz
echo "a text" | tee notes >other.npz
ln -s in.txt link
ln in.txt same
trains 2 --out run --log run/log.jsonl
first=run/checkpoints/step-00000002.safetensors
cp $first alone.safetensors
refused "is read by this command" in.txt --log in.txt
refused "is read by this command" in.txt --log link
refused "is read by this command" in.txt --log same
refused "is read by this command" data.npz --data text=data.npz --out data.npz
refused "is read by this command" alone.safetensors --resume alone.safetensors --log alone.safetensors
refused "is where a run keeps its own files" $first --log $first
refused "is where a run keeps its own files" $first --log run/checkpoints/new
for kept in run.json model.mtf layout.layout; do
  refused "is where a run keeps its own files" $first --log run/$kept
  test ! -e run/$kept
done
refused "is a file of another run" run/log.jsonl --log run/log.jsonl --out other
refused "is not a log" notes --log notes
refused "is not an archive" other.npz --out other.npz
refused "is named for two outputs" notes --log new.npz --out new.npz
refused "is named for two outputs" notes --log new --out new
for option in --out --log --resume --data --steps --devices; do refused "$option" notes $option ""; done
refused "names no file" notes --data text=
grep -q -- "--devices LIST" err
test ! -e new && test ! -e new.npz && test ! -e other

# A log and an archive of its own are replaced, and a folder that is resumed is gone on with.
for again in 1 2; do trains 2 --log log.jsonl --out v.npz; done
test "$(grep -c '"step":1,' log.jsonl)" -eq 1
trains 3 --log /dev/null
grep -q "^note: not saved (no --out)$" err
trains 3 --resume run --log run/log.jsonl
grep -q '^note: checkpoints go into `run`' err
test -e run/checkpoints/step-00000003.safetensors && test "$(grep -c '"loss"' run/log.jsonl)" -eq 3
trains 3 --resume run
grep -q "^note: nothing is left to train after step 3; \`--steps 6\` would continue$" err
trains 4 --resume run/checkpoints/step-00000003.safetensors
grep -q "^note: not saved (no --out)$" err
test ! -e run/checkpoints/step-00000004.safetensors

# What is printed when it is interrupted goes on with it.
rm log
"$program" --quiet --data text=in.txt --steps 100000000 --devices cpu:0 --threads 1 --force --out "a run" >log 2>err &
until test -s log 2>/dev/null; do sleep 0.05; done
kill -TERM $!
status=0
wait $! || status=$?
test $status -eq 143
grep -q 'saved in `a run`; to continue:$' err
command=$(tail -n 1 err)
test "$command" = "  $program --quiet --data text=in.txt --steps 100000000 --devices cpu:0 --threads 1 --resume 'a run'"
newest=$(ls "a run/checkpoints" | tail -n 1 | sed 's/step-0*//; s/\..*//')
eval "${command/100000000/$((newest + 1))}" >log 2>err
test -e "a run/checkpoints/$(printf 'step-%08d.safetensors' $((newest + 1)))"
cd "$work"

# Eight processors by night; by day those of the stages are given other devices.
model=("$M/gpt.mtf" --set "data.text=$work/text.txt" -D layers=4 -D batch=8 -D length=8 -D d_model=16 -D heads=2 -D d_ff=32
  --set train.microbatches=4) want=$work/chunks.want steps=3
if nightly; then
  model=("$M/two_layer.mtf") want=$work/eight.want steps=5
  check eight 8 "${model[@]}" 5 --mesh "rows:4;cols:2" --rules "batch:rows;hidden:cols"
fi

# Other devices, and one that this machine has not got, change no bit; what is no device is refused.
for devices in cpu:0 cpu:0-1,cpu:1023; do
  "$work/build/program" --steps $steps --quiet --devices "$devices" >"$work/log" 2>"$work/err"
  diff "$want" <(plain "$work/log")
done
grep -q "no cpu:1023" "$work/err"
status=0
"$work/build/program" --devices gpu:0 >"$work/log" 2>"$work/err" || status=$?
test "$status" -eq 2
grep -q "is not a list of devices" "$work/err"

# Checkpoints go from one form to the other.
"$work/build/program" --steps 2 --quiet --out "$work/run" >/dev/null 2>&1
"$mtfc" train "${model[@]}" --mesh "rows:2" --rules "batch:rows" --steps 3 --resume "$work/run" \
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
