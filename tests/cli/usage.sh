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
expect 2 check "$model" -D batch
says err "not of the form name=value"
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
expect 2 lib nm.mtf
says err "did you mean \`nn.mtf\`?"
expect 0 ops --json
json out "any(op['name'] == 'einsum' for op in o['operations'])"

expect 2 train "$model" --dump-after nothing
says err "no pass is called"
expect 2 run "$model" ww
says err "did you mean \`w\`?"
expect 2 run "$model"
expect 1 check "$model" -D hidden=0.5
expect 1 check "$model" -D hiden=32
expect 1 train "$model" --set train.stepz=3
done_testing
