#!/usr/bin/env bash
# For every model and layout: are the losses of the simulated mesh, of `mpirun mtfc` and of the emitted MPI program
# equal, bit for bit, at 1, 2, 4 and 8 ranks, on every MPI that is installed?
#
#   MTFC=build/mtfc TREE=. tests/bench/agree.sh [MODEL[/LAYOUT]]...
#
# Prints a line for each model, layout and number of ranks; the status says whether all agree.
# AGREE_STEPS (20) and AGREE_RANKS ("1 2 4 8") may be less; AGREE_SIZES ("-D batch=10") makes sizes that
# ranks do not divide. Big models are made small with -D, as `options` says; layouts keep their rules and
# their axes, whose sizes are those that have as many processors as there are ranks. Takes more than an
# hour on two processors.
set -uo pipefail
: "${MTFC:?the program}" "${TREE:?the source tree}"
steps=${AGREE_STEPS:-20}
ranks=${AGREE_RANKS:-1 2 4 8}
library=$(dirname "$MTFC")
data=$TREE/models/data
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
families=()
for family in openmpi mpich; do
  [ -e "$library/mtfc_mpi_$family.so" ] && command -v "mpirun.$family" >/dev/null && families+=("$family")
done
[ ${#families[@]} -eq 0 ] && { echo "no MPI"; exit 77; }

# What a model is trained with, so that it is small and every dimension that a layout splits divides by 8.
options() { # options MODEL
  local small=(-D batch=8 -D length=32)
  case $1 in
    two_layer) set -- -D batch=16 -D io=16 -D hidden=16 ;;
    mnist) set -- -D batch=16 ;;
    resnet) set -- -D batch=16 -D row=32 -D col=32 -D blocks1=1 -D blocks2=1 -D blocks3=1 -D blocks4=1 ;;
    gpt) set -- "${small[@]}" -D layers=2 -D d_model=64 -D heads=8 --set "data.text=$data/stories.txt" ;;
    gpt+f16) set -- "${small[@]}" -D layers=2 -D d_model=64 -D heads=8 --set "data.text=$data/stories.txt" \
      --set train.precision=f16 --set "train.loss_scale=dynamic(init=16777216)" ;;
    gpt+parts) set -- "${small[@]}" -D batch=16 -D layers=2 -D d_model=64 -D heads=8 \
      --set "data.text=$data/stories.txt" --set train.microbatches=2 ;;
    grouped_queries) set -- "${small[@]}" -D d_model=128 -D heads=8 -D queries=8 ;;
    llama) set -- "${small[@]}" -D heads=16 -D kv_heads=8 ;;
    t5_bias) set -- "${small[@]}" -D heads=8 ;;
    distillation) set -- "${small[@]}" -D teacher_heads=8 -D teacher_head=8 -D student_heads=8 -D student_head=4 ;;
    packed_lm) set -- "${small[@]}" -D heads=8 -D vocab=72 ;;
    local_attention) set -- -D batch=8 -D length=128 -D window=16 -D heads=8 ;;
    moe) set -- "${small[@]}" -D heads=8 ;;
    number_words) set -- -D batch=16 -D vocab=48 -D heads=8 ;;
    transformer_lm) set -- "${small[@]}" --set "data.text=chars(\"$data/stories.txt\")" -D vocab=32 -D layers=2 \
      -D d_model=64 -D d_ff=128 -D d_head=8 -D heads=8 ;;
    transformer_mt) set -- -D batch=16 -D source=8 -D target=6 -D vocab=48 -D layers=1 -D d_model=64 -D d_ff=128 \
      -D heads=8 -D d_head=8 \
      --set "data.pairs=tsv(\"$data/number_words.tsv\", eval=\"$data/number_words.eval.tsv\")" ;;
    bert) set -- "${small[@]}" -D vocab=72 -D mask_id=4 -D layers=1 -D d_model=64 -D heads=8 \
      --set "data.pairs=bert_pairs(\"$data/stories.txt\", vocab=\"$data/stories.vocab\")" ;;
  esac
  read -ra sizes <<<"${AGREE_SIZES-}"
  arguments=("$@" "${sizes[@]}")
}

# The layout's axes with so many processors; an axis more in front gets what the others do not take.
mesh_of() { # mesh_of LAYOUT RANKS
  local axes axis left=$2 mesh="" size
  axes=$(sed -n 's/^mesh //p' "$1" | tr -d ' ' | tr ',' '\n' | sed 's/=.*//' | tac)
  [ -n "$axes" ] || axes=all
  for axis in $axes; do
    size=2
    [ "$axis" = "$(echo "$axes" | tail -n 1)" ] && size=$left
    [ "$left" -lt "$size" ] && size=$left
    mesh="$axis:$size${mesh:+;$mesh}"
    left=$((left / size))
  done
  echo "$mesh"
}

