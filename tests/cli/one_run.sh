# One run at a time writes into a folder.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 4, d = 6
input x[batch, d] from gaussian(seed=7)
param w[d] ~ normal(0.1)
loss mean(einsum(x, w over d)^2)
train { optimizer = sgd(lr=0.01)  steps = 2 }
M
"$MTFC" train m.mtf -o run -j 1 --steps 1000000000 >/dev/null 2>running &
pid=$!
for _ in $(seq 100); do [ -s run/log.jsonl ] && break; sleep 0.1; done
newest=run/checkpoints/step-00000000.safetensors
[ -s $newest ] || fail "there is no first checkpoint"

# A second one, a resumed one, into the same folder or another, and `emit` name the first.
for second in "m.mtf -o run" "m.mtf -o run --force" "--resume run" "--resume run/checkpoints" "--resume $newest" \
    "--resume run -o other" "--resume $newest -o run"; do
  expect 3 train $second
  says err "process $pid on \`$(hostname)\` writes into it"
done
expect 3 emit m.mtf --backend json -o run
says err "process $pid on"
[ ! -e other ] || fail "another folder was made"
# Reading is free.
expect 0 eval --checkpoint run
expect 0 plot run -o curves.svg

# However it ends, the kernel releases the lock.
kill -KILL $pid
wait $pid 2>/dev/null
expect 0 train --resume run --steps 3
expect 0 train --resume $newest -o other --steps 4
expect 0 train --resume run --steps 5

# Of several that begin at once, one runs; what it wrote is its own.
for i in 1 2 3 4; do
  ("$MTFC" train m.mtf -o race -j 1 --steps 3000 --seed $i >"out$i" 2>"err$i"; echo $? >"status$i") &
done
wait
[ "$(cat status?| sort | tr '\n' ' ')" = "0 3 3 3 " ] || fail "statuses of a race: $(cat status?)"
for i in 1 2 3 4; do
  [ "$(cat status$i)" = 0 ] && first=$i || grep -q "writes into it\|checkpoints of another run" err$i || fail "run $i: $(cat err$i)"
done
grep -q "\"seed\":$first," race/run.json || fail "run.json is of another run"
[ "$(cut -d, -f1 race/log.jsonl | grep -c '"step"')" -eq 3001 ] || fail "the log is of two runs"

# A log that a run writes is not another's.
"$MTFC" train m.mtf --log one.log -j 1 --steps 100000 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do [ -s one.log ] && break; sleep 0.05; done
expect 3 train m.mtf --steps 3 --log one.log
says err "another run writes its log into \`one.log\`"
for output in "train m.mtf --steps 3 --dump-tensors" "train m.mtf --steps 3 --profile" "run m.mtf w -o" "draw m.mtf -o"; do
  expect 2 $output one.log
  says err "\`one.log\` exists, is not a"
done
kill -KILL $pid
wait $pid 2>/dev/null
[ "$(wc -l <one.log)" -gt 3 ] || fail "the log of the first run is gone"
expect 0 train m.mtf --steps 3 --log one.log

# A run is not resumed into the folder of another one, whose checkpoints would be removed.
expect 0 train m.mtf -o mine --steps 3
expect 0 train m.mtf -o theirs --steps 2 --seed 5
ls theirs/checkpoints >before
expect 3 train --resume mine --steps 5 --set train.checkpoint_every=1 -o theirs
says err "has the checkpoints of another run"
ls theirs/checkpoints | diff before - || fail "checkpoints of another run are gone"
done_testing
