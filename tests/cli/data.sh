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
# The other files of the source stay where the model has them, whatever lies in the working directory.
sed 's/chars("text.txt"[^)]*)/chars("text.txt", eval="held.txt")/' chars.mtf >two_files.mtf
head -c 60 text.txt >held.txt
tail -c 60 text.txt >sub/held.txt
expect 0 train two_files.mtf $fitting
tail -n 1 out >wanted
(cd sub && timeout 20 "$MTFC" train ../two_files.mtf $fitting --set data.text=other.txt 2>&1 | tail -n 1 >../found)
cmp -s wanted found || fail "--set moves files that it does not name: $(cat found), not $(cat wanted)"
expect 3 train "$TREE/models/mnist.mtf" --set 'data.digits=idx("sub")'
expect 3 train "$TREE/models/mnist.mtf" -D row=14 -D col=14 --steps 1
says err "-D row=28"

# Pairs: a model of words trains on them, on any mesh with the same numbers.
for i in $(seq 40); do printf 'a%d b%d\tc%d\n' $((i % 5)) $((i % 3)) $((i % 4)); done >pairs.tsv
cat >pairs.mtf <<'M'
dim batch = 4, src = 3, tgt = 2, vocab = 14, d = 4
data pairs = tsv("pairs.tsv")
input s[batch, src]: int from pairs.source
input t[batch, tgt]: int from pairs.target
param e[vocab, d] ~ normal(1)
param o[d, tgt, vocab] ~ normal(1)
logits = einsum(mean(e[vocab = s] over src), o over d)
loss mean(cross_entropy(logits, t over vocab), weight=t != 0)
train { optimizer = sgd(lr=0.1)  steps = 12 }
M
expect 0 train pairs.mtf --log one.jsonl
expect 0 train pairs.mtf --mesh "x:2;y:2" --rules "batch:x;d:y" --log four.jsonl
losses() { grep -o '"loss":[0-9.]*' "$1" | cut -c8-13; }
[ "$(losses one.jsonl | wc -l)" = 12 ] || fail "no losses"
[ "$(losses one.jsonl)" = "$(losses four.jsonl)" ] || fail "another mesh takes other examples"
expect 3 train pairs.mtf -D vocab=13
says err "-D vocab=14"
expect 3 train pairs.mtf -D src=2
says err "pairs.tsv\`, line 1: \`source\` has 3 tokens with its end, src = 2"
says err "-D src=3"
says err "too_long"
expect 0 train pairs.mtf -D src=2 --set 'data.pairs=tsv("pairs.tsv", too_long="trim")'
expect 0 train pairs.mtf -D src=12 -D tgt=8 --set 'data.pairs=tsv("pairs.tsv", pack=true)' --steps 1
expect 1 check pairs.mtf --set 'data.pairs=tsv("pairs.tsv", to_long="trim")'
says err "no such argument"
gzip -k pairs.tsv
expect 0 train pairs.mtf --set data.pairs=pairs.tsv.gz
printf 'one\ttab\ttoo many\n' >bad.tsv
expect 3 train pairs.mtf --set data.pairs=bad.tsv
says err "bad.tsv\`, line 1 is not a pair"
rm pairs.tsv  # checking opens nothing
expect 0 check pairs.mtf

# Bytes are read where they lie, unless they are compressed: the same bytes.
gzip -k text.txt
for file in text.txt text.txt.gz; do
  for eval in "" ', eval="sub/other.txt"'; do
    expect 0 train chars.mtf -D vocab=256 --set "data.text=bytes(\"$file\"$eval)" --log "$file.log${eval:+.eval}"
  done
done
[ "$(losses text.txt.log | wc -l)" -gt 10 ] || fail "no losses of bytes"
for eval in "" .eval; do
  [ "$(losses "text.txt.log$eval")" = "$(losses "text.txt.gz.log$eval")" ] || fail "compressed bytes are others$eval"
done
expect 3 train chars.mtf -D vocab=255 --set 'data.text=bytes("text.txt")'
says err "-D vocab=256"

