"""What `mtfc cost` predicts of many layouts: a table of them costs little more than one."""
import itertools
import json
import subprocess
import tempfile


def costs(mtfc, words, layouts, refused=()):
    """Of each layout's text the seconds of a step and the bytes of a processor, in a step or
    outside of one; nothing if it is not legal, or warns of
    something in `refused`. `words`: the model and options."""
    with tempfile.TemporaryDirectory() as folder:
        # Of one alone there is no table.
        files = [f"{folder}/{i}.layout" for i in range(max(2, len(layouts)))]
        for file, text in zip(files, itertools.cycle(layouts)):
            with open(file, "w") as out:
                out.write(text)
        made = subprocess.run([mtfc, "cost", *words, "--json", *itertools.chain(*(["--layout", f] for f in files))],
                              capture_output=True, text=True)
    return [answer_of(found, refused) for found in json.loads(made.stdout)["layouts"]][:len(layouts)]


def answer_of(found, refused):
    if "step_seconds" not in found or any(d["severity"] == "error" or d["code"] in refused for d in found["diagnostics"]):
        return None
    return found["step_seconds"], found["run_memory"]["per_processor"]


def tables(layouts, key, most=64):
    """Lists of layouts of one key each."""
    for _, some in itertools.groupby(sorted(layouts, key=key), key):
        some = list(some)
        yield from (some[i:i + most] for i in range(0, len(some), most))
