#!/usr/bin/env bash
# Checkpoints of several ranks: one file or a folder, each rank writing what it has; the same bytes as
# the simulated mesh's, read under any other mesh and number of ranks; and what each rank reads of the
# data.
. "$(dirname "$0")/lib.sh" openmpi
L=$TREE/models/layouts/two_layer
model=("$TREE/models/two_layer.mtf" -D batch=8 -D io=16 -D hidden=8 --set "train.optimizer=adam(lr=0.01)")
meshes=("--layout $L/dp_mp.layout" "--mesh a:4 --rules hidden:a" "--mesh a:2 --rules io:a" "--mesh a:1")
ranks=(4 4 2 1)

for i in "${!meshes[@]}"; do
  "$MTFC" train "${model[@]}" ${meshes[i]} --steps 4 -o "sim$i" >/dev/null 2>err || { cat err; fail "simulated ${meshes[i]}"; }
  for family in "${families[@]}"; do
    for form in one_file sharded; do
      out=$family.$form.$i
      run "$family" "${ranks[i]}" "$MTFC" train "${model[@]}" ${meshes[i]} --steps 4 -o "$out" -j 1 \
        --set train.checkpoint=$form >/dev/null 2>err || { cat err; fail "$out"; continue; }
      saved=$out/checkpoints/step-00000004
      [ $form = sharded ] || saved=$saved.safetensors
      /usr/bin/python3 "$TREE/tests/mpi/tensors.py" "$saved" "sim$i/checkpoints/step-00000004.safetensors" ||
        fail "$out is not what the simulated mesh saves"
      [ -z "$(ls "$out/checkpoints" | grep writing)" ] || fail "$out left something"
    done
  done
done
# Every rank has written: with hidden split in four, each file has a quarter of w1.
/usr/bin/python3 - <<'P' || fail "the parts are not shares"
import glob, os
for path in glob.glob("*.sharded.1/checkpoints/step-00000004"):
    sizes = [os.path.getsize(f) for f in sorted(glob.glob(path + "/part-*"))]
    assert len(sizes) == 4 and max(sizes) < 1.5 * min(sizes), sizes
P

# Each goes on under another mesh, another form and another number of ranks, and evaluates alike.
for family in "${families[@]}"; do
  for form in one_file sharded; do
    run "$family" 2 "$MTFC" train --resume $family.$form.1 ${meshes[2]} --steps 6 -j 1 >/dev/null 2>err ||
      { cat err; fail "$family $form: four ranks to two"; }
    "$MTFC" train --resume $family.$form.1 --steps 7 >/dev/null 2>err || { cat err; fail "$family $form: to one"; }
    other=$([ $form = sharded ] && echo one_file || echo sharded)
    run "$family" 4 "$MTFC" train --resume $family.$form.1 ${meshes[0]} --steps 8 -j 1 \
      --set train.checkpoint=$other --set train.keep=2 >/dev/null 2>err || { cat err; fail "$family $form to $other"; }
    [ "$(ls $family.$form.1/checkpoints | wc -l)" = 2 ] || fail "keep: $(ls $family.$form.1/checkpoints)"
  done
done

# Going on under the same mesh: the bits of a run that was never interrupted. A damaged newest one is
# passed over, by all ranks alike, and its damage told once.
"$MTFC" train "${model[@]}" ${meshes[0]} --steps 8 --set train.checkpoint_every=2 -o whole >/dev/null 2>&1
for family in "${families[@]}"; do
  for form in one_file sharded; do
    run "$family" 4 "$MTFC" train "${model[@]}" ${meshes[0]} --steps 4 --set train.checkpoint_every=2 -o cut.$form \
      --set train.checkpoint=$form -j 1 >/dev/null 2>&1 || fail "cut.$form"
    last=cut.$form/checkpoints/step-00000004
    [ $form = sharded ] && last=$last/part-00003.safetensors || last=$last.safetensors
    printf 'X' | dd of="$last" bs=1 seek=$(($(stat -c %s "$last") - 3)) conv=notrunc 2>/dev/null
    run "$family" 4 "$MTFC" train --resume cut.$form ${meshes[0]} --steps 8 -j 1 >/dev/null 2>err ||
      { cat err; fail "$family $form: resuming from the older"; }
    [ "$(grep -c W510 err)" = 1 ] || { cat err; fail "W510 not once"; }
    cmp -s <(losses whole/log.jsonl | grep -v eval) <(losses cut.$form/log.jsonl | grep -v eval) ||
      { losses cut.$form/log.jsonl; fail "$family $form: another log"; }
    rm -rf cut.$form
  done
done

# What each rank reads of the data: its share and no more.
mnist=("$TREE/models/mnist.mtf" -D batch=40 -D hidden1=8 -D hidden2=8 --steps 3 -j 1 --json)
"$MTFC" train "${mnist[@]}" >alone 2>/dev/null || fail "mnist alone"
for family in "${families[@]}"; do
  run "$family" 4 "$MTFC" train "${mnist[@]}" --mesh "a:2,b:2" --rules "batch:a row:b" >shares 2>err || { cat err; fail "mnist on four"; }
  /usr/bin/python3 - <<'P' || fail "$family: what ranks read"
import json
alone, shares = (json.load(open(f))["read"] for f in ("alone", "shares"))
assert len(alone) == 1 and len(shares) == 4, shares
for rank in shares:
    assert 2 * rank["examples"] == alone[0]["examples"] > 0, (alone, shares)
    # half of the rows, half of each image; labels are whole in each row
    assert 4 * rank["bytes"] < 1.01 * alone[0]["bytes"], (alone, shares)
P
done
exit $failed
