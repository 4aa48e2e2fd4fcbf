"""Layouts at random of what a plan's space names, for plan_shelf.py and plan_order.py."""


def factorisations(product, count):
    if count == 0:
        return [()] if product == 1 else []
    return [(size, *rest) for size in range(1, product + 1) if product % size == 0
            for rest in factorisations(product // size, count - 1)]


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
    if space["kept"] and chance.random() < 0.3:
        lines.append(f'param "**" {{ {chance.choice(space["kept"])}:{chance.choice(axes)} }}')
        lines.append(f"set gather={chance.choice(['again', 'once'])}")
    if chance.random() < 0.3:
        lines.append("set update=sharded")
    more = ()
    if chance.random() < 0.2:
        more = ("--set", f"train.microbatches={chance.choice(space['microbatches'])}")
    return "\n".join(lines) + "\n", more
