#!/usr/bin/env bash
# The short form of tests/bench/kills.sh: ranks killed at random moments.
exec bash "$TREE/tests/bench/kills.sh" "$MTFC" 4
