# The translation of numbers in words to digits, on a 2x2 mesh: over 95 % of the held-out lines are right.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
expect 0 train "$TREE/models/number_words.mtf" --steps 350 --json -o run \
  --layout "$TREE/models/layouts/number_words/dp_mp.layout"
json out "o['metrics']['exact'] > 0.95"
done_testing
