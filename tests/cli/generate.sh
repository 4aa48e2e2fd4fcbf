# mtfc generate: prompts, layouts, threads; bytes that are no text; options that make no sense.
. "$(dirname "$0")/lib.sh"
printf 'to be, or not to be: that is the question.\nROMEO é\n' >text
gpt=(generate "$TREE/models/gpt.mtf" --set "data.text=$scratch/text" -D vocab=22 -D layers=2
  -D d_model=32 -D length=96)

# The same seed is the same text, whatever runs it.
expect 0 "${gpt[@]}" --prompt "to be" --tokens 120 --seed 4
says err "untrained"
says err "generation continued from its last half"
cp out first
[ "$(LC_ALL=C.UTF-8 wc -m <out)" -eq 126 ] || fail "120 characters and the prompt: $(wc -m <out)"
for more in "-j 1" "-j 3" "--layout $TREE/models/layouts/gpt/dp.layout" "--replicas all" \
  "--layout $TREE/models/layouts/gpt/mp.layout" "--layout $TREE/models/layouts/gpt/dp_mp.layout" \
  "--mesh rows:2 --rules memory:rows" "--mesh rows:2;cols:2 --rules length:rows;memory:cols"; do
  # shellcheck disable=SC2086
  expect 0 "${gpt[@]}" --prompt "to be" --tokens 120 --seed 4 $more
  cmp -s out first || fail "another text with $more"
done
expect 0 "${gpt[@]}" --prompt "to be" --tokens 120 --seed 5
cmp -s out first && fail "another seed gives the same text"

# What training leaves as it is does not matter to texts.
sed 's/^train {/&\n  params "wpe" { frozen = true }/' "$TREE/models/gpt.mtf" >frozen.mtf
expect 0 check frozen.mtf
says err "N304"
expect 0 generate frozen.mtf "${gpt[@]:2}" --prompt "to be" --tokens 3
! grep -q N304 err || fail "generate notes what is not trained"

# Several prompts at once give what each gives alone.
printf 'to be\nq\r\nROMEO é\n' >prompts
expect 0 "${gpt[@]}" --prompts prompts --tokens 9 --temperature 0
cp out together
for prompt in "to be" "q" "ROMEO é"; do
  expect 0 "${gpt[@]}" --prompt "$prompt" --tokens 9 --temperature 0
  grep -qFf out together || fail "$prompt: alone and together differ"
done
[ "$(grep -c -- '^----------$' together)" -eq 2 ] || fail "texts are divided by lines"
printf '\xef\xbb\xbfto be\nq\r\nROMEO é\n' >prompts
expect 0 "${gpt[@]}" --prompts prompts --tokens 9 --temperature 0
cmp -s out together || fail "a byte-order mark is part of a prompt"

# JSON, beams, timing.
expect 0 "${gpt[@]}" --prompt a --prompt to --tokens 7 --beam 3 --length-penalty 1 --json --timing
json out "o['ok'] and o['incremental'] and [t['prompt'] for t in o['texts']] == ['a', 'to']"
json out "all(len(t['ids']) == 7 and len(t['beams']) == 3 and not t['ended'] for t in o['texts'])"
json out "all(b['score'] <= a['score'] for t in o['texts'] for a, b in zip(t['beams'], t['beams'][1:]))"
json out "'positions' in o['seconds']"
expect 0 "${gpt[@]}" --prompt a --tokens 64 --timing
! grep "^position" out err | sed 's/:[^:]*$//' | sort | uniq -d | grep -q . || fail "a position stands there twice"
expect 0 "${gpt[@]}" --tokens 0 --prompt "be"
[ "$(cat out)" = be ] || fail "no tokens: the prompt alone"
expect 0 "${gpt[@]}" --tokens 3
expect 0 "${gpt[@]}" --prompts text --tokens 1
yes "to be" | head -n 1500 >many
expect 0 "${gpt[@]}" --prompts many --tokens 2 --temperature 0 --json
json out "len(o['texts']) == 1500 and len({tuple(t['ids']) for t in o['texts']}) == 1"

# Bytes: a model of bytes makes text that is no UTF-8; what is printed is.
sed 's/chars("input.txt")/bytes("text")/; s/vocab = 65/vocab = 256/' "$TREE/models/gpt.mtf" >bytes.mtf
small="-D layers=1 -D d_model=16 -D heads=2 -D d_head=8 -D d_ff=16"
# shellcheck disable=SC2086
expect 0 generate bytes.mtf $small --prompt "é" --tokens 60
iconv -f UTF-8 -t UTF-8 out >/dev/null 2>&1 || fail "what is printed is not UTF-8"
# shellcheck disable=SC2086
expect 0 generate bytes.mtf $small --tokens 60 --json
json out "len(o['texts'][0]['ids']) == 60"

