"""Layouts at random of what a plan's space names, for plan_shelf.py and plan_order.py."""
import itertools
import re


def factorisations(product, count):
    if count == 0:
        return [()] if product == 1 else []
    return [(size, *rest) for size in range(1, product + 1) if product % size == 0
            for rest in factorisations(product // size, count - 1)]


def some_scopes(chance, space, axes):
    """Of a dimension that plans split in scopes of blocks, or of two: in some blocks it has other axes."""
    dims = space["scopes"] + space["handed_over"]
    if not dims or not space["blocks"]:
        return []
    dim, other = chance.choice(dims), chance.choice(dims)
    share = chance.choice([0.3, 0.7])
    lines = []
    for block in space["blocks"]:
        if chance.random() < share:
            splits = {one: chance.sample(axes, chance.randint(0, len(axes))) for one in {dim, other}}
            lines.append(f'in "{block}" {{ ' + "; ".join(f"{one}:{'+'.join(over) or '[]'}" for one, over in splits.items()) + " }")
    return lines


def some_layout(chance, space, processors):
    """Its text, and options of `train` and `cost` that belong to it. It need not be legal."""
    axes = ["a", "b"][: chance.choice([1, 2, 2])]
    sizes = chance.choice(factorisations(processors, len(axes)))
    lines = ["mesh " + ", ".join(f"{a}={s}" for a, s in zip(axes, sizes))]
    share = min(0.35, 3 / max(1, len(space["dimensions"])))  # of many rules at once hardly any are legal
    for dim in space["dimensions"]:
        over = [axis for axis in axes if chance.random() < share]
        if over:
            lines.append(f"{dim}:{'+'.join(over)}")
    if chance.random() < 0.5:
        lines += some_scopes(chance, space, axes)
    if space["kept"] and chance.random() < 0.3:
        lines.append(f'param "**" {{ {chance.choice(space["kept"])}:{chance.choice(axes)} }}')
        lines.append(f"set gather={chance.choice(['again', 'once'])}")
    if chance.random() < 0.3:
        lines.append("set update=sharded")
    more = ()
    if chance.random() < 0.2:
        more = ("--set", f"train.microbatches={chance.choice(space['microbatches'])}")
    return "\n".join(lines) + "\n", more


def near_layout(chance, plan, most=50):
    """One of the fastest layouts that a plan predicted, with scopes of blocks at random besides."""
    some = [one for one in plan["predicted"] if one["stages"] == 1]
    one = chance.choice(sorted(some, key=lambda found: found["step_seconds"])[:most])
    axes = [axis.split("=")[0] for axis in one["mesh"].split(", ")]
    lines = [f"mesh {one['mesh']}", *(re.split(r"; (?![^{]*})", one["rules"]) if one["rules"] else [])]
    lines += some_scopes(chance, plan["space"], axes)
    return "\n".join(lines) + "\n", ("--set", f"train.microbatches={one['microbatches']}")


def conflicts(space, costs_of):
    """Pairs of dimensions that no layout may split over one axis, since a tensor has both: each alone is legal on two
    processors, both together are not. Most layouts drawn at random hold such a pair, and need not be asked for."""
    def legal(groups):
        texts = ["mesh a=2\n" + "".join(f"{dim}:a\n" for dim in group) for group in groups]
        return [group for group, answer in zip(groups, costs_of(texts)) if answer is not None]
    alone = [dim for dim, in legal([(dim,) for dim in space["dimensions"]])]
    pairs = list(itertools.combinations(alone, 2))
    return {frozenset(pair) for pair in pairs} - {frozenset(pair) for pair in (legal(pairs) if pairs else [])}


def has_any(pairs, text):
    """Whether a layout splits both of any pair over one axis, by its rules for the whole model."""
    rules = [line.split(":") for line in text.splitlines() if ":" in line and " " not in line]
    return any(frozenset((one, other)) in pairs and set(over.split("+")) & set(others.split("+"))
               for (one, over), (other, others) in itertools.combinations(rules, 2))
