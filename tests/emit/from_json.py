"""Trains a model from what `mtfc emit --backend json` wrote, in NumPy, on all processors of the mesh, or of the meshes
of all stages: an independent reader of the object. Prints a line {"step", "loss"} for each step and {"eval_loss", NAME...} at the end.

python3 from_json.py program.json. Data sources: npy; first values: files, constants and random samples."""
import json
import math
import os
import sys

import numpy as np

from samples import sample

TYPES = {"f32": np.float32, "f64": np.float64, "int": np.int32, "i32": np.int32, "bool": np.bool_}
OPS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "min": np.minimum, "max": np.maximum,
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "tanh": np.tanh, "cos": np.cos, "sin": np.sin, "floor": np.floor,
    "pow": np.power, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "eq": np.equal, "ne": np.not_equal, "lt": np.less,
    "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_not": np.logical_not, "select": np.where, "cast": lambda x: x,
}
FOLDS = {"sum": np.add, "max": np.maximum, "min": np.minimum}


class Machine:
    """All processors of a mesh; a value is a list of shards, one a processor."""

    def __init__(self, own):
        self.programs = {p["name"]: p["instructions"] for p in own["programs"]}
        self.axes = [a["name"] for a in own["mesh"]["axes"]]
        self.sizes = [a["size"] for a in own["mesh"]["axes"]]
        self.dims = {d["name"]: d["size"] for d in own["dims"]}
        self.true_sizes = {d["name"]: self.dims[d.get("pads", d["name"])] for d in own["dims"]}
        self.places = list(np.ndindex(*self.sizes))
        assert len(self.places) == own["mesh"]["processors"]
        self.types = {v["path"]: v["type"] for v in own["variables"]}
        self.variables = {}

    def part(self, dim, place):
        """Number of the block of a dimension that a processor holds, and of blocks."""
        number, blocks = 0, 1
        for axis in dim["split"]:
            i = self.axes.index(axis)
            number, blocks = number * self.sizes[i] + place[i], blocks * self.sizes[i]
        return number, blocks

    def shard(self, whole, type_, place):
        index = []
        for dim in type_["dims"]:
            number, blocks = self.part(dim, place)
            assert dim["shard"] * blocks == self.dims[dim["name"]]
            index.append(slice(number * dim["shard"], (number + 1) * dim["shard"]))
        padded = np.zeros([self.dims[d["name"]] for d in type_["dims"]], TYPES[type_["dtype"]])
        padded[tuple(slice(self.true_sizes[d["name"]]) for d in type_["dims"])] = whole
        return padded[tuple(index)]

    def whole(self, shards, type_):
        assert "partial" not in type_
        whole = np.zeros([self.dims[d["name"]] for d in type_["dims"]], TYPES[type_["dtype"]])
        for place, shard in zip(self.places, shards):
            index = []
            for dim in type_["dims"]:
                number, _ = self.part(dim, place)
                index.append(slice(number * dim["shard"], (number + 1) * dim["shard"]))
            whole[tuple(index)] = shard
        return whole[tuple(slice(self.true_sizes[d["name"]]) for d in type_["dims"])]

    def group(self, place, axes):
        """The processors that differ from this one on some axes only, in ascending order."""
        fixed = [i for i, a in enumerate(self.axes) if a not in axes]
        return [i for i, other in enumerate(self.places) if all(other[f] == place[f] for f in fixed)]

    def variable(self, path):
        """The whole tensor, put together from shards."""
        return self.whole(self.variables[path], self.types[path])

    def set_variable(self, path, whole):
        self.variables[path] = [self.shard(whole, self.types[path], p) for p in self.places]

    def fill_unset(self):
        """What accumulators hold at first is of no consequence."""
        for path, type_ in self.types.items():
            shape, dtype = [d["shard"] for d in type_["dims"]], TYPES[type_["dtype"]]
            nothing = np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else 1, dtype)
            self.variables.setdefault(path, [nothing for _ in self.places])

    def run(self, name, feeds):
        values, types, fetched, written = {}, {}, {}, {}
        for at in self.programs[name]:
            types.update({r["id"]: r["type"] for r in at["results"]})
            a = at["attributes"]
            x = [values[i] for i in at["operands"]]
            xt = [types[i] for i in at["operands"]]
            rt = [r["type"] for r in at["results"]]
            if at["kind"] == "read":
                out = [self.variables[a["variable"]]]
            elif at["kind"] == "write":
                written[a["variable"]] = x[0]
                out = []
            elif at["kind"] == "feed":
                out = [[self.shard(np.asarray(feeds[a["name"]]), rt[0], p) for p in self.places]]
            elif at["kind"] == "fetch":
                fetched[a["name"]] = self.whole(x[0], xt[0])
                out = []
            else:
                results = [self.local(at["kind"], a, n, x, xt, rt) for n in range(len(self.places))]
                out = [[r[k] for r in results] for k in range(len(rt))]
            for r, shards in zip(at["results"], out):
                for shard in shards:
                    assert shard.shape == tuple(d["shard"] for d in r["type"]["dims"]), (at, shard.shape)
                values[r["id"]] = [np.asarray(s, TYPES[r["type"]["dtype"]]) for s in shards]
        self.variables.update(written)
        return fetched

    def local(self, kind, a, n, x, xt, rt):
        """The results of one instruction on processor number n."""
        place = self.places[n]
        mine = [v[n] for v in x]
        names = [[d["name"] for d in t["dims"]] for t in xt]
        rnames = [d["name"] for d in rt[0]["dims"]]
        if kind == "map":
            return self.map(a, place, mine, names, rt)
        if kind in ("contract", "add_product"):
            letters = {}
            spell = lambda dims: "".join(letters.setdefault(d, chr(97 + len(letters))) for d in dims)
            product = np.einsum(f"{spell(names[0])},{spell(names[1])}->{spell(rnames)}", *mine[:2])
            return [product if kind == "contract" or mine[3] == 0 else mine[2] + product]
        if kind == "reduce":
            gone = tuple(i for i, d in enumerate(names[0]) if d in a["reduced"])
            kept = [d for d in names[0] if d not in a["reduced"]]
            done = FOLDS[a["combine"]].reduce(mine[0], axis=gone) if gone else mine[0]
            return [np.transpose(done, [kept.index(d) for d in rnames])]
        if kind == "rearrange":
            assert all(len(g["from"]) == 1 and len(g["to"]) == 1 for g in a["groups"]), "only renames"
            new = {g["from"][0]: g["to"][0] for g in a["groups"]}
            renamed = [new.get(d, d) for d in names[0]]
            return [np.transpose(mine[0], [renamed.index(d) for d in rnames])]
        if kind in ("gather", "scatter_add"):
            return [self.lookup(kind, a, place, mine, names, xt, rt, rnames)]
        if kind == "add_at":
            where = {"dims": [a["dim"]]}
            return [mine[2] + self.lookup("scatter_add", where, place, mine, names, xt, rt, rnames)]
        if kind == "all_reduce":
            out = []
            for k in range(len(x)):
                total = None
                for other in self.group(place, a["axes"]):
                    total = x[k][other] if total is None else FOLDS[a["combine"]](total, x[k][other])
                out.append(total)
            return out
        if kind == "wait":
            return mine[:len(rt)]
        if kind in ("all_gather", "reduce_scatter"):
            out = []
            assert len(a["dims"]) == len(x) == len(rt)
            for v, dim, vnames in zip(x, a["dims"], names):
                shards = [v[o] for o in self.group(place, [a["axis"]])]
                if kind == "all_gather":
                    out.append(np.concatenate(shards, vnames.index(dim)))
                else:
                    out.append(self.own(FOLDS[a["combine"]].reduce(shards), vnames.index(dim), a["axis"], place))
            return out
        if kind == "tiled":
            return self.tiled(a, n, mine, xt)
        if kind == "shard":
            return [self.own(mine[0], rnames.index(a["dim"]), a["axis"], place)]
        raise NotImplementedError(kind)

    def tiled(self, a, n, mine, xt):
        """Its steps one after the other, each whole: tiles are a matter of memory."""
        values, types = list(mine), list(xt)
        spread = lambda shard: [shard] * len(self.places)
        for step in a["steps"]:
            x = [spread(values[i]) for i in step["from"]]
            out = self.local(step["do"]["kind"], step["do"]["attributes"], n, x, [types[i] for i in step["from"]], step["to"])
            values += [np.asarray(v, TYPES[t["dtype"]]) for v, t in zip(out, step["to"])]
            types += step["to"]
        return [values[i] for i in a["results"]]

    def own(self, whole, along, axis, place):
        """A processor's own block."""
        i = self.axes.index(axis)
        return np.split(whole, self.sizes[i], along)[place[i]]

    def map(self, a, place, mine, names, rt):
        space = [d["name"] for d in rt[0]["dims"]]
        extents = [d["shard"] for d in rt[0]["dims"]]
        done = []
        for step in a["body"]:
            if "operand" in step:
                k = step["operand"]
                order = sorted(range(len(names[k])), key=lambda i: space.index(names[k][i]))
                shape = [e if d in names[k] else 1 for d, e in zip(space, extents)]
                value = np.transpose(mine[k], order).reshape(shape)
            elif "constant" in step:
                value = np.float64(step["constant"])
            elif "index" in step:
                i = space.index(a["indices"][step["index"]])
                number, _ = self.part(rt[0]["dims"][i], place)
                value = (number * extents[i] + np.arange(extents[i])).reshape([-1] + [1] * (len(space) - i - 1))
            elif "op" in step:
                value = OPS[step["op"]](*(done[j] for j in step["args"]))
            else:
                value = self.sample(a["samples"][step["random"]], step["dtype"], place, mine, rt[0])
            done.append(np.asarray(value).astype(TYPES[step["dtype"]]))
        return [np.broadcast_to(done[r], extents) for r in a["body_results"]]

    def sample(self, of, dtype, place, mine, type_):
        """Elements of the map's result, by their places in the whole sample."""
        space = {d["name"]: d for d in type_["dims"]}
        at = dict(zip(space, np.indices([d["shard"] for d in type_["dims"]], sparse=True)))
        number = 0
        for name in of["dims"]:
            first, every = 0, 1
            if name == of["numbered"]:
                first, every = (int(mine[of["first_operand"]]) if of["first_operand"] >= 0 else 0), of["every"]
            begin = self.part(space[name], place)[0] * space[name]["shard"]
            number = number * (self.true_sizes[name] * every) + first + every * (begin + at[name])
        step = int(mine[of["step_operand"]]) if of["step_operand"] >= 0 else 0
        return sample(of, dtype, step, number)

    def lookup(self, kind, a, place, mine, names, xt, rt, rnames):
        """One indexed dimension; what another processor has counts as 0, its sum is pending."""
        assert len(a["dims"]) == 1
        table = (xt[0] if kind == "gather" else rt[0])["dims"]
        space = rnames if kind == "gather" else names[0]  # one look-up for each place in it
        extents = [d["shard"] for d in (rt[0] if kind == "gather" else xt[0])["dims"]]
        where = dict(zip(space, np.indices(extents)))
        looked = mine[1][tuple(where[d] for d in names[1])]
        entry, inside = [], True
        for dim in table:
            if dim["name"] == a["dims"][0]:
                number, _ = self.part(dim, place)
                looked = looked - number * dim["shard"]
                inside = (looked >= 0) & (looked < dim["shard"])
                entry.append(np.where(inside, looked, 0))
            else:
                entry.append(where[dim["name"]])
        if kind == "gather":
            return mine[0][tuple(entry)] * inside
        total = np.zeros([d["shard"] for d in table], mine[0].dtype)
        np.add.at(total, tuple(entry), mine[0] * inside)
        return total


