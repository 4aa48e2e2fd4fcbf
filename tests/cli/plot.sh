# mtfc plot: pictures that XML readers accept, from honest and from broken logs.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
model=$TREE/models/two_layer.mtf
expect 0 train "$model" -D batch=8 -D io=16 -D hidden=8 --steps 40 --set train.eval_every=10 -o runs/a
expect 0 train "$model" -D batch=8 -D io=16 -D hidden=8 --steps 30 --seed 3 --log 'b <&">.jsonl'
# picture FILE EXPRESSION: the file is well-formed SVG of which the Python expression holds: `texts`, `paths` (class, d).
picture() {
  /usr/bin/python3 - "$1" "$2" <<'P' 2>pyerr || { fail "$1: not true: $2"; tail -n 3 pyerr; }
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
svg = "{http://www.w3.org/2000/svg}"
assert root.tag == svg + "svg" and "prefers-color-scheme: dark" in root.find(svg + "style").text
texts = [t.text for t in root.iter(svg + "text")]
paths = [(p.get("class"), p.get("d")) for p in root.iter(svg + "path")]
kinds = [k for k, _ in paths]
for _, d in paths:
    assert "nan" not in d and "inf" not in d, d[:200]
    for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", d):
        assert -1 <= float(x) <= 900 and -1 <= float(y) <= 700, (x, y)
assert eval(sys.argv[2]), (texts, kinds)
P
}
expect 0 plot runs/a 'b <&">.jsonl' -o curves.svg
silent out
picture curves.svg '{"loss", "learning rate", "training step", "runs/a", "b <&\">.jsonl", "2 runs"} <= set(texts)'
picture curves.svg 'kinds.count("train") == 5 and kinds.count("eval") == 3 and "10" in texts'
expect 0 plot runs/a/log.jsonl --title 'a < b' --log-scale
picture out '"a < b" in texts and "loss (logarithmic)" in texts'
expect 0 plot runs/a/ --json
json out "o['runs'] == ['runs/a'] and o['svg'].startswith('<svg')"

# A value that is not finite is a gap, a line that is being written is no mistake, others are told.
printf '%s\n' '{"step":1,"loss":3}' '{"step":2,"loss":null,"not_finite":true}' '{"step":3,"loss":2}' >gap.jsonl
printf '{"step":4,"lo' >>gap.jsonl
expect 0 plot gap.jsonl -o gap.svg
silent err
picture gap.svg 'kinds.count("train") == 3 and "learning rate" not in texts'
{ printf '%s\n' 'oops' '{"step":1,"loss":3}' '[]' '{"loss":1}' '{"step":-5,"loss":1}' '{"step":1e300,"loss":1}' \
    '{"step":2,"loss":1e308}' '{"step":3,"loss":-1e308}' '{"step":"4","loss":1}' '{"step":5,"loss":"x"}' '{"step":6}' \
    '{"step":9,"loss":{"a":1}}' '{"step":7,"loss":2}' '{"step":7,"loss":2.5}' '{"step":5,"loss":2.5}'
  /usr/bin/python3 -c 'print("[" * 100000); print("{\"step\":" * 1000); print("\xff\x00\x01{")'; } >bad.jsonl
expect 0 plot bad.jsonl -o bad.svg
says err "W520"
says err "line 1 is not a log record"
picture bad.svg '"3" in texts or "3.0" in texts'
expect 1 plot bad.jsonl --strict -o bad.svg
expect 0 plot bad.jsonl --log-scale -o bad.svg
printf '%s\n' '{"step":1,"loss":-1}' '{"step":2,"loss":0}' >below.jsonl
expect 3 plot below.jsonl --log-scale
says err "no loss is above 0"
sed -i 's/}/,"lr":1}/' below.jsonl
expect 0 plot below.jsonl --log-scale -o below.svg
says err "note: no loss is above 0"
picture bad.svg 'True'

# One point, a constant, very small and very large values, many points.
for values in 1 '1 1 1' '1e-30 2e-30' '1e90 -1e90 3' '0 0' '1000000 1000000.0001' '-3 -2.5 -1'; do
  n=0
  for value in $values; do echo "{\"step\":$((n += 1)),\"loss\":$value,\"lr\":0}"; done >v.jsonl
  for scale in '' --log-scale; do
    expect 0 plot v.jsonl $scale -o v.svg
    picture v.svg 'len(texts) > 6'
  done
done
/usr/bin/python3 -c 'for i in range(200000): print("{\"step\":%d,\"loss\":%f,\"lr\":1}" % (i, 1 + (i % 7) / (i + 1)))' >many.jsonl
expect 0 plot many.jsonl -o many.svg
picture many.svg '"band" in kinds and "200,000" in texts or "150,000" in texts'
[ "$(wc -c <many.svg)" -lt 200000 ] || fail "200000 points make $(wc -c <many.svg) bytes"

# Nothing to draw, nothing to read, nowhere to write.
: >empty.jsonl
expect 3 plot empty.jsonl -o none.svg
says err "E520"
[ ! -e none.svg ] || fail "a picture of nothing"
expect 3 plot "$model" -o none.svg
expect 2 plot no/such.jsonl -o none.svg
says err "E502"
expect 2 plot runs/a -o curves.png
says err "\`plot\` writes SVG"
[ ! -e curves.png ] || fail "SVG in a file that is named .png"
expect 2 plot
expect 3 plot runs/a -o no/such/folder/x.svg
done_testing
