# The tensors of a checkpoint of either form, with nothing but the rules of docs/files.md; every checksum
# is compared. With two checkpoints: their tensors and what they say of the run must be the same.
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
    a, m = load(sys.argv[1])
    if len(sys.argv) > 2:
        b, n = load(sys.argv[2])
        assert a == b, [k for k in a if a[k] != b.get(k)]
        for key in ("step", "seed", "dims", "kinds", "files", "model"): assert m[key] == n[key], key
