# `bench-hardware`, and the machine `here` that it describes.
. "$(dirname "$0")/lib.sh"
write_two_layers
export XDG_CONFIG_HOME=$PWD/config
expect 2 cost two.mtf --hardware here
says err "this machine has not been measured"
says err "mtfc bench-hardware"
printf 'hardware here\n' >here.layout
expect 1 check two.mtf here.layout

expect 0 bench-hardware -j 1
says out "hardware here {"
says out "each of 1 rank has 1 thread"
cmp -s out config/mtfc/here.layout || fail "the file has another text"
expect 0 cost two.mtf --hardware here
says out "predicted on here"
expect 0 cost two.mtf --layout here.layout --json
json out 'o["hardware"] == "here" and o["step_seconds"] > 0 and o["fits"]'
expect 0 trace two.mtf --hardware here -o t.json
# A mesh of more processors than were measured.
expect 1 cost two.mtf --hardware here --mesh r:2 --rules batch:r
says err "no link of \`hardware here\` is for mesh axis \`r\`"
# Another file, and no folder for the usual one.
if nightly; then  # it measures for seconds
  expect 0 bench-hardware -j 1 -o mine.layout --json
  json out 'o["out"] == "mine.layout" and "chip flops=" in o["description"]'
  expect 0 cost two.mtf --layout mine.layout
fi
printf 'hardware there { chip flops=1GF mem=1GB hbm=1GB/s }\n' >config/mtfc/here.layout
expect 1 cost two.mtf --hardware here
says err "does not have one description, \`hardware here { }\`"
printf 'hardware here { chip flops=1GF }\n' >config/mtfc/here.layout
expect 1 cost two.mtf --hardware here
unset XDG_CONFIG_HOME HOME
expect 2 bench-hardware
expect 2 cost two.mtf --hardware here
says err "is set"
done_testing
