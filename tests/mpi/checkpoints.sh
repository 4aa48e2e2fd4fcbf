#!/usr/bin/env bash
# Checkpoints of several ranks: one file or a folder, each rank writing what it has; the same bytes as
# the simulated mesh's, read under any other mesh and number of ranks; and what each rank reads of the
# data.
. "$(dirname "$0")/lib.sh"
L=$TREE/models/layouts/two_layer
model=("$TREE/models/two_layer.mtf" -D batch=8 -D io=16 -D hidden=8 --set "train.optimizer=adam(lr=0.01)")
meshes=("--layout $L/dp_mp.layout" "--mesh a:4 --rules hidden:a" "--mesh a:2 --rules io:a" "--mesh a:1")
ranks=(4 4 2 1)

# The tensors of a checkpoint in Python, of either form, every checksum compared.
cat >tensors.py <<'P'
import json, os, struct, sys, zlib
def one(path):
    data = open(path, "rb").read()
    n = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + n])
    note = head.pop("__metadata__")
    places = sorted((e["data_offsets"], k) for k, e in head.items())
    sums = "".join("%08x" % zlib.crc32(data[8 + n + a:8 + n + b]) for (a, b), _ in places)
    assert sums == note["crc32.tensors"], path
    zeroed = data[:8 + n].replace(b'"crc32":"' + note["crc32"].encode(), b'"crc32":"00000000')
    assert "%08x" % zlib.crc32(zeroed) == note["crc32"], path
    bits = {k: data[8 + n + e["data_offsets"][0]:8 + n + e["data_offsets"][1]] for k, e in head.items()}
    return {k: (e["dtype"], e["shape"], bits[k]) for k, e in head.items()}, note
def runs(shape, begin, part):  # (place in the whole, place in the part, elements) of rows of the part
    if not shape: yield 0, 0, 1; return
    def walk(d, at, to):
        if d == len(shape) - 1: yield at * shape[d] + begin[d], to * part[d], part[d]; return
        for i in range(part[d]): yield from walk(d + 1, at * shape[d] + begin[d] + i, to * part[d] + i)
    yield from walk(0, 0, 0)
def load(path):
    if not os.path.isdir(path): return one(path)
    text = open(path + "/index.json", "rb").read()
    index = json.loads(text)
    zeroed = text.replace(b'"crc32":"' + index["crc32"].encode(), b'"crc32":"00000000', 1)
    assert "%08x" % zlib.crc32(zeroed) == index["crc32"]
    parts = [one(path + "/" + f["name"]) for f in index["files"]]
    assert [note["crc32"] for _, note in parts] == [f["crc32"] for f in index["files"]]
    tensors = {}
    for name, e in index["tensors"].items():
        size = {"F32": 4, "F64": 8, "BF16": 2, "I32": 4}[e["dtype"]]
        count = size
        for extent in e["shape"]: count *= extent
        whole, seen = bytearray(count), 0
        for p in e["pieces"]:
            dtype, shape, bits = parts[p["file"]][0][name]
            assert dtype == e["dtype"] and shape == p["shape"]
            for to, at, n in runs(e["shape"], p["begin"], p["shape"]):
                whole[to * size:(to + n) * size] = bits[at * size:(at + n) * size]
                seen += n * size
        assert seen == count, name
        tensors[name] = (e["dtype"], e["shape"], bytes(whole))
    return tensors, index["metadata"]
if __name__ == "__main__":
    (a, m), (b, n) = load(sys.argv[1]), load(sys.argv[2])
    assert a == b, [k for k in a if a[k] != b.get(k)]
    for key in ("step", "seed", "dims", "kinds", "files", "model"): assert m[key] == n[key], key
P

for i in "${!meshes[@]}"; do
  "$MTFC" train "${model[@]}" ${meshes[i]} --steps 4 -o "sim$i" >/dev/null 2>err || { cat err; fail "simulated ${meshes[i]}"; }
  for family in "${families[@]}"; do
    for form in one_file sharded; do
      out=$family.$form.$i
      run "$family" "${ranks[i]}" "$MTFC" train "${model[@]}" ${meshes[i]} --steps 4 -o "$out" -j 1 \
        --set train.checkpoint=$form >/dev/null 2>err || { cat err; fail "$out"; continue; }
      saved=$out/checkpoints/step-00000004
      [ $form = sharded ] || saved=$saved.safetensors
      /usr/bin/python3 tensors.py "$saved" "sim$i/checkpoints/step-00000004.safetensors" ||
        fail "$out is not what the simulated mesh saves"
      [ -z "$(ls "$out/checkpoints" | grep writing)" ] || fail "$out left something"
    done
  done