launch() { # launch FAMILY RANKS COMMAND...
  local family=$1 n=$2
  shift 2
  case $family in
    openmpi) timeout 300 mpirun.openmpi --oversubscribe -n "$n" "$@" ;;
    mpich) timeout 300 mpirun.mpich -n "$n" "$@" ;;
  esac
}
losses() { sed -E 's/,"seconds":[0-9.e+-]*//' "$1"; }

# The emitted program is compiled once and linked with each MPI: it knows nothing of MPI but its network.
compile() { # compile: $folder/program -> $folder/FAMILY.out
  (cd "$folder/program" && for f in *.cpp; do echo "#include \"$f\""; done >"$folder/all.cc" &&
    "${cxx:-g++}" -x c++ -std=c++20 -O0 -Wall -Wextra -Werror -ffp-contract=off -I. -Iruntime -c "$folder/all.cc" -o "$folder/all.o") || return
  for family in "${families[@]}"; do
    object=$folder/$family.o
    [ -e "$object" ] || cat "$folder"/program/runtime/comm/mpi/*.cpp | "mpicxx.$family" -x c++ - -std=c++20 -O1 \
      -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -I"$folder/program/runtime" -c -o "$object" || return
    "mpicxx.$family" "$folder/all.o" "$object" "$library"/libmtfc_{train,data,sources,comm,kernels,support}.a \
      -lz -lpcre2-8 -ldl -lpthread -o "$folder/$family.out" || return
  done
}

failed=0
compare() { # compare MODEL LAYOUT RANKS
  local model=$1 layout=$2 n=$3 source mesh verdict=equal log
  source=$TREE/models/${model%%+*}.mtf
  local file=$TREE/models/layouts/${model%%+*}/$layout.layout
  mesh=$(mesh_of "$file" "$n")
  options "$model"
  arguments=("$source" --layout "$file" --mesh "$mesh" "${arguments[@]}")
  if ! "$MTFC" train "${arguments[@]}" --steps "$steps" --log "$folder/simulated" >/dev/null 2>"$folder/err"; then
    verdict="not run: $(grep -m1 -E '^error' "$folder/err" | cut -c1-70)"
    failed=1
  else
    rm -rf "$folder"/program/*.cpp "$folder"/*.out
    "$MTFC" emit "${arguments[@]}" --backend mpi -o "$folder/program" >/dev/null 2>"$folder/err" && compile ||
      { verdict="not built"; failed=1; }
    for family in "${families[@]}"; do
      for form in mtfc emitted; do
        log=$folder/$form.$family
        rm -f "$log"
        if [ $form = mtfc ]; then
          launch "$family" "$n" "$MTFC" train "${arguments[@]}" --steps "$steps" --log "$log" >/dev/null 2>"$folder/err"
        else
          launch "$family" "$n" "$folder/$family.out" --steps "$steps" --quiet --log "$log" >/dev/null 2>"$folder/err"
        fi
        cmp -s <(losses "$folder/simulated") <(losses "$log") && continue
        verdict="$verdict, DIFFERENT: $form on $family"
        failed=1
        head -n 5 "$folder/err" >&2
      done
    done
    [ "$(grep -c '"loss"' "$folder/simulated")" -eq "$steps" ] || { verdict="too few losses"; failed=1; }
  fi
  echo "| $model | $layout | $n | $mesh | $verdict |"
}

echo "| model | layout | ranks | mesh | $steps steps: simulated mesh, mtfc and emitted on ${families[*]} |"
echo "|---|---|---|---|---|"
wanted() { # wanted MODEL LAYOUT FILTER...
  local model=$1 layout=$2 filter
  shift 2
  [ $# -eq 0 ] && return 0
  for filter in "$@"; do [ "$filter" = "$model" ] || [ "$filter" = "$model/$layout" ] && return 0; done
  return 1
}
models=$(cd "$TREE/models" && ls ./*.mtf | sed 's#./##; s/.mtf//')
for model in $models gpt+f16 gpt+parts; do
  for file in "$TREE/models/layouts/${model%%+*}"/*.layout; do
    layout=$(basename "$file" .layout)
    wanted "$model" "$layout" "$@" || continue
    for n in $ranks; do compare "$model" "$layout" "$n"; done
  done
done
exit $failed
