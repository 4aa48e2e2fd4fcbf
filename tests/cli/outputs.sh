# What is written replaces only what may be replaced: files through a temporary beside them, folders that
# mtfc made.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 4, d = 6
input x[batch, d] from gaussian(seed=7)
param w[d] ~ normal(0.1)
y = einsum(x, w over d)
loss mean(y^2)
train { optimizer = sgd(lr=0.1)  steps = 2 }
M

# A link stays, what it leads to is replaced; one that leads to nothing yet makes its file.
mkdir far
printf PKold >far/target
ln -s far/target link
ln -s link link2
chmod 640 far/target
expect 0 run m.mtf y -o link2
[ -L link ] && [ -L link2 ] || fail "a link was replaced"
[ "$(head -c 2 far/target)" = PK ] || fail "what the link leads to was not written"
[ "$(stat -c %a far/target)" = 640 ] || fail "the mode changed to $(stat -c %a far/target)"

# Nothing is replaced by what is of another kind.
refuses() { # refuses FILE KIND COMMAND...: the file stays as it is
  cp "$1" before
  expect 2 "${@:3}" "$1"
  says err "\`$1\` exists, is not $2, and would be replaced"
  cmp -s "$1" before || fail "$1 was replaced"
}
printf '{"step":1,"loss":2}\n' >old.jsonl
cp m.mtf other.mtf
echo 'batch:all' >old.layout
"$MTFC" draw m.mtf flow -o old.svg >/dev/null 2>&1
for file in other.mtf old.layout old.svg; do refuses $file "a log" train m.mtf --steps 1 --log; done
for file in other.mtf old.jsonl; do
  refuses $file "an archive (.npz)" run m.mtf y -o
  refuses $file "a trace" trace m.mtf --hardware h100 -o
  refuses $file "a layout" plan m.mtf --hardware h100 --processors 2 -o
done
printf '# notes\nThese are a text of the user, and no rules.\n' >notes.md
cp notes.md notes
for file in notes.md notes; do refuses $file "a layout" plan m.mtf --hardware h100 --processors 2 -o; done
refuses old.jsonl "an SVG picture" draw m.mtf flow -o
cp old.jsonl old.txt && refuses old.txt "a text picture" draw m.mtf flow -o
echo "what I found" >notes.txt
refuses notes.txt "a text picture" draw m.mtf flow -o
for what in flow memory x; do
  expect 0 draw m.mtf $what -o picture.txt
  expect 0 draw m.mtf $what -o picture.txt
done
expect 0 draw m.mtf memory -o old.svg
expect 0 plan m.mtf --hardware h100 --processors 2 -o old.layout
echo 'batch:all' >rules
for _ in 1 2; do expect 0 plan m.mtf --hardware h100 --processors 2 -o rules; done
expect 0 train m.mtf --steps 1 --log old.jsonl
for _ in 1 2; do
  expect 0 trace m.mtf --hardware h100 -o own.json
  expect 0 train m.mtf --steps 2 --profile own.json
  expect 0 run m.mtf y -o own.npz
done

ln -s far/fresh dangling
expect 0 run m.mtf y -o dangling
[ -L dangling ] && [ -f far/fresh ] || fail "a link that leads to nothing"
ln -s loop loop
expect 3 run m.mtf y -o loop
sed 's/ = /=/' m.mtf >private.mtf
chmod 600 private.mtf
ln -s private.mtf public.mtf
expect 0 fmt public.mtf
[ -L public.mtf ] && [ "$(stat -c %a private.mtf)" = 600 ] || fail "fmt changes links or modes"
cmp -s m.mtf private.mtf || fail "fmt of a link"
ls -a . far | grep writing && fail "halves are left"

# Devices and pipes are written to, and stay; folders, sockets and pipes that nobody reads are refused.
expect 0 run m.mtf y -o /dev/null
[ -c /dev/null ] || fail "/dev/null is gone"
if mknod null c 1 3 2>/dev/null && (: >null) 2>/dev/null; then
  expect 0 run m.mtf y -o null
  expect 0 train m.mtf --log null --dump-tensors null
  [ -c null ] || fail "a device was replaced"
fi
if mknod disk b 7 250 2>/dev/null; then
  expect 3 run m.mtf y -o disk
  says err "it is a disk"
  [ -b disk ] || fail "a disk was replaced"
fi
mkfifo pipe
expect 3 run m.mtf y -o pipe
says err "nobody reads from this pipe"
expect 3 train m.mtf --log pipe
cat pipe >piped &
for _ in $(seq 50); do
  "$MTFC" run m.mtf y -o pipe >out 2>err && break
  sleep 0.1
done
wait
[ "$(head -c 2 piped)" = PK ] || fail "a pipe that is read"
[ -p pipe ] || fail "a pipe was replaced"
expect 3 run m.mtf y -o far
says err "is a directory"
[ -d far ] || fail "a folder was replaced"
if /usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind("sock")' 2>/dev/null; then
  expect 3 run m.mtf y -o sock
  says err "it is a socket"
  [ -S sock ] || fail "a socket was replaced"