# A table is text, with a name for each column; messages name the file and the line.
cat >table.mtf <<'M'
dim batch = 2
data d = csv("t.csv", holdout=0)
input x[batch] from d.x
param w[] = 0.5
loss mean((x * w)^2)
train { optimizer = sgd(lr=0)  steps = 1 }
M
printf 'x,n\n\n1,"two\nlines"\n\nabc,b\n' >t.csv
expect 3 train table.mtf
says err "t.csv\`, line 6: \`abc\` is not a number"
printf 'x;n\n1;2\n' >t.csv
expect 3 train table.mtf
says err "cells are separated by commas, not by \`;\`"
printf 'x;n\n1,5;2,5\n' >t.csv  # as German tables are
expect 3 train table.mtf
says err "t.csv\`, line 2 has 3 cells"
says err "sed 's/,/./g; s/;/,/g'"
printf 'x,n\n"1,5",2\n' >t.csv
expect 3 train table.mtf
says err "\`1,5\` is not a number: decimals follow a point"
printf 'x,n\n"1,234,567",2\n' >t.csv
expect 3 train table.mtf
says err "\`1,234,567\` is not a number: thousands are not separated"
printf 'x,n\n"1,234",2\n' >t.csv
expect 3 train table.mtf
says err "decimals follow a point, and thousands are not separated"
printf 'x,n\n1,5,2\n' >t.csv
expect 3 train table.mtf
says err "a cell with a comma in it is written in quotes"
printf 'x,n\n1,\xff\xfe\n2,b\n' >t.csv
expect 3 train table.mtf
says err "t.csv\` is not UTF-8 text: see line 2"
printf 'x,n\n1,\0\n2,b\n' >t.csv
expect 3 train table.mtf
says err "holds a NUL"
{ printf 'x\n"a\nb'; printf 'ä%.0s' $(seq 60); printf '"\n1\n'; } >t.csv  # in one line, and whole characters
expect 3 train table.mtf
says err "t.csv\`, line 2: \`a b$(printf 'ä%.0s' $(seq 37))...\` is not a number"
printf 'x,x\n1,7\n2,7\n' >t.csv
expect 3 train table.mtf
says err "t.csv\`, line 1: two columns are called \`x\`"

# What is too short for an evaluation is said.
printf 'ab' >short.txt
short='data.text=chars("text.txt", eval="short.txt")'
expect 0 train chars.mtf $fitting --set "$short" -o short
says err "note: there are no evaluations: \`text\` has 2 tokens for evaluation; one window with its next token needs 5"
expect 2 eval --checkpoint short
says err "there is no evaluation data: \`text\` has 2 tokens"

printf 'x\n1\n2\n' >t.csv
printf 'x\n' >none.csv
expect 0 train table.mtf --set 'data.d=csv("t.csv", eval="none.csv")'
says err "there are no evaluations: \`none.csv\` has no examples"

# What says nothing is refused; ids are read where they lie.
expect 1 check chars.mtf --set 'data.text=chars("text.txt", eval="text.txt", holdout=0.2)'
says err '`holdout` has no effect beside `eval`'
printf 'a\0b\0a\0b\0a\0b\0a\0b\0a\0b\0a\0b\0' >ids.bin && gzip -k ids.bin
expect 3 train chars.mtf -D vocab=99 --set 'data.text=tokens("ids.bin.gz")'
says err 'ids.bin.gz` is compressed, but ids are read where they lie'

# Of 100 rows four fifths are 80, however 0.8 is rounded.
printf 'x\n' >t.csv && seq 100 >>t.csv
expect 0 run table.mtf x -D batch=20 --set 'data.d=csv("t.csv", holdout=0.8)'
expect 3 run table.mtf x -D batch=21 --set 'data.d=csv("t.csv", holdout=0.8)'
says err "has 20 examples, fewer than one batch"

# Byte pairs.
printf '{"t": 0, "h": 1, "e": 2, "th": 3, "the": 4, "Ġ": 5, "Ġthe": 6}' >vocab.json
printf '#version: 0.2\nt h\nth e\nĠ the\n' >merges.txt
printf 'the the the the the the the the the the the the the the the the' >the.txt
bpe='data.text=bpe("the.txt", vocab="vocab.json", merges="merges.txt", holdout=0.5)'
expect 0 train chars.mtf -D vocab=7 -D length=2 --set "$bpe"
expect 3 train chars.mtf -D vocab=6 -D length=2 --set "$bpe"
says err "-D vocab=7"
printf 'x y\n' >merges.txt
expect 3 train chars.mtf -D vocab=7 --set "$bpe"
says err "merges.txt\`, line 1: \`x\` is not in the vocabulary"
done_testing
