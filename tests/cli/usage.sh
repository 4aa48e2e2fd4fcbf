# Exit statuses and words of wrong usage.
. "$(dirname "$0")/lib.sh"
model=$TREE/models/two_layer.mtf

expect 0
says out "mtfc check MODEL"
expect 0 --help
expect 0 train --help
says out "--layout"
expect 0 --version
says out "mtfc "
expect 0 --version --json
json out "o['version'] and o['ok']"

expect 2 chek "$model"
says err "did you mean \`mtfc check\`?"
says err "there is no command \`chek\`"
expect 2 frobnicate
says err "the commands are check, "
expect 2 check
expect 2 check --frobnicate "$model"
expect 2 check "$model" --layuot a.layout
says err "\`check\` has no option \`--layuot\`"
says err "did you mean \`--layout\`?"
expect 2 train "$model" --output runs
says err "it is \`-o DIR\`"
expect 1 train "$model" -D lr=0.5
says err "\`--set train.optimizer.lr=0.5\`"
expect 2 check "$model" --temperature 1
says err "\`mtfc generate\` has it"
expect 2 verify "$model" other.mtf
says err "one too many"
expect 2 check "$model" --layout
says err "\`--layout\` needs its argument, FILE"
expect 2 train "$model" --layout a.layout --layout b.layout
says err "\`--layout\` is given twice"
expect 2 eval "$model"
says err "needs \`--checkpoint DIR|FILE\`"
expect 2 --layout a.layout check "$model"
says err "a command comes first"
says err "options come after the command: \`mtfc check --layout ...\`"
expect 2 emit "$TREE/models/two_layer.mtf" --backend json --json
says out "without \`--json\` it is printed"
expect 2 train "$TREE/models/two_layer.mtf" x.layout
says err "a layout is given as \`--layout FILE\`"
expect 2 why "$TREE/models/two_layer.mtf" x.layout
says err "a layout is given as \`--layout FILE\`"
expect 2 --json
json out "o['diagnostics'][0]['message'] == 'a command comes first, not \`--json\`'"
expect 2 m.mtf
says err "\`mtfc check m.mtf\` checks it"
expect 2 l.layout
says err "\`mtfc check MODEL --layout l.layout\`"
for argument in yes 1 true; do
  expect 2 check "$model" --strict=$argument
  says err "takes no argument"
done
# Empty names, and standard input for two files.
for words in "cost $model" "check $model $model" "diff $model $model" "run $model" "fmt"; do
  # shellcheck disable=SC2086
  expect 2 $words ""
  says err "is given an empty name"
done
for words in "check - -" "generate - --prompts -" "fmt - -" "cost - --layout -"; do
  # shellcheck disable=SC2086
  expect 2 $words
  says err "standard input can be read once"
done

# Options take exactly their argument, wherever they stand; each -D, --set and --prompt counts.
expect 0 check -D batch=32 "$model"
expect 0 check -Dbatch=32 --set train.steps=3 "$model" --set=train.seed=-1
expect 0 check --mesh rows:2 --rules batch:rows -- "$model"
expect 2 generate --prompt A B C
says err "one too many"
expect 2 check "$model" --layout --strict
says err "\`--layout\` needs its argument, FILE"
expect 2 check "$model" --color= auto
says err "\`--color\` is one of \`auto\`, \`always\`, \`never\`, not \`\`"
expect 2 verify "$model" -- --strict
says err "\`--strict\` is one too many"
expect 2 run "$model" "[w,x]"
says err "no tensor \`[w,x]\`"
expect 2 eval "$model" --chekpoint run
says err "did you mean \`--checkpoint\`?"
expect 2 verify check train
says err "\`train\` is one too many"
expect 2 train "$model" --epochs 3
says err "it is a setting: \`--set train.epochs=...\`"
expect 2 train "$model" --lr 0.1
says err "it is a setting: \`--set train.optimizer.lr=...\`"
expect 2 generate "$model" -o x
says err "\`mtfc train\` has it"
# The last of --set, --steps and --seed for one setting holds.
expect 1 train "$model" --steps 5 --set train.steps=0.5
says err "0.5"
expect 2 train "$model" --set train.seed=5 --seed 0.5
says err "0.5"
expect 0 train "$model" --set train.steps=0.5 --steps 1
says out "1 step:"
expect 0 train "$model" --set train.steps=5 --steps 2
says out "2 steps:"
for seed in x nothing; do
  expect 2 train "$model" --seed $seed
  [ "$(grep -c '^error' err)" = 1 ] || fail "--seed $seed is not one error"
done
# A letter takes its argument with a blank or without one, and no `=`.
for word in -j4 "-j 4"; do expect 0 train "$model" --steps 1 $word; done
expect 2 train "$model" -j=4
says err "no \`=\` stands between \`-j\` and its argument: \`-j=4\`"
says err "write \`-j 4\`"
expect 2 check "$model" -D=batch=32
says err "write \`-D batch=32\`"
expect 2 train "$model" -o=run
says err "write \`-o run\`"
[ ! -e =run ] || fail "-o=run writes into =run"
expect 0 train "$model" --steps 1 -o "=run"
[ -d =run ] || fail "-o cannot write into =run"
expect 0 check "$model" -D "batch = 32" --set " train.steps = 4"
for none in batch= "batch= "; do
  expect 2 check "$model" -D "$none"
  says err "has no value"
