# Nothing that a file may hold makes mtfc crash, hang or call itself broken.
. "$(dirname "$0")/lib.sh"
model=$TREE/models/two_layer.mtf

refused() { # as a model and as a layout
  expect 1 check "$1"
  expect 1 check "$model" --layout "$1"
  expect 1 fmt --check "$1"
}
head -c 4096 /dev/urandom >junk && refused junk
head -c 4096 /dev/zero >zeros && refused zeros
head -c 10000000 /dev/zero | tr '\0' x >line && refused line
head -c 2000000 /dev/zero | tr '\0' '(' >deep && refused deep
head -c 17000000 /dev/zero | tr '\0' '\n' >large && expect 1 check large
says err "16 MB"
printf 'dim a = 1\x00' >nul && refused nul
printf '\xff\xfe' >utf16 && refused utf16
head -c 2000 "$MTFC" >elf && refused elf
: >empty && expect 0 check empty && expect 0 check "$model" --layout empty
printf '\xef\xbb\xbfdim a = 4\r\ninput x[a] from gaussian(seed=1)\r\ny = x\r\n' >dos
expect 0 check dos
printf 'x = %s1\n' "$(head -c 100000 /dev/zero | tr '\0' -)" >minus && expect 1 check minus
yes 'x = 1' 2>/dev/null | head -n 20000 >many && expect 0 check many
expect 1 check "$model" --mesh "$(head -c 100000 /dev/urandom | tr -dc 'a-z:;=')"
expect 1 check "$model" --rules "$(printf 'batch:%099999d' 0)"
expect 1 check "$model" --mesh "rows:99999999999999999999"
expect 1 check "$model" -D "batch=$(head -c 1000 /dev/zero | tr '\0' 9)"
expect 2 train "$model" --start-from junk
expect 2 train "$model" --start-from empty
timeout 20 "$MTFC" check - <"$TREE/models/two_layer.mtf" >out 2>err || fail "standard input"
done_testing
