# Two machines on this one: network namespaces, each with a host name, an address and a /dev/shm of its
# own, and a cable between them. Sourced after lib.sh; ends with 77 where they cannot be made (it takes
# root and Linux).
hosts=(10.77.0.1 10.77.0.2)
export test_number=$$
space() { echo "mtfc-$test_number-$1"; }
export -f space

# Called by the launchers as they would call ssh: on_host [-x] ADDRESS COMMAND...
cat >on_host <<'R'
#!/bin/bash
[ "$1" = -x ] && shift
address=$1
shift
exec ip netns exec "$(space "${address##*.}")" unshare --mount --uts bash -c \
  'hostname "$0"; mount -t tmpfs tmpfs /dev/shm; exec bash -c "$1"' "machine-${address##*.}" "$*"
R
chmod +x on_host

connect() {
  ip -n "$(space "$1")" link set lo up && ip -n "$(space "$1")" address add "10.77.0.$1/24" dev cable &&
    ip -n "$(space "$1")" link set cable up
}
is_connected() {
  for _ in $(seq 50); do
    [ "$(for me in 1 2; do ip -n "$(space $me)" link show cable; done | grep -c "state UP")" = 2 ] && return
    sleep 0.1
  done
  return 1
}
power_off() { ip netns pids "$(space "$1")" | xargs -r kill -KILL; }
take_down() {
  local me
  for me in 1 2; do
    power_off $me
    ip netns delete "$(space $me)"
  done 2>/dev/null
}
trap 'take_down; cd /; rm -rf "$folder"' EXIT
{ ip netns add "$(space 1)" && ip netns add "$(space 2)" &&
  ip -n "$(space 1)" link add cable type veth peer name cable netns "$(space 2)" && connect 1 && connect 2 &&
  is_connected && ./on_host "${hosts[0]}" true; } 2>/dev/null || { echo "no network namespaces"; exit 77; }

# rate BITS ...: what the cable carries a second in each direction, as tc(8) writes it.
rate() {
  ip netns exec "$(space 1)" tc qdisc replace dev cable root tbf rate "$1" burst 256kb latency 100ms &&
    ip netns exec "$(space 2)" tc qdisc replace dev cable root tbf rate "$1" burst 256kb latency 100ms
}

# start_on_both FAMILY RANKS COMMAND...: replaces this process by the launcher, on the first machine;
# half of the ranks are on each. MPICH 4.0 over UCX's TCP now and then hangs in MPI_Finalize, so UCX is left to
# find out that it can do without the cable.
start_on_both() {
  local family=$1 here=$(($2 / 2)) command
  case $family in
    openmpi) command=(mpirun.openmpi --mca plm_rsh_agent "$PWD/on_host" --mca btl self,vader,tcp --map-by node
      --oversubscribe -H "${hosts[0]}:$here,${hosts[1]}:$here") ;;
    mpich) command=(mpirun.mpich -launcher ssh
      -launcher-exec "$PWD/on_host" -hosts "${hosts[0]},${hosts[1]}" -ppn $here) ;;
  esac
  exec timeout ${LIMIT:-100} ./on_host "${hosts[0]}" "$(printf '%q ' "${command[@]}" -n "${@:2}")" </dev/null
}
run_on_both() { (start_on_both "$@"); }
