# The shipped library: every block has a line that says what it does, `lib` prints it, the docs list
# it, and both files are in the house style.
. "$(dirname "$0")/lib.sh"

expect 0 lib
says out "transformer.mtf"
says out "Multi-head attention"
expect 0 lib relative_bias
says out "# transformer.mtf"
says out "block relative_bias("
[ "$(grep -c '^block' out)" = 1 ] || fail "more than one block"
expect 0 lib causal_mask
[ "$(tail -c 2 out)" = "}" ] || fail "the block is cut"
expect 0 lib attention --json
json out "o['block']['file'] == 'nn.mtf' and o['block']['text'].startswith('# Multi')"
expect 2 lib atention
says err "did you mean \`attention\`?"

expect 0 lib --json
json out "len(o['blocks']) >= 30 and len({b['name'] for b in o['blocks']}) == len(o['blocks'])"
json out "all(0 < len(b['doc']) <= 80 and b['doc'].endswith('.') for b in o['blocks'])"
json out "all('| \`' + b['name'] + '\`' in text and b['doc'] in text for text in
           [open('$TREE/docs/library.md').read()] for b in o['blocks'])"
expect 0 fmt --check "$TREE"/models/lib/*.mtf "$TREE"/models/*.mtf
done_testing
