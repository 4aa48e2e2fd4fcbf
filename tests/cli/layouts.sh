# The first losses of every model under its layouts (of most models two; in scripts/nightly all) are those of one processor.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }

for i in $(seq 300); do echo "line $i: the quick brown fox jumps over $((i * i)) lazy dogs."; done >text.txt
# Little is kept to be evaluated, which takes longer than the steps.
options() {
  local stories=$TREE/models/data/stories.txt
  case $1 in
    mnist | resnet) echo "--set data.digits=digits(seed=1,count=400,eval_count=100)" ;;
    packed_lm) echo "--set data.text=lines(\"$stories\",pack=true,holdout=0.02)" ;;
    distillation | grouped_queries | llama | t5_bias | local_attention | moe)
      echo "--set data.text=chars(\"$stories\",holdout=0.02)" ;;
  esac
  case $1 in
    gpt) echo "--set data.text=text.txt -D layers=2 -D d_model=64 --set train.eval_every=1000" ;;
    mnist) echo "-D hidden1=128" ;;
    # Batch normalisation multiplies rounding by a thousand a step.
    resnet)
      echo "-D batch=16 -D blocks1=1 -D blocks2=1 -D blocks3=1 -D blocks4=1 --set train.precision=f64" \
        "--set train.eval_every=1000" ;;
    two_layer) echo "-D io=128 -D hidden=64" ;;
    distillation | grouped_queries | llama | t5_bias | packed_lm | moe)
      echo "-D batch=8 -D length=16 --set train.eval_every=1000" ;;
    local_attention) echo "-D batch=4 -D length=64 -D window=16 --set train.eval_every=1000" ;;
    number_words) echo "-D batch=16 -D layers=1 --set train.eval_every=1000" ;;
    transformer_mt)
      echo "--set data.pairs=tsv(\"$TREE/models/data/number_words.tsv\")" \
        "-D batch=16 -D source=8 -D target=6 -D vocab=48 -D layers=1 -D d_model=32 -D d_ff=64" \
        "-D heads=8 -D d_head=4 --set train.eval_every=1000" ;;
    bert)
      local data=$TREE/models/data
      echo "--set data.pairs=bert_pairs(\"$data/stories.txt\",vocab=\"$data/stories.vocab\")" \
        "-D batch=8 -D length=32 -D vocab=72 -D mask_id=4 -D layers=1 -D d_model=48 -D heads=6" \
        "--set train.eval_every=1000" ;;
    transformer_lm)
      echo "--set data.text=chars(\"text.txt\") -D batch=16 -D length=16 -D vocab=64 -D layers=1" \
        "-D d_model=32 -D d_ff=64 -D heads=32 -D d_head=4 --set train.eval_every=1000" ;;
  esac
}

# Fewer steps for models that consist of the same layers as the first ones.
steps() {
  case $1 in
    mnist | two_layer) echo "${STEPS:-8}" ;;
    gpt | llama) echo "${STEPS:-5}" ;;
    *) echo "${STEPS:-4}" ;;
  esac
}

# log NAME ARGS...: the losses of a run; what it counted is in the file out. All are compared below.
log() {
  expect 0 train "$TREE/models/$model.mtf" $(options "$model") --steps "$(steps "$model")" --json --log "$1" "${@:2}"
}

for model in two_layer mnist resnet gpt llama grouped_queries distillation t5_bias packed_lm local_attention moe \
  number_words transformer_lm transformer_mt bert; do
  mkdir "$model"
  log "$model/whole.jsonl"
  first=yes
  layouts=("$TREE/models/layouts/$model"/*.layout)
  nightly || [[ $model =~ ^(gpt|moe|resnet)$ ]] || layouts=("${layouts[@]:0:2}")
  for layout in "${layouts[@]}"; do
    name=$model/$(basename "$layout" .layout)
    log "$name.jsonl" --layout "$layout"
    mv out "$name.train.json"
    # The same bits with every replica computed, and with one thread: of a model's first layout, in scripts/nightly of all.
    if nightly || [ $first = yes ]; then
      log other.jsonl --layout "$layout" --replicas all -j 1
      losses() { sed 's/,"seconds":[^,}]*//' "$1"; }
      [ "$(losses other.jsonl)" = "$(losses "$name.jsonl")" ] || fail "$model under $layout: other bits"
    fi
    first=no
    expect 0 cost "$TREE/models/$model.mtf" $(options "$model") --layout "$layout" --json
    mv out "$name.cost.json"
    echo "$name" >>names
  done
done
/usr/bin/python3 - <<'P' || fail "other losses, or counters that differ from cost"
import json
read = lambda f: [o["loss"] for o in map(json.loads, open(f)) if "loss" in o]
keys = ("kind", "axes", "elements_per_processor", "bytes_per_processor", "bytes_sent_per_processor")
rows = lambda o: [[c[k] for k in keys] for c in o["collectives"]]
failed = 0
for name in open("names").read().split():
    whole, split = read(name.split("/")[0] + "/whole.jsonl"), read(f"{name}.jsonl")
    assert len(whole) == len(split) > 0, name
    worst = max(abs(a - b) / abs(a) for a, b in zip(whole, split))
    print(f"{name}: {len(whole)} losses, largest relative difference {worst:.2g}")
    # What the run counted is what cost predicts.
    cost, train = json.load(open(f"{name}.cost.json")), json.load(open(f"{name}.train.json"))
    if worst > 1e-5 or rows(cost) != rows(train) or cost["flops"] != train["flops"]:
        failed += 1
        print(f"FAILED: {name}:", [pair for pair in zip(rows(cost), rows(train)) if pair[0] != pair[1]],
              len(rows(cost)), len(rows(train)), cost["flops"], train["flops"])
assert not failed
P
done_testing
