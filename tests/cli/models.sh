# Every model learns something on the small data that ships with it, a few steps each.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
data=$TREE/models/data

# learns MODEL STEPS FACTOR OPTIONS...: the mean of the last five losses is below FACTOR times the first.
learns() {
  local model=$1 steps=$2 factor=$3
  shift 3
  expect 0 train "$TREE/models/$model.mtf" --steps "$steps" --set train.eval_every=1000 --log log.jsonl "$@"
  /usr/bin/python3 - "$model" "$factor" <<'P' || fail "$model does not learn"
import json, sys
losses = [o["loss"] for o in map(json.loads, open("log.jsonl")) if "loss" in o]
last = sum(losses[-5:]) / 5
print(f"{sys.argv[1]}: loss {losses[0]:.4f}, after {len(losses)} steps {last:.4f}")
sys.exit(0 if last < float(sys.argv[2]) * losses[0] else 1)
P
}

# Little is kept to be evaluated in the end.
small=(-D batch=8 -D length=32)
stories=("${small[@]}" --set "data.text=chars(\"$data/stories.txt\", holdout=0.02)")
learns resnet 40 0.8 -D filters=4 --set "data.digits=digits(seed=1, eval_count=50)" --set "train.optimizer=sgd(lr=0.05, momentum=0.9)"
learns grouped_queries 40 0.8 "${stories[@]}"
learns llama 40 0.8 "${stories[@]}"
learns t5_bias 40 0.8 "${stories[@]}"
learns distillation 40 0.8 "${stories[@]}"
learns packed_lm 40 0.8 "${small[@]}"
learns local_attention 40 0.8 -D batch=4 -D length=64 -D window=16
learns moe 40 0.8 "${stories[@]}"
learns transformer_lm 40 0.8 "${small[@]}" --set "data.text=chars(\"$data/stories.txt\")" -D vocab=32 \
  -D layers=2 -D d_model=64 -D d_ff=128 -D d_head=16 --set train.optimizer.lr.warmup=40
learns transformer_mt 40 0.8 -D batch=16 -D source=8 -D target=6 -D vocab=42 -D layers=1 \
  -D d_model=64 -D d_ff=128 -D heads=2 -D d_head=16 --set train.optimizer.lr.warmup=40 \
  --set "data.pairs=tsv(\"$data/number_words.tsv\", eval=\"$data/number_words.eval.tsv\")"
learns bert 40 0.9 -D batch=8 -D length=32 -D vocab=67 -D mask_id=4 -D layers=1 -D d_model=64 \
  -D heads=4 --set train.optimizer.lr=1e-3 \
  --set "data.pairs=bert_pairs(\"$data/stories.txt\", vocab=\"$data/stories.vocab\")"
done_testing
