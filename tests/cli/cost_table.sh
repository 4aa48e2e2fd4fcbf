# `cost` of several layouts: each row is what `cost` says of that layout alone; what is wrong with one spoils no other.
. "$(dirname "$0")/lib.sh"
ln -s "$TREE/models" models
small=(-D layers=4 -D batch=8 -D length=16 -D d_model=32 -D heads=4 --set "data.text=$TREE/models/data/stories.txt" --set train.microbatches=4)
printf 'mesh data=2\nbatch:data\nparam "**" { d_model:data }\nset recompute=full:2\n' >again.layout
printf 'mesh data=2\nbatch:data\npipeline "layers.*" { stages = 2 }\n' >stages.layout
printf 'mesh all=4\nbatch:all\nhardware small { chip flops=10TF mem=1MB hbm=100GB/s\n link all ring bw=10GB/s }\n' >tight.layout
printf 'mesh data=3\nbatch:nowhere\n' >wrong.layout
layouts=(models/layouts/gpt/*.layout again.layout stages.layout tight.layout)

# row I LAYOUT ARGS...: of the table in `all`.
row() {
  expect 0 cost models/gpt.mtf "${small[@]}" --layout "$2" --json "${@:3}"
  /usr/bin/python3 - "$1" <<'P' || fail "$2: not what cost says of it alone"
import json, sys
one, row = json.load(open("out")), json.load(open("all"))["layouts"][int(sys.argv[1])]
assert row["ok"] and row.get("step_seconds") == one.get("step_seconds"), (row, one.get("step_seconds"))
if "stages" in one:
    assert row["memory"]["per_processor"] == max(s["memory"] for s in one["stages"]), row
else:
    assert all(row[k]["per_processor"] == one[k]["per_processor"] for k in ("flops", "memory")), row
    assert row["sent"]["per_processor"] == sum(c["bytes_sent_per_processor"] for c in one["collectives"]), row
assert row["processors"] == one["processors"]
P
}
expect 0 cost models/gpt.mtf "${small[@]}" "${layouts[@]}" --json
cp out all
for i in "${!layouts[@]}"; do row $i "${layouts[$i]}"; done
expect 0 cost models/gpt.mtf "${small[@]}" "${layouts[@]}" --json --hardware h100
cp out all
for i in 0 1 2 $((${#layouts[@]} - 2)); do row $i "${layouts[$i]}" --hardware h100; done

# People see the fastest first, and what does not fit behind what does.
expect 0 cost models/gpt.mtf "${small[@]}" again.layout stages.layout --layout models/layouts/gpt/dp.layout --hardware h100
/usr/bin/python3 - <<'P' || fail "the order of rows"
words = open("out").read().split()
seconds = [float(words[i - 2]) * {"us": 1e-6, "ms": 1e-3}[words[i - 1]] for i, word in enumerate(words) if word == "ok"]
assert len(seconds) == 3 and seconds == sorted(seconds), words
P
expect 0 cost models/gpt.mtf "${small[@]}" again.layout tight.layout
says out "does not fit"
[ "$(wc -L <out)" -le 80 ] || fail "a table of more than 80 columns"
grep -q ' $' out && fail "blanks at the end of a line"

# One that is wrong has a row, and the status is its own.
expect 1 cost models/gpt.mtf "${small[@]}" again.layout wrong.layout stages.layout --hardware h100
says out "  error"
says err "no mesh axis named \`nowhere\`"
says out "stages.layout"
expect 1 cost models/gpt.mtf "${small[@]}" again.layout wrong.layout stages.layout --hardware h100 --json
json out 'not o["ok"] and [row["ok"] for row in o["layouts"]] == [True, False, True]'
json out '[d["code"] for d in o["layouts"][1]["diagnostics"]] == ["E403"] and "fits" in o["layouts"][2]'
expect 2 cost models/gpt.mtf "${small[@]}" again.layout gone.layout
says err "gone.layout"
says out "again.layout"

# What is about one layout.
for option in --symbolic --counters --passes "--budget memory<=1GB"; do
  expect 2 cost models/gpt.mtf again.layout stages.layout ${option%% *} ${option#--* }
  says err "is about one layout"
done 2>/dev/null
expect 2 cost models/gpt.mtf again.layout --rules batch:data
says err "cannot be combined with a layout file"
done_testing
