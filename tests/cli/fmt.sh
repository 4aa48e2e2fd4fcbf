# mtfc fmt: in place, idempotent, honest about what it changes.
. "$(dirname "$0")/lib.sh"
printf 'dim  a=4 # four\ninput x[a] from gaussian(seed=1)\ny=x+1\n' >m.mtf
expect 1 fmt --check m.mtf
says err "would change m.mtf"
expect 0 fmt m.mtf
says m.mtf "# four"
expect 0 fmt --check m.mtf
silent err
cp m.mtf before && expect 0 fmt m.mtf && cmp -s before m.mtf || fail "formatting twice changes something"
printf 'dim = \n' >broken.mtf
cp broken.mtf before
expect 1 fmt broken.mtf
cmp -s before broken.mtf || fail "a file that does not parse was changed"
expect 0 check m.mtf
for shipped in "$TREE"/models/*.mtf; do expect 0 fmt --check "$shipped"; done
printf 'dim a=4\n' | "$MTFC" fmt - >out 2>err || fail "fmt -"
[ "$(cat out)" = "dim a = 4" ] || fail "fmt - prints: $(cat out)"
# What could not be written was not formatted.
printf 'dim a=4\n' >full.mtf
(ulimit -f 0; "$MTFC" fmt full.mtf 2>&1; echo "status $?") | cat >out
says out "status 3"
! grep -q "^formatted" out || fail "fmt says that it formatted what it could not write"
done_testing
