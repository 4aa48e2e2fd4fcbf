# Numbers in words to digits, learnt and written on a 2x2 mesh: by beam search more than 95 % of the
# held-out lines are right to the last digit.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
model=$TREE/models/number_words.mtf
layout=$TREE/models/layouts/number_words/dp_mp.layout
expect 0 train "$model" --steps 350 --set train.eval_every=350 --json -o run --layout "$layout"
json out "o['metrics']['exact'] > 0.95"

head -n 100 "$TREE/models/data/number_words.eval.tsv" >pairs
cut -f 1 pairs >prompts
cut -f 2 pairs >wanted
expect 0 generate "$model" --checkpoint run --prompts prompts --beam 4 --tokens 6 --layout "$layout"
[ "$(wc -l <out)" = 100 ] || fail "not a line for each prompt"
right=$(paste out wanted | awk -F '\t' '$1 == $2' | wc -l)
[ "$right" -gt 95 ] || fail "$right of 100 right"
# Positions have parameters: no `-D` makes the checkpoint longer.
expect 2 generate "$model" --checkpoint run --prompt "one two three four five six seven eight nine"
says err 'shorten the prompt: the size of `source` cannot change, since parameters have it'
echo "beam search: $right of 100 right"
done_testing
