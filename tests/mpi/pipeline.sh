#!/usr/bin/env bash
# Stages of a pipeline on real ranks: the losses and checkpoints of the simulated meshes, bit for bit, in every schedule;
# what is saved goes on elsewhere; failures, signals and ranks that differ end all of them.
. "$(dirname "$0")/lib.sh" openmpi  # where ranks wait without computing; two layouts are for all
tr -d '\r' <"$TREE/models/data/stories.txt" | head -c 4000 >text
gpt=("$TREE/models/gpt.mtf" --set "data.text=$folder/text" -D layers=4 -D batch=8 -D d_model=16
  -D heads=2 -D d_ff=32 -D vocab=80 --set train.microbatches=4 -j 1)
rules='batch:data ; heads:model ; d_ff:model ; vocab?:model'
layout() { printf 'mesh %s\n%s\npipeline "layers.*" { %s }\n' "$2" "$rules" "$3" >"$1.layout"; }

first=${families[0]} last=${families[-1]}
steps=8
! nightly || steps=20
last_of() { printf '%s/checkpoints/step-%08d.safetensors' "$1" $steps; }
# same NAME RANKS FAMILIES ARGUMENTS...: all losses and the last checkpoint are those of the simulated meshes.
same() {
  local name=$1 ranks=$2 with=$3 family
  shift 3
  [[ $* == *length=* ]] || set -- "$@" -D length=8
  "$MTFC" train "${gpt[@]}" --steps $steps --layout "$name.layout" "$@" -o "$name.sim" >/dev/null 2>err ||
    { cat err; fail "$name on simulated meshes"; return; }
  for family in $with; do
    run "$family" "$ranks" "$MTFC" train "${gpt[@]}" --steps $steps --layout "$name.layout" "$@" -o "$name.$family" \
      --json >"$name.$family.json" 2>err || { cat err; fail "$name with $family"; continue; }
    cmp -s <(losses "$name.sim/log.jsonl") <(losses "$name.$family/log.jsonl") || fail "$name: other losses with $family"
    [ "$(grep -c '"loss"' "$name.sim/log.jsonl")" = $steps ] || fail "$name: not $steps losses"
    cmp -s "$(last_of "$name.sim")" "$(last_of "$name.$family")" ||
      fail "$name: another checkpoint with $family"
  done
}
layout pp2_dp2 'data=2, model=1' 'stages = 2'
layout pp2_dp2_tp2 'data=2, model=2' 'stages = 2; schedule = gpipe'
layout pp2_tp2 'data=1, model=2' 'stages = 2'
layout pp3 'data=1, model=1' 'stages = 1+2+1'
layout pp4_tp2 'data=1, model=2' 'stages = 4'
layout pp4 'data=1, model=1' 'stages = 4'
layout chunks 'data=2, model=1' 'stages = 2; chunks = 2'
layout own 'data=2, model=1' 'stages = 2; data = 2+1'
layout own4 'data=1, model=2' 'stages = 2; data = 1+2; model = 2+1'
same pp2_dp2 4 "${installed[*]}"
! nightly || same pp2_dp2_tp2 8 $first --set train.clip=0.1
# Activations of 8 KiB that two replicas hold alike: each sends a half.
! nightly || same pp2_tp2 4 $last -D length=64
same pp3 3 $last
same pp4 4 $last --set train.precision=bf16
! nightly || same pp4_tp2 8 $last --set train.precision=bf16
same chunks 4 "${families[*]}"
# Stages of different meshes: what shards have in common, parts that replicas gather, tied embeddings, one norm.
same own 3 "${installed[*]}" --set train.clip=0.1 -D length=64
! nightly || same own4 4 $last --set train.clip=0.1 -D length=64
printf 'param "**" { d_model:data }\nset update=sharded\n' | cat pp2_dp2.layout - >kept.layout
same kept 4 $first --set train.checkpoint_every=$((steps / 2 - 1))
/usr/bin/python3 - $last <<'P' || fail "what is said of the stages"
import json, sys
read = lambda name: json.load(open(f"{name}.{sys.argv[1]}.json"))
assert read("pp2_dp2")["microbatches_held"] == [2, 1] and read("pp4")["microbatches_held"] == [4, 3, 2, 1]
assert read("chunks")["microbatches_held"] == [5, 3]
counted = read("pp2_dp2")["by_stage"]
assert [s["processors"] for s in counted] == [2, 2] and all(s["flops"]["total"] > 0 and s["collectives"] for s in counted)
# A stage reads what it is fed with alone: tokens at the first, labels at the last.
assert [r["examples"] > 0 for r in read("pp3")["read"]] == [True, False, True], read("pp3")["read"]
P
# verify and --profile on ranks: each rank is a process of the timeline, which says its stage.
run $first 4 "$MTFC" verify "${gpt[@]}" -D length=8 --layout pp2_dp2.layout --json >out 2>err || { cat err; fail "verify on ranks"; }
run $first 4 "$MTFC" train "${gpt[@]}" -D length=8 --steps 2 --layout pp2_dp2.layout --profile p.json >out.txt 2>err ||
  { cat err; fail "a profile on ranks"; }
