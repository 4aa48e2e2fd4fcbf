"""What `cost --symbolic --json` prints, evaluated at other sizes."""
from fractions import Fraction


def terms(formula):
    """{product of symbols: coefficient}"""
    return {tuple(sorted(t["powers"].items())): t["coefficient"] for t in formula["terms"]}


def value(formula, sizes):
    total = Fraction(0)
    for powers, coefficient in terms(formula).items():
        product = Fraction(int(coefficient))
        for name, power in powers:
            product *= Fraction(sizes[name]) ** power
        total += product
    return total


def sizes(report):
    return {s["name"]: s["size"] for s in report["formulas"]["symbols"]}


def counted(report):
    """The same counts from the numbers."""
    c = report["collectives"]
    return {
        "flops": report["flops"]["per_processor"],
        "elements": sum(x["elements_per_processor"] for x in c),
        "bytes": sum(x["bytes_per_processor"] for x in c),
        "bytes_sent": sum(x["bytes_sent_per_processor"] for x in c),
        "calls": len(c),
    }


def differences(report, other):
    """Formulas of one report at the sizes of another against the other's numbers. Work and what
    collectives are given are the same; how many travel as one depends on sizes. Of what is sent, sums
    that processors cannot share out evenly are rounded up in numbers."""
    found = []
    for key, number in counted(other).items():
        formula = value(report["formulas"][key], sizes(other))
        if key == "calls" and report is not other:
            continue
        if key == "bytes_sent" and 0 <= number - formula <= max(number // 10**5, 64):
            continue
        if formula != number:
            found.append(f"{key}: {float(formula)} by the formula, {number} counted")
    return found
