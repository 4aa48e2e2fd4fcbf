# What the tests of the command line share. Each test is a script that sources this and says what it
# expects; it runs in a scratch folder of its own with MTFC (the program) and TREE (the sources) set.
set -uo pipefail
: "${MTFC:?the program to test}" "${TREE:?the source tree}"
export PYTHONPATH=$TREE/tests/tools
. "$TREE/tests/tools/nightly.sh"
scratch=$(mktemp -d)
finished=
# A script that does not say that it is done has not judged what failed.
end() {
  local status=$?
  rm -rf "$scratch"
  [ $status -ne 0 ] || [ -n "$finished" ] || { echo "FAILED: done_testing is missing"; exit 1; }
}
trap end EXIT
cd "$scratch" || exit 1
failures=0

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  [ -s out ] && sed 's/^/  stdout: /' out | cut -c1-200 | head -n 20
  [ -s err ] && sed 's/^/  stderr: /' err | cut -c1-200 | head -n 20
}

# expect STATUS ARGS...: runs mtfc; its output is in the files out and err.
expect() {
  local wanted=$1
  shift
  timeout 60 "$MTFC" "$@" >out 2>err </dev/null
  local got=$?
  [ "$got" -eq "$wanted" ] || fail "mtfc $(printf '%q ' "$@" | cut -c1-150): status $got, not $wanted"
}

# says FILE TEXT: the file has that text somewhere, in one line or wrapped.
says() {
  grep -qF -- "$2" "$1" && return
  tr -s ' \n' ' ' <"$1" | grep -qF -- "$2" || fail "$1 does not say: $2"
}
silent() { [ ! -s "$1" ] || fail "$1 should be empty"; }

# json FILE EXPRESSION: the file is exactly one JSON object `o` of which the Python expression holds.
json() {
  if [ ! -x /usr/bin/python3 ]; then echo "skipped: no /usr/bin/python3 to read JSON"; return; fi
  /usr/bin/python3 -S -c "import json,sys
text = open(sys.argv[1]).read()
o = json.loads(text)
assert isinstance(o, dict) and text.count('\n') == 1, 'not one object on one line'
assert $2, o" "$1" 2>pyerr || { fail "$1: not true: $2"; tail -n 3 pyerr | cut -c1-300; }
}

# chain.mtf: three layers that are alike, for pipelines.
write_chain() {
  cat >chain.mtf <<'M'
use "nn.mtf"
dim batch = 64, d = 512, layers = 3
input x[batch, d] from gaussian(seed=7)
input y[batch, d] from gaussian(seed=8)
h = x
repeat layers { h = tanh(dense@lin(h over d -> d)) }
loss mean(square(h - y))
train { optimizer = adam(lr=0.001) steps = 10 }
M
}
# slow.layout: a machine of eight whose links are slow.
write_slow_machine() {
  cat >slow.layout <<'L'
hardware slow {
  chip flops=10TF vector=10TF mem=4GB hbm=1TB/s launch=1us
  link cable switch size=8 bw=4GB/s lat=1us
}
L
}

# two.mtf: a small model of two layers, where layouts split `batch` and `hidden`.
write_two_layers() {
  cat >two.mtf <<'M'
dim batch = 64, io = 32, hidden = 64
input x[batch, io] from gaussian(seed=1)
input y[batch, io] from gaussian(seed=2)
param w[io, hidden] ~ normal(0.1)
param v[hidden, io] ~ normal(0.1)
h = relu(einsum(x, w over io))
z = einsum(h, v over hidden)
loss mean((z - y)^2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
}

# day_sizes MODEL: options that make a model that ships small, which has what larger ones have; by night nothing.
day_sizes() {
  nightly || ! grep -q '^dim layers = ' "$1" || echo "-D layers=2"
}

done_testing() {
  finished=yes
  exit $((failures > 0))
}
