# Signals end a run with a checkpoint, and the message says how to continue.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 4, d = 8, vocab = 4
data text = chars("a.txt", holdout=0.5)
input t[batch, d]: int from text.window
param table[vocab] ~ normal(0.1)
loss mean(table[vocab = t]^2)
train { optimizer = sgd(lr=0.00001)  steps = 1000000000 }
M
yes abc 2>/dev/null | head -c 200000 >a.txt
"$MTFC" check m.mtf >out 2>err || { fail "the model"; exit 1; }

# begin ARGS...: starts mtfc; its process is $pid.
begin() { "$MTFC" "$@" >out 2>err & pid=$!; }
# ended STATUS: within 20 s.
ended() {
  for _ in $(seq 200); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
  kill -KILL $pid 2>/dev/null && fail "still runs"
  wait $pid 2>/dev/null
  got=$?
  [ $got -eq "$1" ] || fail "status $got, not $1"
}
logged() { for _ in $(seq 60); do [ -s "$1" ] && return; sleep 0.1; done; fail "$1 stays empty"; }
step_of() { /usr/bin/python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readlines()[-1])["step"])' "$1"; }

for pair in INT:130 TERM:143 HUP:129; do
  rm -rf run
  begin train m.mtf -o run -j 1 --mesh "a:2" --rules "batch:a"
  logged run/log.jsonl
  kill -${pair%:*} $pid
  ended ${pair#*:}
  last=$(step_of run/log.jsonl)
  says err "ended by SIG${pair%:*} after step $last, saved in run; to continue:"
  [ -s "run/checkpoints/step-$(printf %08d "$last").safetensors" ] || fail "step $last is not saved: $(ls run/checkpoints)"
  command=$(grep -A1 "to continue" err | tail -n 1)
  [ "$command" = "  mtfc train --resume run" ] || fail "the command: $command"
  eval "set -- ${command#  mtfc}"
  expect 0 "$@" --steps $((last + 1))
  says err "on mesh a=2, $((last + 1)) steps"
done
begin train m.mtf --log only.jsonl -j 1
logged only.jsonl
kill -TERM $pid
ended 143
says err "not saved (no -o)"

# While an evaluation runs: its step is saved.
head -c 20000000 /dev/zero | tr '\0' a >long.txt
begin train m.mtf -D batch=1 -o evaluated -j 1 --set 'data.text=chars("long.txt", holdout=0.9)' --set train.eval_every=3
for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <evaluated/log.jsonl)" = 3 ] && break; sleep 0.05; done
kill -INT $pid
ended 130
[ -s evaluated/checkpoints/step-00000003.safetensors ] || fail "the step before the evaluation is not saved: $(ls evaluated/checkpoints)"

# While data is waited for there is nothing to save: at once.
mkfifo waits.txt
begin train m.mtf --set 'data.text=waits.txt' -o waiting
sleep 0.5
kill -TERM $pid 2>/dev/null
ended_by=143
for _ in $(seq 30); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
kill -KILL $pid 2>/dev/null && fail "SIGTERM does not end a run that waits for its data"
wait $pid 2>/dev/null
got=$?
[ $got = $ended_by ] || [ $got = 3 ] || fail "waiting for data: status $got"

# nohup: SIGHUP was ignored before, and stays so.
(trap '' HUP; exec "$MTFC" train m.mtf -o nohup -j 1 >out 2>err) &
pid=$!
logged nohup/log.jsonl
kill -HUP $pid
sleep 0.5
kill -0 $pid || fail "nohup does not help"
kill -TERM $pid
ended 143

# Nobody reads the progress any more: the run goes on.
mkfifo progress
(exec "$MTFC" train m.mtf -o unread -j 1 --steps 2000 >out 2>progress; ) &
pid=$!
head -n 1 progress >first
ended 0
[ "$(step_of unread/log.jsonl)" = 2000 ] || fail "a broken pipe of progress stops a run at step $(step_of unread/log.jsonl)"
done_testing
