# What `cost` says of each operation, before any program is made, is what the programs of every
# model and layout send.
. "$(dirname "$0")/lib.sh"
checked=0 last=
for layout in "$TREE"/models/layouts/*/*.layout; do
  case $layout in */paper.layout) continue ;; esac  # needs other sizes
  model=$TREE/models/$(basename "$(dirname "$layout")").mtf
  # Of models that are as large as they are meant to be, the first layout; of the GPT, and in scripts/nightly, all.
  nightly || [ "$model" != "$last" ] || [[ $model == */gpt.mtf ]] || continue
  last=$model
  # shellcheck disable=SC2046
  "$MTFC" cost "$model" $(day_sizes "$model") --layout "$layout" --passes >out 2>err || fail "cost $layout"
  operations=$(awk '/^  \(each operation\)/ {print $3, $4, $5}' out)
  lowered=$(awk '/^  lower / {print $2, $5, $6}' out)
  [ -n "$operations" ] && [ "$operations" = "$lowered" ] || fail "$layout: $operations, then $lowered"
  checked=$((checked + 1))
done
expect 0 cost "$model" --layout "$layout" --passes --json
json out "o['passes'][0]['pass'] is None and any(r['pass'] == 'lower' and r['bytes_sent_per_processor'] >= 0 for r in o['passes'])"
[ "$checked" -gt 20 ] || fail "only $checked layouts"
done_testing
