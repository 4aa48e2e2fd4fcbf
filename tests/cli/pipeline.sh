# Pipelines: 20 losses of the GPT in 2, 3 and 4 stages, with data and tensor parallelism, are those of one processor;
# checkpoints know no stages; what `cost` says; what is refused.
. "$(dirname "$0")/lib.sh"
tr -d '\r' <"$TREE/models/data/stories.txt" | head -c 4000 >text
gpt=("$TREE/models/gpt.mtf" --set "data.text=$scratch/text" -D layers=4 -D batch=8 -D length=8 -D d_model=16
  -D heads=2 -D d_ff=32 -D vocab=80)
train=(train "${gpt[@]}" --set train.microbatches=4 --steps 20)
rules='batch:data ; heads:model ; d_ff:model ; vocab?:model'

# layout NAME MESH PIPELINE
layout() { printf 'mesh %s\n%s\npipeline "layers.*" { %s }\n' "$2" "$rules" "$3" >"$1.layout"; }
layout two 'data=2, model=1' 'stages = 2'
layout three 'data=1, model=2' 'stages = 1+2+1; schedule = gpipe'
layout four 'data=2, model=2' 'stages = 4; schedule = 1f1b'
layout four_gpipe 'data=2, model=2' 'stages = 4; schedule = gpipe'
layout uneven 'data=1, model=1' 'stages = 3+1'
layout chunks 'data=2, model=1' 'stages = 2; chunks = 2; schedule = interleaved'
sed 's/^pipeline.*//' four.layout >none.layout

# same A B TOLERANCE: the same losses in both logs, that close.
same() {
  /usr/bin/python3 - "$@" <<'P' || fail "$1 differs from $2"
import json, sys
losses = lambda path: [x["loss"] for x in map(json.loads, open(path)) if "loss" in x]
a, b = losses(sys.argv[1]), losses(sys.argv[2])
sys.exit(not (len(a) == len(b) >= 20 and all(abs(x - y) <= float(sys.argv[3]) * abs(x) for x, y in zip(a, b))))
P
}
expect 0 "${train[@]}" --log one.log -o one
for name in two three four four_gpipe uneven chunks; do
  expect 0 "${train[@]}" --layout $name.layout --log $name.log -o $name
  same one.log $name.log 1e-5
done
says err "training $TREE/models/gpt.mtf on 2 stages (interleaved, 2 chunks) of mesh data=2, model=1 each, 20 steps"
same four.log four_gpipe.log 0  # schedules change no bit

# Replicas agree; what else a layout says holds in each stage.
layout kept 'data=2, model=2' 'stages = 2'
printf 'param "**" { d_model:data }\nset update=sharded\n' >>kept.layout
expect 0 "${train[@]}" --layout kept.layout --log kept.log --replicas all --json
json out 'o["stages"] == 2 and o["microbatches_held"] == [2, 1]'
json out '[s["processors"] for s in o["by_stage"]] == [4, 4] and all(s["collectives"] for s in o["by_stage"])'
same one.log kept.log 1e-5
expect 0 "${train[@]}" --layout four_gpipe.layout --json
json out 'o["microbatches_held"] == [4, 4, 4, 4]'
expect 0 "${train[@]}" --layout four.layout --json --set train.precision=bf16
json out 'o["microbatches_held"] == [4, 3, 2, 1]'
expect 0 "${train[@]}" --layout chunks.layout --json
json out 'o["microbatches_held"] == [5, 3]'  # passes through one chunk of two

