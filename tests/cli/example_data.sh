# The data that ships with the models is what its script writes.
. "$(dirname "$0")/lib.sh"
cp "$TREE/models/data/make" . && sh ./make "$scratch" || fail "the script does not run"
for file in number_words.tsv number_words.eval.tsv stories.txt stories.vocab; do
  cmp -s "$file" "$TREE/models/data/$file" || fail "$file is not what the script writes"
done
done_testing
