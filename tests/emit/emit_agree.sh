#!/usr/bin/env bash
# A small part of tests/bench/agree.sh: simulated mesh, mpirun and emitted programs on all MPIs that are installed, with
# sizes that the mesh does not divide.
. "$TREE/tests/tools/nightly.sh"
. "$TREE/tests/emit/compiler.sh"
export cxx AGREE_STEPS=5 AGREE_SIZES="-D batch=10 -D hidden=11" AGREE_RANKS=4
exec bash "$TREE/tests/bench/agree.sh" two_layer/dp_mp
