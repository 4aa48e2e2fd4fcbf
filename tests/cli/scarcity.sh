# Outputs that cannot be written, descriptors that are closed, threads that are refused: one message each.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 4, d = 6
input x[batch, d] from gaussian(seed=7)
param w[d] ~ normal(0.1)
loss mean(einsum(x, w over d)^2)
train { optimizer = sgd(lr=0.01)  steps = 3 }
M
for command in "check m.mtf" "cost m.mtf --json" "emit m.mtf --backend json" "lib nn.mtf" "train m.mtf --dump-after all" \
    "--help" "train --help" "train m.mtf" "plot log.jsonl"; do
  expect 0 train m.mtf --log log.jsonl
  "$MTFC" $command >/dev/full 2>err </dev/null
  [ $? -eq 3 ] || fail "mtfc $command: a full standard output gives another status"
  [ "$(grep -c 'standard output is not complete' err)" = 1 ] || fail "mtfc $command: not one message"
  "$MTFC" $command >&- 2>err </dev/null
  [ $? -eq 3 ] || fail "mtfc $command: a closed standard output gives another status"
done
# No text goes into a file of the run.
"$MTFC" train m.mtf -o run -j 1 2>&- >out </dev/null || fail "a closed standard error"
"$MTFC" train m.mtf -o run2 -j 1 0<&- 1>&- 2>&-
[ $? -eq 3 ] || fail "all descriptors closed"
for folder in run run2; do
  [ "$(grep -vc '^{.*}$' $folder/log.jsonl)" = 0 ] || fail "text in the log: $(cat $folder/log.jsonl)"
  expect 0 eval --checkpoint $folder
done

# Threads: a limit on addresses stands in for one on processes. The address sanitizer needs more.
if (ulimit -v 8000000; "$MTFC" --version) >/dev/null 2>&1; then
  (ulimit -v 8000000; timeout 20 "$MTFC" train m.mtf -j 2000 --steps 1) >out 2>err
  [ $? -eq 4 ] || fail "refused threads: another status"
  says err "a thread cannot be started"
fi
done_testing