done
# Every rank has written: with hidden split in four, each file has a quarter of w1.
/usr/bin/python3 - <<'P' || fail "the parts are not shares"
import glob, os
for path in glob.glob("*.sharded.1/checkpoints/step-00000004"):
    sizes = [os.path.getsize(f) for f in sorted(glob.glob(path + "/part-*"))]
    assert len(sizes) == 4 and max(sizes) < 1.5 * min(sizes), sizes
P

# Each goes on under another mesh, another form and another number of ranks, and evaluates alike.
for family in "${families[@]}"; do
  for form in one_file sharded; do
    run "$family" 2 "$MTFC" train --resume $family.$form.1 ${meshes[2]} --steps 6 -j 1 >/dev/null 2>err ||
      { cat err; fail "$family $form: four ranks to two"; }
    "$MTFC" train --resume $family.$form.1 --steps 7 >/dev/null 2>err || { cat err; fail "$family $form: to one"; }
    other=$([ $form = sharded ] && echo one_file || echo sharded)
    run "$family" 4 "$MTFC" train --resume $family.$form.1 ${meshes[0]} --steps 8 -j 1 \
      --set train.checkpoint=$other --set train.keep=2 >/dev/null 2>err || { cat err; fail "$family $form to $other"; }
    [ "$(ls $family.$form.1/checkpoints | wc -l)" = 2 ] || fail "keep: $(ls $family.$form.1/checkpoints)"
  done
done

# Going on under the same mesh: the bits of a run that was never interrupted. A damaged newest one is
# passed over, by all ranks alike, and its damage told once.
"$MTFC" train "${model[@]}" ${meshes[0]} --steps 8 --set train.checkpoint_every=2 -o whole >/dev/null 2>&1
for family in "${families[@]}"; do
  for form in one_file sharded; do
    run "$family" 4 "$MTFC" train "${model[@]}" ${meshes[0]} --steps 4 --set train.checkpoint_every=2 -o cut.$form \
      --set train.checkpoint=$form -j 1 >/dev/null 2>&1 || fail "cut.$form"
    last=cut.$form/checkpoints/step-00000004
    [ $form = sharded ] && last=$last/part-00003.safetensors || last=$last.safetensors
    printf 'X' | dd of="$last" bs=1 seek=$(($(stat -c %s "$last") - 3)) conv=notrunc 2>/dev/null
    run "$family" 4 "$MTFC" train --resume cut.$form ${meshes[0]} --steps 8 -j 1 >/dev/null 2>err ||
      { cat err; fail "$family $form: resuming from the older"; }
    [ "$(grep -c W510 err)" = 1 ] || { cat err; fail "W510 not once"; }
    cmp -s <(losses whole/log.jsonl | grep -v eval) <(losses cut.$form/log.jsonl | grep -v eval) ||
      { losses cut.$form/log.jsonl; fail "$family $form: another log"; }
    rm -rf cut.$form
  done
done

# What each rank reads of the data: its share and no more.
mnist=("$TREE/models/mnist.mtf" -D batch=40 -D hidden1=8 -D hidden2=8 --steps 3 -j 1 --json)
"$MTFC" train "${mnist[@]}" >alone 2>/dev/null || fail "mnist alone"
for family in "${families[@]}"; do
  run "$family" 4 "$MTFC" train "${mnist[@]}" --mesh "a:2,b:2" --rules "batch:a row:b" >shares 2>err || { cat err; fail "mnist on four"; }
  /usr/bin/python3 - <<'P' || fail "$family: what ranks read"
import json
alone, shares = (json.load(open(f))["read"] for f in ("alone", "shares"))
assert len(alone) == 1 and len(shares) == 4, shares
for rank in shares:
    assert 2 * rank["examples"] == alone[0]["examples"] > 0, (alone, shares)
    # half of the rows, half of each image; labels are whole in each row
    assert 4 * rank["bytes"] < 1.01 * alone[0]["bytes"], (alone, shares)
P
done
exit $failed