# A look ahead: every token is computed in full, with a warning.
sed 's/>= index(memory)/+ 1 >= index(memory)/' "$TREE/models/gpt.mtf" >ahead.mtf
# shellcheck disable=SC2086
expect 0 generate ahead.mtf $small --set "data.text=$scratch/text" -D vocab=22 --tokens 5 --prompt to
says err "W330"
says err "may be later than that along"
# shellcheck disable=SC2086
expect 1 generate ahead.mtf $small --set "data.text=$scratch/text" --tokens 1 --strict
expect 0 check ahead.mtf
says err "W330"
expect 0 check "$TREE/models/gpt.mtf"
silent err

# Llama: rotated keys are cached. With the mask in words that are not seen to be causal, every token is
# computed in full: the same text.
llama=(--prompt " " --tokens 60 --seed 3 -D d_ff=64)
expect 0 generate "$TREE/models/llama.mtf" "${llama[@]}" --json
json out "o['incremental']"
expect 0 generate "$TREE/models/llama.mtf" "${llama[@]}"
grep -q W330 err && fail "llama: computed in full"
cp out first
for more in "-j 1" "--replicas all" "--layout $TREE/models/layouts/llama/tp.layout" \
  "--layout $TREE/models/layouts/llama/fsdp_tp.layout" "--mesh rows:2;cols:2 --rules length:rows;memory:cols"; do
  # shellcheck disable=SC2086
  expect 0 generate "$TREE/models/llama.mtf" "${llama[@]}" $more
  cmp -s out first || fail "llama: another text with $more"
done
sed 's/causal_mask(over length -> memory)/(index(length) - index(memory)) \/\/ 1000 == 0/' \
  "$TREE/models/llama.mtf" >full.mtf
expect 0 generate full.mtf "${llama[@]}" --set "data.text=$TREE/models/data/stories.txt"
says err "W330"
cmp -s out first || fail "llama: another text when computed in full"

# What makes no sense.
expect 2 "${gpt[@]}" --prompt "Z"
says err '`Z` (U+005A)'
expect 2 "${gpt[@]}" --prompt "$(printf '\xff')"
expect 2 "${gpt[@]}" --prompts /no/such/file
: >empty && expect 2 "${gpt[@]}" --prompts empty
head -c 100000 /dev/urandom >junk && expect 2 "${gpt[@]}" --prompts junk --tokens 1
expect 2 "${gpt[@]}" --temperature -1
expect 2 "${gpt[@]}" --temperature nan
expect 2 "${gpt[@]}" --temperature x
expect 2 "${gpt[@]}" --top-k 0
expect 2 "${gpt[@]}" --tokens -1
expect 2 "${gpt[@]}" --tokens 99999999999999999999
expect 2 "${gpt[@]}" --beam 0
expect 2 "${gpt[@]}" --beam 2 --temperature 1
expect 2 "${gpt[@]}" --beam 2 --top-k 1
expect 2 "${gpt[@]}" --temperature 0 --top-k 5
says err "takes the likeliest token, so that"
expect 2 "${gpt[@]}" --length-penalty 1
expect 0 "${gpt[@]}" --beam 50 --tokens 2
expect 0 "${gpt[@]}" --temperature 1e-300 --tokens 2
expect 0 "${gpt[@]}" --temperature 1e6 --top-k 1000000 --tokens 2
expect 2 generate "$TREE/models/mnist.mtf"
says err "does not say what it generates"
expect 3 generate "$TREE/models/gpt.mtf" --set data.text=/no/such/file
# The ids of a prompt that is looked up in a table of its own are rows of it.
cat >pairs.mtf <<'M'
dim batch = 2, long = 3, short = 3, from_size = 5, to_size = 4, d = 2
input s[batch, long]: int from gaussian_labels(seed=1, classes=from_size)
input t[batch, short]: int from gaussian_labels(seed=2, classes=to_size)
param table[from_size, d] ~ normal(1)
param made[to_size, d] ~ normal(1)
param out[d, to_size] ~ normal(1)
before = shift(t, 1 over short)
h = sum(table[from_size = s] over long)
logits = einsum(made[to_size = before] + h, out over d)
loss mean(cross_entropy(logits, t over to_size))
generate logits from before over short { prompt = s }
M
expect 0 generate pairs.mtf --prompt 4 --tokens 2
expect 2 generate pairs.mtf --prompt 5 --tokens 2
says err 'the id 5 is not below `from_size` = 5'
done_testing