done
for none in = =3 " =3" ""; do
  expect 2 check "$model" -D "$none"
  says err "not of the form name=value"
done
# A variable of a shell that is not set leaves an empty name: nothing is left out in silence.
for option in --layout -o --log --resume --dump-after --start-from --dump-tensors; do
  expect 2 train "$model" $option ""
  says err "is given an empty name"
done
for option in -o --log --dump-tensors; do
  expect 2 train "$model" $option -
  says err "takes a name, not \`-\`"
done
[ ! -e ./- ] || fail "a file named - is written"
# Of several mistakes the first is reported.
expect 2 check "$model" --layuot a.layout --color purple
says err "did you mean \`--layout\`?"

# Numbers: what they may be, in words of ours.
for bad in -1 0 0.5 2147483648 1e3 99999999999999999999 "" many; do
  expect 2 generate "$model" --top-k "$bad"
  says err "\`--top-k\` takes a whole number from 1 to 2147483647"
done
for bad in -1 nan inf 1e400 many ""; do
  expect 2 verify "$model" --tolerance "$bad"
  says err "\`--tolerance\` takes a number from 0 to"
done
for bad in 0 -1 0.5 three ""; do
  expect 2 train "$model" --steps "$bad"
  says err "\`--steps\` takes a whole number from 1"
done
expect 2 train "$model" -j -1
says err "\`-j\` takes a whole number from 0 to 65536"
expect 2 check "$model" --color purple
says err "\`--color\` is one of \`auto\`, \`always\`, \`never\`"

# help, version.
expect 0 help train
cp out help_train
expect 0 train --help
cmp -s out help_train || fail "mtfc help train is not mtfc train --help"
for command in check train eval verify run generate emit cost plot fmt explain lib ops help version; do
  expect 0 help "$command"
  says out "usage: mtfc $command"
  [ "$(wc -L <out)" -le 80 ] || fail "mtfc help $command has lines of $(wc -L <out) columns"
done
expect 0
[ "$(wc -L <out)" -le 80 ] || fail "the first screen has lines of $(wc -L <out) columns"
expect 0 -V
says out "mtfc "
expect 0 version
says out "mtfc "
expect 2 help nothing
says err "there is no command"
expect 2 help check train
says err "\`help\` takes one COMMAND"

# A model in place of a layout, and the reverse, whatever the ending.
echo 'batch:rows' >l.layout
cp "$model" m.mtf
expect 2 check m.mtf --layout m.mtf
says err "\`m.mtf\` is a model, not a layout"
[ "$(grep -c '^error' err)" = 1 ] || fail "more than one error for a model given as a layout"
expect 2 check l.layout
says err "\`l.layout\` is a layout, not a model"
[ "$(grep -c '^error' err)" = 1 ] || fail "more than one error for a layout given as a model"
cp m.mtf other.layout
expect 2 check m.mtf --layout other.layout
says err "\`other.layout\` is a model, not a layout"

# A pattern after --layout is several words.
printf 'mesh rows=2\nbatch:rows\n' >a.layout
cp a.layout b.layout
cp a.layout c.layout
expect 0 check m.mtf --layout [abc].layout
for name in a b c; do says out "$name.layout  rows=2"; done
expect 0 check m.mtf a.layout b.layout
says out "b.layout  rows=2"
expect 2 check m.mtf --layout a.layout m.mtf
says err "\`m.mtf\` is a model, not a layout"
expect 2 check m.mtf a.layout --rules batch:rows
says err "\`--rules\` cannot be combined with a layout file"
# Names that are nearly those of files.
expect 2 check n.mtf
says err "did you mean \`m.mtf\`?"
expect 2 check ./n.mtf --layout d.layout
says err "did you mean \`./m.mtf\`?"
expect 2 check m.mtf --layout sub/d.layout
! grep -q "did you mean" err || fail "a file is proposed that is not there"

# Nothing of the library that reads the command line shows.
for line in "check" "cost a b" "check --layout" "eval m" "check --nothing" "train m -j x" "--nothing" \
  "check m --rules a:b --layout c" "check m --strict=no" "check m --layout a --mesh b --mesh c"; do
  expect 2 $line
  ! grep -qE "(were|was) not expected|is required|[0-9] required|[Ee]xcludes|not convert" err || \
    fail "words of a library: mtfc $line"
done

