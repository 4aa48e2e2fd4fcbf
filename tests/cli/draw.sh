# `draw`: tensors, operations, memory and data flow as SVG and as text.
. "$(dirname "$0")/lib.sh"
write_two_layers
printf 'mesh rows=2, cols=2\nbatch:rows\nhidden:cols\n' >l.layout
printf 'mesh rows=4\nbatch:rows\n' >dp.layout

# A tensor: which ranks hold which part of it.
expect 0 draw two.mtf --layout l.layout w
says out "w  f32[io=32, hidden=64]"
says out "│  0,2  │  1,3  │"
# An operation: operands, the partial result, the collective and its rule.
expect 0 draw two.mtf --layout l.layout 7 -o -
says out "h  f32[batch=64, hidden=64]"
says out "0 + 1"
says out "all_reduce over cols"
says out "hidden:cols"
# A line that computes nothing has tensors.
expect 0 draw two.mtf --layout l.layout 4
says out "w  f32[io=32, hidden=64]"
# Memory and data flow.
expect 0 draw two.mtf --layout l.layout memory flow
says out "Alive at the peak"
says out "█"
says out "backward: 1 all_reduce over rows"
says out "h = relu(einsum(x, w over io))"
cp out both
expect 0 draw two.mtf --layout l.layout
says both "$(tail -n 1 out)"
says out "backward: 1 all_reduce over rows"
[ "$(wc -L <both)" -le 80 ] || fail "wider than 80 columns"

# SVG: well-formed, with both schemes and the same texts.
svg() {
  /usr/bin/python3 -c 'import sys, xml.dom.minidom as m
d = m.parse(sys.argv[1]).documentElement
assert d.tagName == "svg" and d.getElementsByTagName("rect")
width, height = float(d.getAttribute("width")), float(d.getAttribute("height"))
for r in d.getElementsByTagName("rect"):
    if r.getAttribute("class") == "paper": continue
    x, y, w, h = (float(r.getAttribute(a)) for a in ("x", "y", "width", "height"))
    assert w >= 0 and h >= 0 and x >= 0 and y >= 0 and x + w <= width and y + h <= height, (x, y, w, h)
' "$1" || fail "$1 is not such a picture"
  grep -q 'prefers-color-scheme: dark' "$1" || fail "$1 has one scheme"
}
expect 0 draw two.mtf --layout l.layout w 7 memory flow -o a.svg
silent out
svg a.svg
grep -q '>all_reduce over cols<' a.svg || fail "the collective is missing"
# Side by side: each under its layout.
expect 0 draw two.mtf --layout l.layout --layout dp.layout 7 memory -o b.svg
svg b.svg
grep -q 'l.layout: mesh rows=2, cols=2' b.svg && grep -q 'dp.layout: mesh rows=4' b.svg ||
  fail "layouts are not told apart"
expect 0 draw two.mtf --layout l.layout w -o T.TXT
expect 0 draw two.mtf --layout l.layout w -o t.txt
cmp -s T.TXT t.txt || fail "an ending in capitals is another format"
says t.txt "│  0,2  │  1,3  │"
expect 0 draw two.mtf --layout l.layout w --json
json out '"0,2" in o["text"] and o["svg"].startswith("<svg")'

# Many ranks, many parts, three split dimensions, dimensions that do not divide.
printf 'mesh rows=16, cols=32\nbatch:rows\nhidden:cols\n' >many.layout
expect 0 draw two.mtf --layout many.layout h -o many.svg
svg many.svg
expect 0 draw two.mtf --layout many.layout h w
says out "0,32,..,480"
says out "..."
for layout in "$TREE"/models/layouts/gpt/*.layout; do
  expect 0 draw "$TREE/models/gpt.mtf" --layout "$layout" memory flow 15 20 wte layers.1.attn.a -o g.svg
  svg g.svg
done
expect 0 draw two.mtf --mesh p:3 --rules "batch:p" h
says out "44-63"

expect 0 draw "$TREE/models/gpt.mtf" --layout "$TREE/models/layouts/gpt/tp.layout" flow
says out "also takes from below: gpt.mtf:32, gpt.mtf:33"

# The pictures in docs are those that are drawn; make them anew by the same command.
root=$PWD
cd "$TREE" || exit 1
for layout in dp mp dp_mp dp_mp_3d; do
  "$MTFC" draw models/two_layer.mtf --layout models/layouts/two_layer/$layout.layout 8 9 \
    -o "$root/doc.svg" && cmp "$root/doc.svg" docs/pictures/two_layer_$layout.svg ||
    fail "docs/pictures/two_layer_$layout.svg is another picture"
done
"$MTFC" draw models/gpt.mtf --layout models/layouts/gpt/tp.layout flow -o "$root/doc.svg" &&
  cmp "$root/doc.svg" docs/pictures/gpt_flow.svg || fail "docs/pictures/gpt_flow.svg is another one"
layouts=docs/pictures/layouts
passes=(draw models/gpt.mtf -D batch=16 --set train.microbatches=8)
"$MTFC" "${passes[@]}" --layout $layouts/stages.layout --layout $layouts/chunks.layout --hardware h100 \
  -o "$root/doc.svg" && cmp "$root/doc.svg" docs/pictures/gpt_passes.svg ||
  fail "docs/pictures/gpt_passes.svg is another one"
cd "$root" || exit 1

# A pipeline.
passes=(draw "$TREE/models/gpt.mtf" -D batch=16 --set train.microbatches=8)
layouts=$TREE/docs/pictures/layouts
expect 0 "${passes[@]}" --layout $layouts/stages.layout passes
says out "stage 3: 1 in flight at most"
expect 2 "${passes[@]}" --layout $layouts/stages.layout flow
says err "of which \`passes\` is the picture"
expect 2 "${passes[@]}" passes
says err "name a layout with a \`pipeline\`"
expect 2 "${passes[@]}" --hardware h100
says err "leave out \`--hardware\`"

# Mistakes.
expect 2 draw two.mtf --layout l.layout hh
says err "did you mean \`h\`?"
expect 2 draw two.mtf --layout l.layout 99
expect 2 draw two.mtf --layout l.layout w -o w.png
says err "writes SVG"
expect 2 draw two.mtf --layout l.layout w -o two.mtf
expect 3 draw two.mtf --layout l.layout w -o no/such/w.svg
done_testing
