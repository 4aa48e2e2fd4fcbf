# Data that does not fit says so with the -D that does, and points into the model.
. "$(dirname "$0")/lib.sh"
cat >chars.mtf <<'M'
dim batch = 2, length = 4, vocab = 3, d = 4
data text = chars("text.txt")
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param e[vocab, d] ~ normal(1)
param o[d, vocab] ~ normal(1)
logits = einsum(e[vocab = tok], o over d)
loss mean(cross_entropy(logits, nxt over vocab))
train { optimizer = sgd(lr=0.1)  epochs = 2 }
M
printf 'the quick brown fox jumps over the lazy dog, again and again and again' >text.txt
expect 0 check chars.mtf
expect 3 train chars.mtf
says err "distinct characters: "
says err "-D vocab=2"
says err "E501"
says err "chars.mtf:3"
fitting=$(grep -o -- '-D vocab=[0-9]*' err | head -n 1)
expect 0 train chars.mtf $fitting
expect 3 train chars.mtf --set data.text=none.txt
says err "no such file"
mkdir sub && cp text.txt sub/other.txt
(cd sub && timeout 20 "$MTFC" train ../chars.mtf $fitting --set data.text=other.txt >/dev/null 2>&1) ||
  fail "--set is relative to the working directory"
expect 3 train "$TREE/models/mnist.mtf" --set 'data.digits=idx("sub")'
expect 3 train "$TREE/models/mnist.mtf" -D row=14 -D col=14 --steps 1
says err "-D row=28"
done_testing