/usr/bin/python3 - <<'P' || fail "verify or --profile on ranks of stages"
import json
assert len([d for d in json.load(open("out"))["differences"] if d["ok"]]) > 200
t = json.load(open("p.json"))["traceEvents"]
names = [e["args"]["name"] for e in t if e["ph"] == "M" and e["name"] == "process_name"]
assert len(names) == 4 and "rank 1 (stage 0: data=1" in names[1] and "rank 2 (stage 1: data=0" in names[2], names
for rank in range(4):
    runs = [e["name"] for e in t if e.get("cat") == "program" and e["pid"] == rank]
    stage = str(rank // 2)
    assert len([r for r in runs if r.startswith("accumulate.f" + stage)]) == 8, runs
P

for family in "${families[@]}"; do
  # A file of each rank; ranks go on from simulated stages, and one processor from ranks.
  cp -r pp2_dp2.sim from.$family
  run "$family" 4 "$MTFC" train --resume from.$family --layout pp4.layout --steps $((steps + 2)) -j 1 \
    --set train.checkpoint=sharded >/dev/null 2>err || { cat err; fail "$family: resume in other stages"; }
  [ "$(ls "from.$family/checkpoints/$(printf 'step-%08d' $((steps + 2)))" | grep -c part)" = 4 ] || fail "$family: not a file of each rank"
  "$MTFC" train --resume from.$family --rules '[]' --mesh a:1 --steps $((steps + 3)) >/dev/null 2>err ||
    { cat err; fail "$family: one processor goes on from ranks"; }

  # Interrupted and resumed: the bits of a run that was not.
  run "$family" 4 "$MTFC" train "${gpt[@]}" -D length=8 --steps $((steps / 2)) --layout pp2_dp2.layout -o cut.$family >/dev/null 2>err ||
    { cat err; fail "$family: the first part"; }
  run "$family" 4 "$MTFC" train --resume cut.$family --layout pp2_dp2.layout --steps $steps -j 1 >/dev/null 2>err ||
    { cat err; fail "$family: resume"; }
  cmp -s "$(last_of cut.$family)" "$(last_of pp2_dp2.sim)" ||
    fail "$family: another run after resuming"

  # A signal ends all, and all is saved.
  (export -f start; exec timeout 60 bash -c 'start "$@"' start "$family" 4 "$MTFC" train "${gpt[@]}" -D length=8 --steps 100000 \
    --layout pp2_dp2.layout -o signal.$family) >out 2>&1 &
  until grep -qs '"step":3' signal.$family/log.jsonl; do sleep 0.1; kill -0 $! 2>/dev/null || break; done
  for process in $(ps -eo pid,args | awk -v o="signal.$family" '$2 ~ /mtfc$/ && $0 ~ o {print $1}'); do
    kill -TERM "$process"
  done
  wait $!
  grep -q 'ended by SIGTERM' out || { cat out; fail "$family: no word of the signal"; }
  ls signal.$family/checkpoints | grep -qv step-00000000 || fail "$family: nothing is saved after a signal"

  # Failures: one message, and all end.
  ends() {  # ends STATUS RANKS TEXT ARGUMENTS...
    local status=$1 ranks=$2 text=$3 got
    shift 3
    run "$family" "$ranks" "${command[@]}" "$@" >out 2>&1
    got=$?
    [ $got = "$status" ] || { cat out; fail "$family, status $got: $*"; }
    tr -s ' \n' ' ' <out | grep -qF "$text" || { cat out; fail "$family does not say: $text"; }
    [ "$(grep -c '^error' out)" = 1 ] || { cat out; fail "$family, not one message: $*"; }
  }
  command=("$MTFC")
  ends 2 3 'the 2 stages have 4 processors, but there are 3 ranks' train "${gpt[@]}" -D length=8 --layout pp2_dp2.layout
  ends 6 4 'the loss is not a number' train "${gpt[@]}" -D length=8 --layout pp2_dp2.layout --steps 9 \
    --set 'train.optimizer=sgd(lr=1e30)'
  tr -s ' \n' ' ' <out | grep -q 'gives the first value that is' || { cat out; fail "$family does not say in which operation"; }
  ends 2 4 'the mesh has 2 processors, but there are 4 ranks' generate --checkpoint pp2_dp2.sim --layout pp2_dp2.layout
  "$MTFC" eval --checkpoint pp2_dp2.sim --layout pp2_dp2.layout >one 2>/dev/null || fail "eval in simulated stages"
  run "$family" 4 "$MTFC" eval --checkpoint pp2_dp2.sim --layout pp2_dp2.layout >out 2>err ||
    { cat err; fail "$family: eval on ranks of stages"; }
  cmp -s one out || { diff one out; fail "$family: eval says something else than simulated stages"; }
  # Another schedule at one rank: the same programs in another order.
  printf '%s\n' '#!/bin/sh' 'rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}' \
    'exec "$MTFC" "$@" --layout $([ $rank = 3 ] && echo gpipe || echo pp4).layout' >apart.sh
  chmod +x apart.sh
  layout gpipe 'data=1, model=1' 'stages = 4; schedule = gpipe'
  command=(./apart.sh)
  ends 3 4 'the ranks do not run the same program' train "${gpt[@]}" -D length=8 --steps 2
done
exit $failed
