#!/usr/bin/env bash
# tests/bench/soak.sh MTFC [STEPS]: a small model for a million steps (minutes), saved and evaluated on the way: memory, open
# files, threads and the run's folder without its log do not grow after the first tenth, and the log says its size.
# STEPS must take some seconds at least.
set -uo pipefail
MTFC=$(realpath "$1") steps=${2:-1000000}
folder=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat >m.mtf <<'M'
dim batch = 4, hidden = 6
data table = csv("t.csv", holdout=0.2)
input a[batch] from table.a
input b[batch] from table.b
param w[hidden] ~ normal(0.1)
param v[hidden] ~ normal(0.1)
loss mean((sum(tanh(a * w) * v over hidden) - b)^2)
train { optimizer = adam(lr=0.001)  steps = 10 }
M
awk 'BEGIN { print "a,b"; for (i = 0; i < 200; ++i) print i / 100 - 1 "," (i % 7) / 7 }' >t.csv

# measure PID: resident kB, open files, threads, kB of the run's folder without its log
measure() {
  echo "$(awk '/^VmRSS/ { print $2 }' /proc/$1/status) $(ls /proc/$1/fd | wc -l) $(ls /proc/$1/task | wc -l)" \
    "$(du -sk --exclude=log.jsonl run | cut -f1)"
}
at() { tail -n 1 run/log.jsonl 2>/dev/null | sed -n 's/^{"step":\([0-9]*\),.*/\1/p'; }

"$MTFC" train m.mtf -o run -j 2 --mesh a:2 --rules batch:a --steps "$steps" --set train.eval_every=$((steps / 50)) \
  --set train.checkpoint_every=$((steps / 100)) >out 2>err </dev/null &
pid=$!
begun=$SECONDS first= most=(0 0 0 0) last=0
while kill -0 $pid 2>/dev/null; do
  sleep 1
  step=$(at)
  [ -n "$step" ] && [ "$step" -gt $((steps / 10)) ] || continue
  read -ra now <<<"$(measure $pid 2>/dev/null)"
  [ ${#now[@]} = 4 ] || break  # it has ended meanwhile
  first=${first:-${now[*]}} last=$step
  for i in 0 1 2 3; do [ "${now[i]}" -le "${most[i]}" ] || most[i]=${now[i]}; done
done
wait $pid || { cat err; echo "FAILED: status $?"; exit 1; }
echo "$steps steps in $((SECONDS - begun)) s; resident kB, open files, threads, kB on disk: at a tenth $first, at most ${most[*]}"
tail -n 1 err
read -ra first <<<"$first"
[ "$last" -gt $((steps / 2)) ] || { echo "FAILED: nothing measured after half of the steps: take more"; exit 1; }
failed=0
# A checkpoint is being written now and then: one file more, one checkpoint more on the disk.
slack=(2000 2 0 16)
for i in 0 1 2 3; do
  [ "${most[i]}" -le $((first[i] + slack[i])) ] || { echo "FAILED: figure $((i + 1)) grows from ${first[i]} to ${most[i]}"; failed=1; }
done
[ "$(wc -l <run/log.jsonl)" -ge "$steps" ] || { echo "FAILED: the log lacks lines"; failed=1; }
[ "$(stat -c %s run/log.jsonl)" -lt 10000000 ] || grep -q "of which the log has" err || { echo "FAILED: a large log does not say its size"; failed=1; }
exit $failed
