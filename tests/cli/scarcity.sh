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

# A limit on the size of files is like a disk that is full. `big`: of the standard output and of what is written.
sed 's/d = 6/d = 6000/' m.mtf >big.mtf
for command in "emit m.mtf --backend mpi -o limited" "run big.mtf w -o limited.npz" "lib nn.mtf" "train big.mtf -o limited_run"; do
  (ulimit -f 1; exec "$MTFC" $command) >limited.out 2>err </dev/null
  [ $? -eq 3 ] || fail "mtfc $command: a limit on files gives another status"
  [ "$(grep -c '^error' err)" = 1 ] || fail "mtfc $command: not one message"
  [ -z "$(find . -name '*writing*')" ] || fail "mtfc $command leaves $(find . -name '*writing*')"
done

# Threads: a limit on addresses stands in for one on processes. The address sanitizer needs more.
if (ulimit -v 8000000; "$MTFC" --version) >/dev/null 2>&1; then
  (ulimit -v 8000000; timeout 20 "$MTFC" train m.mtf -j 2000 --steps 1) >out 2>err
  [ $? -eq 4 ] || fail "refused threads: another status"
  says err "a thread cannot be started"
fi
# A limit on processes, which root does not have.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && chmod 755 . && setpriv --reuid=65534 test -x "$MTFC" 2>/dev/null; then
  setpriv --reuid=65534 --regid=65534 --clear-groups bash -c 'ulimit -u 1; exec "$@"' - \
    "$MTFC" train "$PWD/m.mtf" -j 3 --steps 1 >out 2>err </dev/null
  [ $? -eq 4 ] || fail "a limit on processes: another status"
  says err "a thread cannot be started"
fi

# Tensors that fit into memory one by one and not together are refused before any is written to: the system would end
# the process when they are.
n=$(awk '/^MemTotal|^SwapTotal/ { sum += $2 } END { print int(sqrt(sum * 1024 / 4 * 0.6)) }' /proc/meminfo)
cat >large.mtf <<LARGE
dim a = $n, b = $n, batch = 4
input x[batch, a] from gaussian(seed=1)
param first[a, b] ~ normal(1)
param second[a, b] ~ normal(1)
y = einsum(x, first over a)
z = einsum(x, second over a)
loss mean(y * z)
train { optimizer = sgd(lr=0.1)  steps = 1 }
LARGE
for command in "train large.mtf" "run large.mtf y z"; do
  expect 4 $command
  [ "$(grep -c "not enough memory" err)" = 1 ] || fail "$command of what no machine holds: $(cat err)"
  grep -q 'mtfc cost' err || fail "$command of what no machine holds: no help"
done

# Memory that ends anywhere: one allocation fails. One message, status 4, nothing half-written; a run
# that was begun goes on or begins anew.
if ! ${CC:-cc} -O1 -shared -fPIC -o fail.so "$TREE/tests/tools/fail_allocations.c" 2>cc.err; then
  echo "skipped: no C compiler"
  done_testing
fi
# The sanitizers have an allocator of their own.
if ! FAIL_COUNT=1 LD_PRELOAD=$PWD/fail.so "$MTFC" check m.mtf 2>&1 >/dev/null | grep -q "allocations$"; then done_testing; fi
sed 's/batch = 4, d = 6/batch = 64, d = 96/; s/w\[d\]/w[d, h]/; s/dim /dim h = 64, /' m.mtf >product.mtf
expect 0 train product.mtf -o trained
# The same by limits on addresses, where threads, the C library and oneDNN ask the kernel themselves.
for limit in 20000 40000 50000 60000 75000 90000 105000 120000 140000 165000 200000; do
  rm -rf new
  (ulimit -v $limit; exec "$MTFC" train product.mtf -o new -j 2) >out 2>err </dev/null
  status=$?
  [ $status = 0 ] && continue
  [ $status = 4 ] || fail "a limit of $limit kB: status $status"
  [ "$(grep -cE "not enough memory|a thread cannot be started" err)" = 1 ] || fail "a limit of $limit kB: not one message"
done
# What memory ends for is named: an evaluation of more than means takes the whole batch, a step one micro-batch.
cat >whole.mtf <<'WHOLE'
dim batch = 512, a = 2, hidden = 1000000
input x[batch, a] from gaussian(seed=1)
param w[a, hidden] ~ normal(1)
h = tanh(einsum(x, w over a))
loss mean(h * (1 - h))
metric highest = max(h)
train { optimizer = sgd(lr=0.1)  steps = 1  microbatches = 512 }
WHOLE
(ulimit -v 1000000; exec "$MTFC" train whole.mtf -j 2) >out 2>err </dev/null
[ $? = 4 ] || fail "an evaluation that has no memory: another status"
grep -q "error\[E601\]: not enough memory for an evaluation" err || fail "not told what has no memory: $(cat err)"
# ends_anywhere POINTS ARGS...: as many of the allocations, evenly over all of them.
ends_anywhere() {
  local points=$1 count at status
  shift
  rm -rf new
  count=$(FAIL_COUNT=1 LD_PRELOAD=$PWD/fail.so "$MTFC" "$@" 2>&1 >/dev/null </dev/null | sed -n 's/ allocations$//p')
  [ "${count:-0}" -gt 1000 ] || { fail "mtfc $*: $count allocations"; return; }
  for at in $(seq 1 $((count / points)) "$count"); do
    rm -rf new
    FAIL_AT=$at LD_PRELOAD=$PWD/fail.so "$MTFC" "$@" >out 2>err </dev/null
    status=$?
    if [ $status = 0 ]; then
      grep -q "^error" err && fail "mtfc $*: status 0 with an error when allocation $at of $count fails"
      continue
    fi
    [ $status = 4 ] || fail "mtfc $*: status $status when allocation $at of $count fails"
    [ "$(cat out err | grep -c "not enough memory")" = 1 ] || fail "mtfc $*: not one message when allocation $at of $count fails"
    [ -z "$(find . -name '*writing*')" ] || fail "mtfc $*: allocation $at leaves $(find . -name '*writing*')"
    [ -d new ] && [ $((at / (count / points) % 5)) = 0 ] || continue
    if [ -n "$(ls new/checkpoints 2>/dev/null)" ]; then expect 0 train --resume new; else expect 0 train product.mtf -o new; fi
  done
}
ends_anywhere 60 train product.mtf -o new -j 2
ends_anywhere 30 eval --checkpoint trained -j 2
ends_anywhere 20 verify m.mtf --mesh a:2 --rules batch:a
ends_anywhere 20 cost m.mtf --json
ends_anywhere 20 emit m.mtf --backend json -o new
ends_anywhere 20 run m.mtf w -o new
done_testing
