#!/usr/bin/env bash
# Ranks without a common filesystem: each has a folder of its own. Rank 0 gathers and writes the checkpoints alone, the
# same bytes as the simulated mesh's; the others go on from copies of them.
. "$(dirname "$0")/lib.sh" mpich
model=("$TREE/models/two_layer.mtf" -D batch=8 -D io=16 -D hidden=8 --set "train.optimizer=adam(lr=0.01)"
  --mesh a:2 --rules hidden:a -j 1)
cat >apart.sh <<'R'
#!/bin/sh
mkdir -p "rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && cd "rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" || exit 9
exec "$MTFC" "$@"
R
chmod +x apart.sh

refused() {
  [ $form = one_file ] || return
  run "$family" 2 ./apart.sh train --resume out "${model[@]:1}" --steps 6 >/dev/null 2>err && fail "$what: no copy"
  [ "$(grep -c '^error' err)" = 1 ] && grep -q "$1" err || { cat err; fail "$what: not told: $1"; }
}

"$MTFC" train "${model[@]}" --steps 4 -o short >/dev/null 2>err || { cat err; fail "four steps"; }
"$MTFC" train "${model[@]}" --steps 6 -o whole >/dev/null 2>err || { cat err; fail "six steps"; }
for family in "${families[@]}"; do
  for form in one_file sharded; do
    what="$family $form"
    rm -rf rank0 rank1
    run "$family" 2 ./apart.sh train "${model[@]}" --set train.checkpoint=$form --steps 4 -o out >/dev/null 2>err ||
      { cat err; fail "$what: saving"; continue; }
    [ ! -e rank1/out ] || fail "$what: rank 1 has written $(ls rank1/out)"
    /usr/bin/python3 "$TREE/tests/mpi/tensors.py" rank0/out/checkpoints/step-00000004* \
      short/checkpoints/step-00000004.safetensors || fail "$what: not what the simulated mesh saves"
    [ "$(ls rank0/out/checkpoints | wc -l)" = 2 ] || fail "$what: left $(ls rank0/out/checkpoints)"

    # Without a copy all ranks end, and one message says why; with one the run goes on to the bits of one that never
    # stopped.
    refused "there is no checkpoint"
    mkdir -p rank1/out/checkpoints
    refused "no checkpoints that all ranks see"
    rm -rf rank1/out
    cp -r rank0/out rank1/out
    run "$family" 2 ./apart.sh train --resume out "${model[@]:1}" --steps 6 >/dev/null 2>err ||
      { cat err; fail "$what: going on"; continue; }
    /usr/bin/python3 "$TREE/tests/mpi/tensors.py" rank0/out/checkpoints/step-00000006* \
      whole/checkpoints/step-00000006.safetensors || fail "$what: went on to something else"
    [ ! -e rank1/out/checkpoints/step-00000006* ] || fail "$what: rank 1 has written"
  done
done
exit $failed