fi
"$MTFC" train m.mtf --log /dev/stdout >both 2>err </dev/null || fail "a log on standard output"
[ "$(grep -c '"step"' both)" -eq 3 ] && grep -q "^2 steps" both || fail "a log and a summary in one file: $(cat both)"

# The same file read and written.
cp m.mtf own.mtf
expect 2 train own.mtf --log own.mtf
expect 2 train own.mtf --dump-tensors ./own.mtf
expect 2 run own.mtf y -o own.mtf
says err "is read by this command"
cmp -s m.mtf own.mtf || fail "a model was replaced"

# Folders: new ones, empty ones, our own.
mkdir mine
echo '# my model' >mine/model.mtf
echo '# my layout' >mine/layout.layout
expect 3 train m.mtf -o mine
says err "is not empty, and mtfc did not make it"
says err "--force"
expect 3 emit m.mtf --backend json -o mine
[ "$(ls -A mine)" = "$(printf 'layout.layout\nmodel.mtf')" ] || fail "left in a folder of somebody else's: $(ls -A mine)"
mkdir empty
expect 0 train m.mtf -o empty
rm -r empty/checkpoints
expect 0 train m.mtf -o empty
expect 0 emit m.mtf --backend json -o made
expect 0 emit m.mtf --backend json -o made
echo '# notes' >made/notes
expect 0 emit m.mtf --backend json -o made

# A command that was killed while it marked its folder leaves one that the next command takes.
mkdir killed
touch killed/.mtfc.lock killed/.mtfc.writing-1-2
expect 0 train m.mtf -o killed
[ -z "$(ls -A killed | grep writing)" ] || fail "half a mark was left"

# A file in it that no run wrote is not replaced, nor removed; a file that was written there is.
rm -r empty/checkpoints
sed -i /model.mtf/d empty/.mtfc
echo '# not the model' >empty/model.mtf
expect 3 train m.mtf -o empty
says err "empty/model.mtf\` would be replaced, but mtfc did not write it"
[ ! -d empty/checkpoints ] || fail "half a run was prepared"
expect 0 train m.mtf -o empty --force
cmp -s m.mtf empty/model.mtf || fail "model.mtf is not the model's"
expect 0 train m.mtf -o mine --force
cmp -s m.mtf mine/model.mtf || fail "--force does not replace"
expect 0 train --resume mine --steps 3 --rules ""
says err "on one processor"
rm -r mine/checkpoints
expect 0 train m.mtf -o mine
expect 0 train --resume mine --steps 3
[ "$(cat mine/layout.layout)" = '# my layout' ] || fail "a layout that no run wrote is gone"
! grep layout mine/.mtfc || fail "a layout that no run wrote is listed"
rm -r mine/checkpoints mine/layout.layout
expect 0 train m.mtf -o mine --rules "[]" --mesh a:1
grep -q layout mine/.mtfc || fail "the layout of the run is not listed"
expect 0 train --resume mine --steps 3 --rules ""
[ ! -e mine/layout.layout ] || fail "the layout that the run had is left"

# Nothing is written out of the folder through a link, --force or not.
mkdir elsewhere
for name in checkpoints log.jsonl model.mtf run.json .mtfc; do
  rm -rf linked
  mkdir linked
  ln -s ../elsewhere/"$name" linked/"$name"
  expect 3 train m.mtf -o linked --force
  [ -L linked/"$name" ] || fail "the link $name was replaced"
done
rm -rf linked
mkdir linked
ln -s ../elsewhere linked/runtime
expect 3 emit m.mtf --backend mpi -o linked --force
says err "linked/runtime\` is a link"
[ -z "$(ls -A elsewhere)" ] || fail "written through a link: $(ls -A elsewhere)"
ln -s elsewhere to_folder
expect 0 train m.mtf -o to_folder
[ -L to_folder ] && [ -f elsewhere/run.json ] || fail "a folder may be named by a link"

# Neither is what the command reads replaced, nor what a run keeps, nor one output by another.
unchanged() { # what the command line names last
  local target=${@: -1}
  cp -r "$target" before.kept
  expect 2 "$@"
  says err "$target"
  cmp -s "$target" before.kept || fail "$* changed $target"
  rm -rf before.kept
}
cat >words.mtf <<'M'
dim batch = 4, length = 8, vocab = 128, d = 4
data text = chars("words.txt")
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param w[vocab, d] ~ normal(0.1)
h = w[vocab = tok]
loss mean(cross_entropy(einsum(h, w over d), nxt over vocab))
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
for _ in $(seq 40); do echo "the quick brown fox jumps over the lazy dog"; done >words.txt
printf 'mesh a=2\nbatch:a\n' >kept.layout
for option in --log --dump-tensors --profile; do unchanged train words.mtf "$option" words.txt; done
unchanged run words.mtf h -o words.txt
unchanged draw words.mtf -o words.txt
unchanged plan words.mtf --hardware h100 --mesh a:2 --time 1 --keep kept.layout -o kept.layout
unchanged plan words.mtf --hardware h100 --mesh a:2 --time 1 -o words.mtf
expect 0 train words.mtf -o kept
checkpoint=kept/checkpoints/step-00000003.safetensors
unchanged run words.mtf h --checkpoint kept -o "$checkpoint"
unchanged run words.mtf h --checkpoint "$checkpoint" -o "$checkpoint"
cp "$checkpoint" alone.safetensors
unchanged run words.mtf h --checkpoint alone.safetensors -o alone.safetensors
for file in run.json log.jsonl model.mtf checkpoints/step-00000003.safetensors; do
  unchanged plot kept -o "kept/$file"
  unchanged train words.mtf --dump-tensors "kept/$file"