# Chunks that share a parameter: each adds its gradients up by itself, none waits for another's.
cat >tied.mtf <<'M'
dim batch = 8, d = 4, layers = 4
input x0[batch, d] from gaussian(seed=1)
param tied[d, d'] ~ normal(0.5)
x = x0
repeat layers { x = x + tanh(einsum(x, tied over d))[d' -> d] }
loss mean(x * x)
train { optimizer = sgd(lr=0.01)  steps = 20  microbatches = 4 }
M
printf 'mesh a=1\nbatch:a\npipeline "layers.*" { stages = 2; chunks = 2 }\n' >tied.layout
expect 0 train tied.mtf --layout tied.layout --log tied.log --json
cp out trained.json
json out 'o["microbatches_held"] == [5, 3]'
expect 0 cost tied.mtf --layout tied.layout --json
json out '[s["in_flight"] for s in o["stages"]] == [5, 3]'
json out '[s["flops_per_processor"] for s in o["stages"]] == [s["flops"]["per_processor"] for s in json.load(open("trained.json"))["by_stage"]]'
expect 0 train tied.mtf --log alone.log
same alone.log tied.log 1e-5

# A checkpoint of four stages goes on without any, and the other way round.
expect 0 train --resume four --steps 22 --layout none.layout --log after.log
expect 0 train --resume one --steps 22 --layout three.layout --log after2.log
expect 0 eval --checkpoint one --json
cp out eval.json
expect 0 eval --checkpoint one --layout four.layout --json
/usr/bin/python3 -c 'import json; a, b = (json.load(open(f))["loss"] for f in ("out", "eval.json")); assert abs(a - b) < 1e-5 * a' ||
  fail "eval differs in stages"
says err 'on 4 stages (1f1b) of mesh data=2, model=2 each'
expect 0 generate --checkpoint one --layout four.layout --tokens 4 --temperature 0
says err "computed without stages, on the mesh of one of them"
printf 'mesh data=2\npipeline "layers.*" { stages = 2 }\n' >no_parts.layout
expect 0 run "$TREE/models/gpt.mtf" --set "data.text=text" -D layers=2 -D batch=4 -D length=8 -D d_model=16 -D heads=2 --layout no_parts.layout logits --json
silent err
json out 'o["notes"] == ["computed without stages, on the mesh of one of them"]'

expect 0 check "${gpt[@]}" --set train.microbatches=4 --layout four.layout --json
json out 'o["layouts"][0]["processors"] == 16'

# What a step costs.
cost=(cost "${gpt[@]}" --set train.microbatches=8)
expect 0 "${cost[@]}" --layout four.layout
says out "4 stages (1f1b) of mesh data=2, model=2 each, one training step of 8 micro-batches"
says out "waiting"
expect 0 "${cost[@]}" --layout four.layout --json
cp out 1f1b.json
json out '[s["in_flight"] for s in o["stages"]] == [4, 3, 2, 1] and o["processors"] == 16'
json out 'all(s["blocks"] == 1 for s in o["stages"])'
json out 'o["stages"][1]["held_bytes"] == o["stages"][2]["held_bytes"] > 0'
json out 'o["stages"][1]["forward_flops"] == o["stages"][2]["forward_flops"]'
expect 5 "${cost[@]}" --layout four.layout --hardware h100 --budget "memory<=50kB, sent<=1GB, step<=1us"
says err "\`memory\` is"
says err "\`step\` is"
! grep -q "sent. is" err || fail "sent is within its budget"
expect 2 "${cost[@]}" --layout four.layout --budget "step<=1s"
expect 0 "${cost[@]}" --layout four_gpipe.layout --json
json out 'all(s["in_flight"] == 8 for s in o["stages"])'
/usr/bin/python3 - <<'P' || fail "memory is not that of what is in flight"
import json
a, b = json.load(open("1f1b.json")), json.load(open("out"))
for x, y in zip(a["stages"], b["stages"]):
    assert y["memory"] - x["memory"] == (8 - x["in_flight"]) * x["held_bytes"]
P
# Half as much waiting in two chunks each, but more in flight and more to send (Narayanan et al., section 2.2).
layout plain 'data=2, model=1' 'stages = 2'
expect 0 "${cost[@]}" -D layers=8 --layout plain.layout --json
cp out plain.json
layout by_chunks 'data=2, model=1' 'stages = 2; chunks = 2'
expect 0 "${cost[@]}" -D layers=8 --layout by_chunks.layout
says out "2 stages (interleaved, 2 chunks) of mesh data=2, model=1 each"
says out "0a1a0b"
says out "with equal stages: 5.9 %"
expect 0 "${cost[@]}" -D layers=8 --layout by_chunks.layout --json
/usr/bin/python3 - <<'P' || fail "chunks do not cost what they should"
import json
plain, chunks = json.load(open("plain.json")), json.load(open("out"))
assert chunks["chunks"] == 2 and chunks["schedule"] == "interleaved" and chunks["waiting"] < plain["waiting"]
assert [s["in_flight"] for s in chunks["stages"]] == [5, 3] and [s["blocks"] for s in chunks["stages"]] == [4, 4]
for a, b in zip(plain["stages"], chunks["stages"]):
    assert abs(a["forward_flops"] - b["forward_flops"]) < 0.01 * a["forward_flops"]
    assert b["sent_to_stages"] > 1.4 * a["sent_to_stages"]
    assert b["most_held_bytes"] >= b["held_bytes"]
P
expect 0 "${cost[@]}" --layout four.layout --hardware h100 --json
json out 'o["step_seconds"] > o["once_seconds"] > 0 and 0 < o["waiting"] < 1'
json out 'abs(o["tokens_per_second"] / o["examples_per_second"] / 8 - 1) < 1e-9 and o["run_seconds"] > o["step_seconds"]'

expect 0 trace "${gpt[@]}" --set train.microbatches=8 --layout four.layout --hardware h100 -o t.json
says out "4 stages (1f1b) of mesh data=2, model=2 each"
/usr/bin/python3 - <<'P' || fail "the timeline of a pipeline does not add up"
import json
t = json.load(open("t.json"))
slices = [e for e in t["traceEvents"] if e["ph"] == "X"]
for stage in range(4):
    own = sorted((e for e in slices if e["pid"] == stage), key=lambda e: e["ts"])
    assert [e["cat"] for e in own].count("forward") == [e["cat"] for e in own].count("backward") == 8
    assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-6 for a, b in zip(own, own[1:]))
    flying = [e["args"]["micro-batches"] for e in t["traceEvents"] if e["ph"] == "C" and e["pid"] == stage]
    assert max(flying) == 4 - stage and flying[-1] == 0
end = max(e["ts"] + e["dur"] for e in slices) / 1e6
assert abs(end - t["otherData"]["step_seconds"]) < 1e-8
P

# One stage is the model whole, but for what crosses within it: that is copied, and cheap values of the forward pass
# are kept where the whole computes them again.
layout single 'data=2, model=2' 'stages = 1'
expect 0 "${cost[@]}" --layout single.layout --hardware h100 --json
cp out single.json
expect 0 "${cost[@]}" --layout none.layout --hardware h100 --json
/usr/bin/python3 - <<'P' || fail "one stage is not the model whole"
import json
one, whole = json.load(open("single.json")), json.load(open("out"))
stage, = one["stages"]
assert abs(stage["flops_per_processor"] / whole["flops"]["per_processor"] - 1) < 0.05
assert stage["parameters"] == 10080 and one["waiting"] < 1e-9
assert 0.9 < one["step_seconds"] / whole["step_seconds"] < 1.2
assert 0.9 < stage["memory"] / whole["memory"]["per_processor"] < 1.3
P

# What is refused.
bad() {  # WORDS PIPELINE ARGS...
  layout bad 'data=2, model=2' "$2"
  expect 1 check "${gpt[@]}" --layout bad.layout "${@:3}"
  says err "E408"
  says err "$1"
}
more=(--set train.microbatches=2)
bad 'a pipeline needs micro-batches' 'stages = 2'
bad 'is not a number from 1 to 4' 'stages = 5' "${more[@]}"
bad 'is not a number from 1 to 4' 'stages = 0' "${more[@]}"
bad 'is not a number from 1 to 4' 'stages = 99999999999999999999' "${more[@]}"
bad 'the stages have 5 blocks, the model has 4' 'stages = 3+2' "${more[@]}"
bad 'no schedule is called `gpip`' 'stages = 2; schedule = gpip' "${more[@]}"
bad '`schedule = interleaved` needs chunks' 'stages = 2; schedule = interleaved' "${more[@]}"
bad '`chunks` goes with `schedule = interleaved` alone' 'stages = 2; chunks = 2; schedule = 1f1b' "${more[@]}"
bad 'is not a number from 1 to 1024' 'stages = 2; chunks = 0' "${more[@]}"
cat >outer.mtf <<'M'
dim n = 8, d = 4, layers = 4
input x[n, d] from gaussian(seed=1)
block all(x) {
  param w[d] ~ normal(1)
  repeat layers {
    param v[d] ~ normal(1)
    x = tanh(x * v)
  }
  return x * w
}
loss mean(square(all@a(x)))
train { optimizer = sgd(0.1)  steps = 1  microbatches = 2 }
M
expect 1 check outer.mtf --mesh r:1 --rules 'pipeline "a" { stages = 2 }'
says err 'the pipeline names one block, which stages cannot share'
says err 'did you mean the blocks in it, `"a.layers.*"`?'
expect 0 check outer.mtf --mesh r:1 --rules 'pipeline "a.layers.*" { stages = 2; chunks = 1 }'
bad '3 stages of 2 chunks need 6 blocks, the model has 4 of these' 'stages = 3; chunks = 2' "${more[@]}"
bad 'a stage of 5 chunks needs as many' 'stages = 1; chunks = 5' "${more[@]}"
bad 'those of 3 chunks, and 2 are to go to each' 'stages = 1+2+1; chunks = 2' "${more[@]}"
bad 'needs a multiple of 2 micro-batches' 'stages = 2; chunks = 2' --set train.microbatches=3 -D batch=6
bad 'give `--set train.microbatches=6`' 'stages = 2; chunks = 2' --set train.microbatches=3 -D batch=6
bad 'no such number divides the batch' 'stages = 3; chunks = 2' --set train.microbatches=4 -D layers=6
bad 'did you mean `stages`' 'stage = 2' "${more[@]}"
bad 'does not say how many stages' 'schedule = gpipe' "${more[@]}"
bad 'given twice' 'stages = 2; stages = 2' "${more[@]}"
sed 's/"layers.\*"/"layers.*", "blocks.*"/' two.layout >bad.layout
expect 0 check "${gpt[@]}" "${more[@]}" --layout bad.layout
says err 'W410'
says err '`"blocks.*"` of the pipeline matches no block instance'
sed 's/"layers.\*"/"layers.*", "layers.*.attn"/' two.layout >bad.layout
expect 0 check "${gpt[@]}" "${more[@]}" --layout bad.layout
says err 'W410'
says err '`"layers.*.attn"` of the pipeline matches only what is in blocks that its other paths match'
layout bad 'data=1, model=1' 'stages = 3+1; chunks = 2'
expect 0 check "${gpt[@]}" "${more[@]}" --layout bad.layout
says err 'these chunks are all of one stage'
printf '%s\n' 'pipeline "layers.*" { schedule = 1F1B }' >bad.layout
expect 1 check "${gpt[@]}" "${more[@]}" --layout bad.layout
says err 'a schedule is `gpipe`, `1f1b` or `interleaved`'
printf '%s\n' 'dim n = 4' 'param x[n] = 1' 'block f(t) { return t * 2 }' 'y = f@a(f@b(x))' >no_loss.mtf
printf 'mesh data=1\npipeline "a", "b" { stages = 2 }\n' >bad.layout
expect 1 check no_loss.mtf --layout bad.layout
says err 'a pipeline is for training, and the model has no loss'
sed 's/layers/blocks/' two.layout >bad.layout
expect 1 check "${gpt[@]}" "${more[@]}" --layout bad.layout
says err 'matches no block instance'
says err 'a path of blocks is `layers.*`'
expect 2 train "${gpt[@]}" "${more[@]}" --layout two.layout --start-from two.layout
says err '`two.layout` is not a dump'

# A dump says what the parts compute; how they were cut the layout says: before and after it, among programs, at the end.
kept=("${train[@]:0:${#train[@]}-1}" 2 --layout kept.layout)
expect 0 "${kept[@]}" --log kept.log -o from_text
for pass in split-programs cut-stages shard-update lower share-sums overlap-gathers library-reductions; do
  expect 0 "${kept[@]}" --dump-after $pass
  cp out $pass.dump
  expect 0 "${kept[@]}" --start-from $pass.dump --log from.log -o from_$pass
  cmp <(grep -o '"loss":[^,]*' kept.log) <(grep -o '"loss":[^,]*' from.log) || fail "losses after $pass"
  cmp {from_text,from_$pass}/checkpoints/step-00000002.safetensors
done
expect 2 "${train[@]}" --layout four.layout --start-from cut-stages.dump
says err 'is not one of this model and command'
# What crosses between stages is what the cut says.
sed 's/"cross.accumulate.0"/"cross.accumulate.00"/' lower.dump >renamed.dump
expect 2 "${kept[@]}" --start-from renamed.dump
says err 'it lacks'
grep -v '^# state of' lower.dump >bare.dump
damaged=(bare.dump:0:8 cut-stages.dump:100:108)
nightly && damaged=(bare.dump:0:300 cut-stages.dump:1000:1300 shard-update.dump:2000:2300)
/usr/bin/python3 "$TREE/tests/tools/dump_mutants.py" "${damaged[@]}" -- "$MTFC" "${kept[@]}" >said ||
  { cat said; fail "damaged dumps of pipelines"; }
done_testing
