#!/usr/bin/env bash
# Nothing that a model's names, strings and paths hold becomes code: the emitted program compiles without a warning,
# does what the simulated mesh does, and nothing else.
. "${TREE:?the source tree}/tests/emit/lib.sh"
backend=placement
cmake_options=(-DMTFC_RUNTIME="$(dirname "$mtfc")" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-Werror)
# A folder whose name would end a comment, a string, a line and a format, or start a command.
evil="$work/evil */ ??/ \"); abort(); \$(touch $work/oops) %s%n ; # \\ '" # "
newline=$'line\nabort();\r\t\\ '
long=$(printf 'x%.0s' {1..300})
mkdir -p "$evil/$newline/*/ ??"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || exit 77
(cd "$evil/$newline" && /usr/bin/python3 -c 'import numpy as np
np.save("*/ ??/\"\\ é.npy", np.arange(128, dtype=np.float32).reshape(16, 8) / 64)')
model="$evil/$newline/int main(){} *\\ .mtf"
cat >"$model" <<MODEL
# Names of the language, of the runtime and of macros; */ /* ??/
dim int32_t = 8, class = 8, template = 8, p = 4, t = 4, arena = 2 * p
data new = npy("*/ ??/\"\\\\ é.npy", holdout=0.5)
input this[class, int32_t] from new.data
block namespace(x, dim arena, dim template) {
  param operator[arena, template] ~ normal(0.1)
  param spec[template, arena'] ~ normal(0.1)
  variable = tanh(einsum(x, operator over arena))
  return x + einsum(variable, spec over template)[arena' -> arena]
}
dim inline = 3
M_PI = this[int32_t -> arena]
param spec[p, t] ~ normal(1)
param $long[arena] ~ normal(1)
param slots[t] ~ normal(1)
repeat inline { M_PI = namespace(M_PI, arena=arena, template=template) }
run = M_PI * $long
loss mean(run^2) + mean(spec * slots)
metric spec_1 = mean(run)
train { optimizer = adam(lr=0.01)  steps = 3 }
MODEL
check evil 4 "$model" 3 --mesh "rows:2;int:2" --rules "class:rows;template:int"
test ! -e "$work/oops"
