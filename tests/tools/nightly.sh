# Whether long forms run: in scripts/nightly, not for each change (CONTRIBUTING.md).
nightly() { [ -n "${MTFC_NIGHTLY:-}" ]; }
