# Mistakes planted in one instruction each: a sample of them; tests/bench/mutants.py plants them all.
. "$(dirname "$0")/lib.sh"
mutants=$(dirname "$MTFC")/mtfc_mutants
[ -x "$mutants" ] || { echo "skipped: $mutants is not built"; exit 77; }
small="-D batch=12 -D length=12 -D layers=1 -D d_model=24 -D vocab=36"

# sample EVERY MODEL LAYOUT OPTIONS...: nearly all of every N-th are found. LAYOUT: a shipped one, or a file.
sample() {
  local layout=$TREE/models/layouts/$2/$3.layout
  [ -e "$layout" ] || layout=$3
  timeout 120 "$mutants" --every "$1" "$TREE/models/$2.mtf" --layout "$layout" "${@:4}" \
    >out 2>err || fail "$2 under $3"
  echo "$2: $(tail -n 1 out)"
}
sample 3 two_layer dp_mp_3d -D batch=24 -D io=24 -D hidden=24
if nightly; then
  # shellcheck disable=SC2086
  sample 50 gpt fsdp_tp_seq $small -D heads=4 --set "data.text=chars(\"$TREE/models/data/stories.txt\")"
  # shellcheck disable=SC2086
  sample 60 packed_lm dp_mp $small -D heads=4 -D vocab=72 --set train.microbatches=2
  sample 60 local_attention blocks -D batch=12 -D length=48 -D window=4 -D layers=1 -D d_model=24 -D heads=4 -D vocab=36
fi
# Two stages: the programs of both, what crosses between them among it.
printf 'mesh data=2\nbatch:data\npipeline "layers.*" { stages = 2 }\n' >stages.layout
# shellcheck disable=SC2086
sample 90 gpt stages.layout $small -D layers=2 -D heads=2 --set "data.text=chars(\"$TREE/models/data/stories.txt\")" \
  --set train.microbatches=2
done_testing
