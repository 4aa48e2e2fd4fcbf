# The parameter counts of Mesh-TensorFlow's paper (arXiv 1811.02084, section 9), from `check`, with the
# time that each took: nothing of a model's size is allocated to check it.
. "$(dirname "$0")/lib.sh"

# row MODEL BILLIONS DEFINITIONS...: what the table prints.
row() {
  local model=$1 billions=$2 begin
  shift 2
  begin=$(date +%s%N)
  expect 0 check "$TREE/models/$model.mtf" "$@"
  says out ", $billions billion)"
  echo "$model $*: $billions billion, $((($(date +%s%N) - begin) / 1000000)) ms"
}

# Table 2: the language model. The paper prints 65516 for the fifth inner dimension.
row transformer_lm 0.14 -D d_ff=4096 -D heads=4
row transformer_lm 0.22 -D d_ff=8192 -D heads=8
row transformer_lm 0.37 -D d_ff=16384 -D heads=16
row transformer_lm 0.67 -D d_ff=32768 -D heads=32
row transformer_lm 1.28 -D d_ff=65536 -D heads=64
row transformer_lm 2.48 -D d_ff=131072 -D heads=128
row transformer_lm 4.90 -D d_ff=262144 -D heads=256

# Table 3: translation, with d_k = d_v = 128.
row transformer_mt 0.15 -D vocab=32320 -D d_ff=2048 -D heads=4
row transformer_mt 0.24 -D vocab=32320 -D d_ff=4096 -D heads=8
row transformer_mt 0.42 -D vocab=32320 -D d_ff=8192 -D heads=16
row transformer_mt 0.77 -D vocab=32320 -D d_ff=16384 -D heads=32
row transformer_mt 1.48 -D vocab=32320 -D d_ff=32768 -D heads=64
row transformer_mt 2.89 -D vocab=32320 -D d_ff=65536 -D heads=128

# BERT-base with both heads, as its authors' code counts it.
expect 0 check "$TREE/models/bert.mtf"
says out "110,106,428"

# Llama by the definitions at the head of its file, as the published models are counted.
published() {
  local of
  of=$(sed -n "s/^# *$1: *\(-D .*\)/\1/p" "$TREE/models/llama.mtf")
  [ -n "$of" ] || fail "no definitions of $1"
  # shellcheck disable=SC2086
  expect 0 check "$TREE/models/llama.mtf" $of
  says out "($2 elements"
}
published 7B 6,738,415,616
published 8B 8,030,261,248
published 70B 70,553,706,496

# The same counts under the layout of the paper's largest runs, and Mesh-TensorFlow's strings as they
# are: a rule for something that the model lacks is a warning, never an error.
expect 0 check "$TREE/models/transformer_lm.mtf" -D d_ff=262144 -D heads=256 \
  --layout "$TREE/models/layouts/transformer_lm/paper.layout" --strict
says out "512"
pasted() {
  expect 0 check "$TREE/models/transformer_lm.mtf" --json --mesh "$1" --rules "$2"
  json out "o['ok'] and sum('W' == d['code'][0] for d in o['layouts'][0]['diagnostics']) == $3"
}
pasted "batch:2;model:4" "batch:batch;vocab:model;d_ff:model;heads:model" 0
pasted "batch:2,model:4" \
  "ensemble:ensemble,batch:batch,d_ff:model,heads:model,vocab:model,experts:batch" 2
pasted "model:4" "d_ff:model,heads:model,vocab:model" 0
pasted "all:8" "batch:all,experts:all" 1
pasted "outer:4,inner:2" "outer_batch:outer,batch:inner,experts:inner" 2
done_testing
