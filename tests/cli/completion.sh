# What shells complete, and the manual page.
. "$(dirname "$0")/lib.sh"
cp "$TREE/models/mnist.mtf" m.mtf

# words WANTED... -- LINE...: the completions of the last word of the line are exactly these.
words() {
  local wanted=()
  while [ "$1" != -- ]; do wanted+=("$1"); shift; done
  shift
  expect 0 completion words -- mtfc "$@"
  [ "$(cat out)" = "$(printf '%s\n' "${wanted[@]}")" ] || fail "completions of: $*"
}
words cost completion -- co
words check -- help ch
words --layout -- check m.mtf --lay
words auto always -- check --color a
words auto always -- check --color = a
words github -- check m.mtf --error-format gi
words --error-format=github -- check m.mtf --error-format=gi
words --set=train.steps= --set=train.seed= -- check m.mtf --set=train.s
words E401 E402 E403 E404 E405 E406 E407 E408 -- explain E40
words batch= -- check m.mtf -D bat
words json mpi placement -- emit m.mtf --backend ""
words lower library-reductions -- train m.mtf --dump-after l
words logits -- run m.mtf log
words train.optimizer.lr= -- train m.mtf --set train.optimizer.l
words --help --version -- -
words nn.mtf -- lib nn.
words dense -- lib den
words train.steps= train.seed= -- train m.mtf --set train.s
words hidden1: hidden2: -- check m.mtf --rules hid
expect 0 completion words -- mtfc train m.mtf --set data.
says out "data."
expect 0 completion words -- mtfc check m.m
silent out
expect 0 completion words -- mtfc check broken.mtf -D ""
silent out
expect 0 completion words -- mtfc nothing ""
silent out

expect 0 completion bash
bash -n out || fail "the completion for bash does not parse"
cp out completion.bash
mkdir -p bin
ln -sf "$MTFC" bin/mtfc
PATH=$PWD/bin:$PATH bash -c '. ./completion.bash
  COMP_WORDS=(mtfc check m.mtf --lay) COMP_CWORD=3
  _mtfc
  [ "${COMPREPLY[*]}" = --layout ]' || fail "bash does not complete --lay"
if command -v fish >/dev/null; then
  "$MTFC" completion fish >completion.fish
  for line in "mtfc check m.mtf --lay:--layout" "mtfc check m.mtf -D bat:batch="; do
    PATH=$PWD/bin:$PATH fish -c ". ./completion.fish; complete -C \"${line%:*}\"" >completed
    [ "$(cut -f1 completed)" = "${line##*:}" ] || fail "fish does not complete $line"
  done
fi
for shell in zsh fish; do
  expect 0 completion $shell
  says out "completion words --"
  if command -v $shell >/dev/null; then $shell -n out || fail "the completion for $shell does not parse"; fi
done
expect 2 completion powershell
says err "bash, zsh and fish"

expect 0 completion bash --json
json out "'_mtfc()' in o['text']"
expect 0 man --json
json out "o['text'].startswith('.TH MTFC 1')"
expect 0 man
says out ".TH MTFC 1"
says out '\fB\-\-layout\fR \fIFILE\fR'
# Of the exit statuses the same as docs/cli.md lists.
grep -E '^\| [0-9, ]+ \| ' "$TREE/docs/cli.md" | sed -E 's/^\| ([0-9, ]+) \| (.*) \|$/\1: \2/' >documented
sed -n '/^.SH EXIT STATUS/,/^.SH ENV/p' out | grep -A2 '^.TP' | grep -v '^[.]' | sed 's/\\-/-/g' |
  sed -E '/^[0-9, ]+$/{N;s/\n/: /}' >listed
diff documented listed || fail "statuses of the manual page are not those of docs/cli.md"
if command -v man >/dev/null; then
  man --warnings -l out >page 2>warnings || fail "man cannot show the page"
  [ ! -s warnings ] || fail "the manual page has mistakes: $(head -3 warnings)"
fi
done_testing