class Stages:
    """A machine for each stage, or one for all where they have one mesh; what crosses between their parts."""

    def __init__(self, program):
        self.machines = [Machine(own) for own in program.get("stages", [program])]
        self.machine_of = {name: machine for machine in self.machines for name in machine.programs}
        pipeline = program.get("pipeline", {"parts": [], "crossings": []})
        self.crossings = pipeline["crossings"]
        self.held = {}  # what crosses, by micro-batch
        if "stages" in program:
            assert all(self.machine_of[p["name"]] is self.machines[p["stage"]] for p in pipeline["parts"])
        for crossing in self.crossings:  # the same tensor everywhere, however it is cut
            here = self.machine_of[crossing["from"]]
            for there in (self.machine_of[name] for name in crossing["to"]):
                a, b = (m.types[crossing["variable"]] for m in (here, there))
                assert a["dtype"] == b["dtype"] and [d["name"] for d in a["dims"]] == [d["name"] for d in b["dims"]]
                assert all(here.dims[d["name"]] == there.dims[d["name"]] for d in a["dims"])

    def home(self, path):
        """The machine of a variable that does not cross."""
        (machine,) = [m for m in self.machines if path in m.types]
        return machine

    def run(self, name, feeds):
        at = lambda crossing: (0 if crossing["steady"] else feeds.get("run.microbatch", 0), crossing["variable"])
        machine = self.machine_of[name]
        for crossing in self.crossings:
            if name in crossing["to"]:
                machine.set_variable(crossing["variable"], self.held[at(crossing)])
        fetched = machine.run(name, feeds)
        for crossing in self.crossings:
            if crossing["from"] == name:
                self.held[at(crossing)] = machine.variable(crossing["variable"])
        return fetched