done
unchanged plot kept/log.jsonl -o kept/log.jsonl
cp kept/log.jsonl log.copy
unchanged plot log.copy -o log.copy
for file in run.json log.jsonl checkpoints/step-00000003.safetensors; do
  expect 2 train words.mtf -o fresh --dump-tensors "fresh/$file"
  says err "is where a run keeps its own files"
  [ ! -e fresh ] || fail "a run began"
done
expect 2 train words.mtf --dump-tensors new.txt
says err 'name a file that ends with `.npz`'
[ ! -e new.txt ] || fail "an archive called new.txt"
expect 2 train words.mtf --log l.x --dump-tensors ./l.x
says err "is named for two outputs"
expect 2 train words.mtf -o fresh/ --dump-tensors fresh/run.json
ln -s nowhere dangling.link
expect 2 train words.mtf --log dangling.link --dump-tensors nowhere
says err "is named for two outputs"
rm -f dangling.link
expect 2 train words.mtf -o fresh --log fresh/log.jsonl
says err "leave \`--log\` out"
unchanged bench-hardware -o kept/log.jsonl
unchanged plot kept -o kept/.mtfc
# Beside data that is a folder, again and again.
mkdir images
cat >images.mtf <<'M'
dim batch = 4, row = 28, col = 28, d = 4
data mnist = idx("images")
input x[batch, row, col] from mnist.image
param w[row, col, d] ~ normal(0.1)
h = einsum(x, w over row, col)
M
for _ in 1 2; do expect 0 draw images.mtf -o images/step.svg; done
# Nor by the files of the run, whether they could be replaced or not.
mkdir project
cp words.txt project/log.jsonl
unchanged train words.mtf --set 'data.text=project/log.jsonl' -o fresh --log project/log.jsonl
sed 's/words.txt/log.jsonl/' words.mtf >project/m.mtf
expect 2 train project/m.mtf -o project --force
says err "project/log.jsonl\` is read by this command"
cp words.mtf project/layout.layout
cp words.txt project/
expect 2 train project/layout.layout -o project --force --rules "batch:a" --mesh a:2
cmp -s words.txt project/log.jsonl && cmp -s words.mtf project/layout.layout || fail "--force replaces what is read"
# What is ours to replace, or lies beside, is written.
expect 0 train words.mtf -o kept2 --dump-tensors kept2/t.npz --log kept2/more.jsonl
expect 0 plot kept2 -o kept2/curve.svg
expect 0 train words.mtf --log /dev/null --dump-tensors /dev/null --profile /dev/null
# Initial values and layouts are read too.
cat >begun.mtf <<'M'
dim batch = 4, d = 3
input x[batch, d] from gaussian(seed=1)
param w[d] = 1
y = x * w
loss mean(y * y)
train { optimizer = sgd(lr=0.1)  steps = 2  params "w" { init = "w.npz" } }
M
/usr/bin/python3 -c 'import numpy; numpy.savez("w.npz", w=numpy.ones(3, "float32"))' 2>/dev/null && {
  unchanged run begun.mtf y -o w.npz
  unchanged train begun.mtf --dump-tensors w.npz
  unchanged train begun.mtf --profile w.npz
  unchanged train begun.mtf --log w.npz
}
printf 'mesh rows=2\nbatch:rows\n' >read.layout
unchanged scale words.mtf --layout read.layout --hardware h100 --axis rows=1..2 -o read.layout

# What cannot be written is found out before the work.
for option in --dump-tensors --profile --log; do
  expect 3 train words.mtf $option nowhere/file
  says err "cannot write \`nowhere/file\`"
  expect 3 train words.mtf $option images
  ! grep -q '^step' err || fail "trained first"
done
for option in --dump-tensors --profile; do
  expect 3 train words.mtf $option pipe
  says err "nobody reads from this pipe"
  ! grep -q '^step' err || fail "trained first"
done
expect 3 plan words.mtf --processors 2 --hardware h100 -o nowhere/best.layout
silent out
expect 2 fmt read.layout
says err "is a layout; \`fmt\` formats models"
# A log that cannot be begun leaves the folder of the run alone.
mkdir -p quiet && echo old >quiet/log.jsonl
expect 3 train words.mtf -o quiet --force --log nowhere/l
[ "$(cat quiet/log.jsonl)" = old ] || fail "the log of the folder was replaced"

done_testing
