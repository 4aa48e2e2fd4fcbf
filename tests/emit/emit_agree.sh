#!/usr/bin/env bash
# A small part of tests/bench/agree.sh: simulated mesh, mpirun and emitted programs on all MPIs that are installed.
export AGREE_STEPS=5
agree=$TREE/tests/bench/agree.sh
AGREE_RANKS=8 bash "$agree" mnist/dp_mp &&
  AGREE_SIZES="-D batch=10 -D hidden=11" AGREE_RANKS=4 bash "$agree" two_layer/dp_mp
