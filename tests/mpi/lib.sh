# What the tests under mpirun share: `. lib.sh all|openmpi|mpich`. Each runs in a scratch folder of its own with MTFC
# (the program) and TREE (the sources) set, on the MPI implementations of which "families" is the list: all that are
# "installed", or the one it names if that is there; with MTFC_NIGHTLY, as in scripts/nightly, on all in any case.
set -uo pipefail
. "$TREE/tests/tools/nightly.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }
export MTFC TREE OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# start FAMILY RANKS COMMAND...: replaces this process by the launcher. Oversubscribed ranks must not
# spin for each other.
start() {
  local family=$1 ranks=$2
  shift 2
  case $family in
    openmpi) exec mpirun.openmpi --oversubscribe -n "$ranks" "$@" ;;
    mpich) exec mpirun.mpich -n "$ranks" "$@" ;;
  esac
}
run() { (export -f start; exec timeout 100 bash -c 'start "$@"' start "$@"); }
families=()
for family in openmpi mpich; do
  [ -e "$(dirname "$MTFC")/mtfc_mpi_$family.so" ] && command -v mpirun.$family >/dev/null &&
    families+=("$family")
done
[ ${#families[@]} -eq 0 ] && { echo "no MPI"; exit 77; }
installed=("${families[@]}")
if [ "$1" != all ] && ! nightly; then
  [[ " ${families[*]} " != *" $1 "* ]] || families=("$1")
fi

losses() { sed 's/,"seconds":[^,}]*//' "$1"; }
