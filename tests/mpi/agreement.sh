#!/usr/bin/env bash
# Ranks with other files, settings, options or programs: all of them end before the first step, and one message names
# what differs, and on which rank. Each rank has a folder of its own.
. "$(dirname "$0")/lib.sh" openmpi
cat >m.mtf <<'M'
dim batch = 8, length = 16, vocab = 40, d = 16
data text = chars("a.txt", holdout=0.2)
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param table[vocab, d] ~ normal(0.1)
param u[d, vocab] ~ normal(0.1)
logits = einsum(table[vocab = tok], u over d)
loss mean(cross_entropy(logits, nxt over vocab))
generate logits from tok over length
train { optimizer = sgd(lr=0.1)  steps = 4 }
M
for i in $(seq 120); do echo "the cat sat on mat number $((i * i % 100))"; done >a.txt
cat >apart.sh <<'R'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
cd "d$rank" || exit 9
program=$MTFC
[ "$rank" != 1 ] || [ -z "$PROGRAM" ] || program=$PROGRAM
if [ "$rank" = 1 ] && [ -n "$OTHER" ]; then exec "$program" $OTHER; fi
exec "$program" "$@"
R
chmod +x apart.sh
export OTHER= PROGRAM=
split=(--mesh a:2 --rules batch:a -j 1)

equal() { # what both ranks have
  rm -rf d0 d1
  mkdir d0 d1
  for rank in d0 d1; do cp m.mtf a.txt $rank; done
}
# differs STATUS TEXT ARGS...: within 30 s, this status, one message with this text.
differs() {
  local status=$1 text=$2 got
  shift 2
  (export -f start; exec timeout 30 bash -c 'start "$@"' start "$family" 2 ./apart.sh "$@") >out 2>&1
  got=$?
  [ $got = 124 ] && fail "$family hangs: $*"
  [ $got = "$status" ] || { cat out; fail "$family, status $got: $*"; }
  tr -s ' \n' ' ' <out | grep -qF "$text" || { cat out; fail "$family does not say: $text"; }
  [ "$(grep -c '^error' out)" = 1 ] || { cat out; fail "$family, not one message: $*"; }
}
here=$(hostname)

for family in "${families[@]}"; do
  equal
  run "$family" 2 ./apart.sh train m.mtf "${split[@]}" >out 2>&1 || { cat out; fail "$family: equal ranks"; }

  # Data: other words of the same length, a shorter file, a file with other characters.
  sed -i s/cat/dog/g d1/a.txt
  differs 3 "rank 1 on \`$here\`: \`a.txt\` of data source \`text\` is" train m.mtf "${split[@]}"
  differs 3 "rank 1 on \`$here\`: \`a.txt\` of data source \`text\` is" verify m.mtf "${split[@]}" --steps 1
  differs 3 "rank 1 on \`$here\`: \`a.txt\` of data source \`text\` is" run m.mtf logits "${split[@]}"
  head -n 40 a.txt >d1/a.txt
  differs 3 "\`a.txt\` of data source \`text\` is" train m.mtf "${split[@]}"
  sed 's/steps = 4/epochs = 1/' m.mtf | tee d0/m.mtf >d1/m.mtf
  differs 3 "\`a.txt\` of data source \`text\` is" train m.mtf "${split[@]}"

  # Models and settings.
  equal
  sed -i 's/lr=0.1/lr=0.2/' d1/m.mtf
  differs 3 "rank 1 on \`$here\`: \`m.mtf\` is" train m.mtf "${split[@]}"
  equal
  OTHER="train m.mtf ${split[*]} --steps 2" differs 3 "\`train.steps\` is 2, not 4 as on rank 0" \
    train m.mtf "${split[@]}"
  OTHER="train m.mtf ${split[*]} --set train.eval_every=2" differs 3 "is 2" train m.mtf "${split[@]}"
  OTHER="train m.mtf ${split[*]} -o saved" differs 3 "\`--out\` is given, not absent as on rank 0" \
    train m.mtf "${split[@]}"
  OTHER="train m.mtf --mesh a:4 --rules batch:a -j 1" differs 3 "\`--mesh\` is a:4, not a:2 as on rank 0" \
    train m.mtf "${split[@]}"
  OTHER="generate m.mtf --prompt th --tokens 3 ${split[*]}" differs 3 "the ids of the prompts" \
    generate m.mtf --prompt a --tokens 3 "${split[@]}"
  OTHER="generate m.mtf --prompt th --tokens 5 ${split[*]}" differs 3 "\`--tokens\` is 5, not 3 as on rank 0" \
    generate m.mtf --prompt th --tokens 3 "${split[@]}"

  # Another version: the same program, which calls itself something else.
  version=$("$MTFC" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
  mkdir -p other
  cp "$(dirname "$MTFC")"/*.so other/ 2>/dev/null
  sed "s/${version//./\\.}/${version//[0-9]/9}/g" "$MTFC" >other/mtfc
  chmod +x other/mtfc
  if [ "$(other/mtfc --version 2>/dev/null | grep -c "${version//[0-9]/9}")" = 1 ]; then
    PROGRAM=$PWD/other/mtfc differs 3 "the version of mtfc is ${version//[0-9]/9}, not $version as on rank 0" \
      train m.mtf "${split[@]}"
  else
    echo "no program of another version: not tested"
  fi
done
exit $failed
