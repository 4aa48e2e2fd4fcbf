# What `cost` says of each operation, before any program is made, is what the programs of every
# model and layout send.
. "$(dirname "$0")/lib.sh"
checked=0
for layout in "$TREE"/models/layouts/*/*.layout; do
  case $layout in */paper.layout) continue ;; esac  # needs other sizes
  model=$TREE/models/$(basename "$(dirname "$layout")").mtf
  "$MTFC" cost "$model" --layout "$layout" --passes >out 2>err || fail "cost $layout"
  operations=$(awk '/^  \(each operation\)/ {print $3, $4, $5}' out)
  lowered=$(awk '/^  lower / {print $2, $5, $6}' out)
  [ -n "$operations" ] && [ "$operations" = "$lowered" ] || fail "$layout: $operations, then $lowered"
  checked=$((checked + 1))
done
[ "$checked" -gt 30 ] || fail "only $checked layouts"
done_testing