def main():
    program = json.load(open(sys.argv[1]))
    assert program["schema"] == 3
    stages = Stages(program)
    first = stages.machines[0]  # every stage is fed the same
    inputs = program.get("stages", [program])[0]["inputs"]
    schedule = program["schedule"]

    arrays = {}  # (source, field): examples
    for source in program["data"]:
        assert source["function"] == "npy"
        holdout = 0.1
        for number, arg in enumerate(source["args"]):
            if arg["name"] == "holdout":
                holdout = arg["value"]
            else:
                field = "data" if number == 0 else arg["name"]
                arrays[source["name"], field] = np.load(os.path.join(source["directory"], arg["value"]))

    def batch(evaluation):
        feeds = {}
        for given in inputs:
            rows = arrays[given["source"], given["field"]]
            size = first.true_sizes[given["type"]["dims"][0]["name"]]
            half = len(rows) // 2
            rows = rows[half:] if evaluation else rows[:half]
            assert holdout == 0.5 and len(rows) == size, "an epoch is a batch"
            feeds[given["name"]] = rows
            if "places" in given:
                assert rows.max() < given["places"]["size"] == first.true_sizes[given["places"]["dim"]]
        return feeds

    size = first.true_sizes[inputs[0]["type"]["dims"][0]["name"]]
    scalars = {"run.step": 0, "run.steps": schedule["steps"], "run.examples": size, "run.first_example": 0}
    for name in schedule["once"]:
        stages.run(name, {})
    for machine in stages.machines:
        machine.fill_unset()
    for file in program["initial"]:
        tensors = np.load(file["file"])
        for parameter in file["parameters"]:
            name = next(n for n in parameter["names"] if n in tensors)
            stages.home(parameter["path"]).set_variable(parameter["path"], tensors[name])
    for step in range(schedule["steps"]):
        fetched = {}
        for part in schedule["each_step"]:
            count = part["microbatches"]
            for m in [part["microbatch"]] if "microbatch" in part else range(count):
                rows = {name: whole[m::count] for name, whole in batch(False).items()}
                of_part = {"run.microbatch": m} if count > 1 else {}
                fetched.update(stages.run(part["program"], {**scalars, **rows, **of_part, "run.step": step}))
        print(json.dumps({"step": step + 1, **{k: float(v) for k, v in fetched.items()}}))
    evaluation = schedule["evaluation"]
    fetched, count = {}, evaluation["microbatches"]
    part = size // count  # examples one after the other: a smaller batch
    for name in evaluation["begin"]:
        stages.run(name, scalars)
    for p in range(count):
        rows = {name: whole[p * part:(p + 1) * part] for name, whole in batch(True).items()}
        for name in evaluation["each_batch"]:
            stages.run(name, {**scalars, **rows, "run.examples": part, "run.first_example": p * part})
    for name in evaluation["end"]:
        fetched.update(stages.run(name, scalars))
    print(json.dumps({"evaluation": {k: float(v) for k, v in fetched.items()}}))
    assert all(math.isfinite(float(v)) for v in fetched.values())


main()