# Diagnostics for services.
printf 'mesh rows=3\nbatch!:rows\n' >bad.layout
expect 1 check m.mtf --layout bad.layout --error-format github
says err "::error file=bad.layout,line=2,endLine=2,col=1,endColumn=12,title=E401::"
expect 1 check m.mtf --layout bad.layout --error-format sarif
json err "o['version'] == '2.1.0' and o['runs'][0]['results'][0]['ruleId'] == 'E401'"
json err "o['runs'][0]['results'][0]['locations'][0]['physicalLocation']['region']['startLine'] == 2"
expect 0 check m.mtf --error-format sarif
json err "o['runs'][0]['results'] == []"
printf 'dim io = 2\ninput x[io] from gaussian(seed=1)\nparam p[io] ~ normal(1)\ny = reluu(x * p)\n' >typo.mtf
expect 1 check typo.mtf --error-format sarif
json err "o['runs'][0]['results'][0]['fixes'][0]['artifactChanges'][0]['replacements'][0]['insertedContent']['text'] == 'relu'"
expect 2 chek m.mtf --error-format=github
says err "::error title=E600::there is no command"

# A size that a replacement makes depend on itself.
printf 'dim half = d / 2, d = 8\ninput x[d, half] from gaussian(seed=1)\n' >halves.mtf
expect 1 check halves.mtf -D d=half
says err "\`half\` depends on itself"
says err "::: -D d:1:1"
says err "\`d\` is replaced here"

expect 2 check "$model" -D batch
says err "not of the form name=value"
# A size in the words of other programs.
for words in "-D batch 32" "-D batch = 32" "-D batch =32" "-D batch= 32"; do
  expect 2 train "$model" $words
  says err "one word, without blanks: \`-D batch=32\`"
done
expect 2 train "$model" --set train.steps 4
says err "one word, without blanks: \`--set train.steps=4\`"
expect 2 check -D batch "$model"
grep -q "one word" err && fail "a file is no size"
for words in "--batch 32" "--batch=32"; do
  expect 2 train "$model" $words
  says err "\`train\` has no option \`--batch\`"
  says err "a dimension or a \`const\` of the model is set by \`-D batch=32\`"
done
expect 2 train "$model" --quick
says err "\`mtfc help train\` lists what there is"
expect 2 check "$model" --color purple
expect 2 train "$model" --layout a.layout --rules "batch:rows"
says err "exclude each other"
expect 2 train "$model" -j many
expect 2 check --json
json out "not o['ok'] and o['diagnostics'][0]['code'] == 'E600'"
silent err

expect 2 check none.mtf
says err "no such file or directory"
expect 2 check .
says err "is a directory"
expect 2 check "$model" --layout none.layout
expect 2 train "$model" --layout .
expect 2 check none.mtf --json
json out "o['diagnostics'][0]['code'] == 'E502' and o['command'] == 'check'"
expect 2 check none.mtf --error-format json
json err "o['code'] == 'E502'"

expect 2 emit "$model"
expect 2 emit "$model" --backend jsn
says err "did you mean \`json\`?"
says err "\`json\`, \`mpi\`, \`placement\`"
expect 0 emit --list
says out "json"
expect 2 explain E999
expect 0 explain e402
says out "E402"
expect 0 explain
expect 0 lib
says out "nn.mtf"
expect 0 lib nn.mtf
says out "block dense"
expect 2 lib nn.mtf nn.mtf
says err "\`lib\` takes one FILE"
expect 0 help completion
says out "usage: mtfc completion SHELL [options]"
expect 2 lib nm.mtf
says err "did you mean \`nn.mtf\`?"
expect 0 ops --json
json out "any(op['name'] == 'einsum' for op in o['operations'])"

expect 2 train "$model" --dump-after nothing
says err "no pass is called"
says err "there are: all, split-batch"
expect 2 train "$model" --dump-after lowr
says err "did you mean \`lower\`?"
expect 2 run "$model" ww
says err "did you mean \`w\`?"
expect 2 run "$model"
expect 1 check "$model" -D hidden=0.5
expect 1 check "$model" -D hiden=32
expect 1 train "$model" --set train.stepz=3
says err "did you mean \`train.steps\`?"
# A setting, a dimension or an argument of the optimizer where another of them is expected.
expect 1 check "$model" -D train.steps=3
says err "\`train.steps\` is a setting: \`--set train.steps=3\`"
expect 1 check "$model" --set hidden=32
says err "\`hidden\` is a dimension: \`-D hidden=32\`"
for key in lr train.lr; do
  expect 1 check "$model" --set $key=0.1
  says err "did you mean \`train.optimizer.lr\`?"
done

# Of the environment.
MTFC_DATA=part MTFC_ISA=avx expect 0 run "$model" z
says err "\`MTFC_DATA=part\` has no effect: mtfc knows \`parts\`"
says err "\`MTFC_ISA=avx\` has no effect"
expect 2 plan m.mtf --layout a.layout
says err "\`--keep LAYOUT\` keeps what a layout says"

# Settings in the words of other programs.
expect 2 train "$TREE/models/mnist.mtf" --eval-every 3
says err '--set train.eval_every=...'
expect 2 train "$TREE/models/mnist.mtf" --batch-size 2
says err 'a dimension or a `const` of the model is set by `-D NAME=2`'
done_testing
