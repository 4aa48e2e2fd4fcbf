# What is read: regular files, and pipes that do not stay silent; devices are refused.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 2, length = 8, vocab = 20, d = 4
data text = chars("a.txt", holdout=0.2)
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param table[vocab, d] ~ normal(0.1)
param u[d, vocab] ~ normal(0.1)
loss mean(cross_entropy(einsum(table[vocab = tok], u over d), nxt over vocab))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
for i in $(seq 50); do echo "the cat sat"; done >words
mkfifo pipe silent

for device in /dev/zero /dev/null /dev/full; do
  expect 3 train m.mtf --set data.text=$device
  says err "it is a device"
  for what in "check $device" "check m.mtf --layout $device" "train m.mtf --start-from $device" "plot $device"; do
    timeout 20 "$MTFC" $what >out 2>err </dev/null
    case $? in 2 | 3) ;; *) fail "mtfc $what: status $?" ;; esac
  done
done
expect 2 check /dev/zero
says err "it is a device"

# Standard input may be anything: it was named.
timeout 20 "$MTFC" check - <m.mtf >out 2>err || fail "standard input"
(sleep 0.5; cat m.mtf) | timeout 20 "$MTFC" check - >out 2>err || fail "a pipe on standard input"

cat words >pipe &
expect 0 train m.mtf --set data.text=pipe
cp words a.txt
gzip -c words >pipe &
expect 3 train m.mtf --set data.text=pipe
says err "compressed, and a pipe"

# Two at once, since each waits for ten seconds.
timeout 30 "$MTFC" train m.mtf --set data.text=silent >out.1 2>err.1 </dev/null &
first=$!
timeout 30 "$MTFC" check silent >out 2>err </dev/null
[ $? = 2 ] || fail "a silent pipe as a model"
says err "nothing has come through this pipe for 10 seconds"
wait $first
[ $? = 3 ] || fail "a silent pipe as data"
says err.1 "nothing has come through this pipe for 10 seconds"
echo 'use "silent"' >u.mtf
expect 1 check u.mtf
says err "it is not a file"
done_testing
