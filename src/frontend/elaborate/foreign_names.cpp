#include "frontend/elaborate/foreign_names.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>

#include "frontend/elaborate/builtins.h"

namespace mtfc::elab {
namespace {

struct ForeignName {
  std::string_view names;  // blanks between them, small letters
  std::string_view ours;
};

constexpr ForeignName operations[] = {
    {"matmul mm bmm dot tensordot batch_matmul",
     "a matrix product is `einsum(a, b over d)`: `d` is the dimension that is summed"},
    {"reshape view flatten unflatten rearrange",
     "a view merges and splits dimensions: `x[(a, b) -> c]`, `x[c -> (a, b)]`"},
    {"transpose permute t swapaxes moveaxis",
     "dimensions have names and no order, so nothing is transposed"},
    {"squeeze unsqueeze expand expand_dims broadcast_to broadcast tile newaxis",
     "tensors are matched by the names of their dimensions: none is inserted or expanded"},
    {"swish", "`silu(x)` is x * sigmoid(x)"},
    {"gelu_new gelu_tanh gelu_fast", "`gelu(x)` is the tanh form"},
    {"linear fc affine fully_connected",
     "a linear layer is `dense@name(x over in -> out)`, with `use \"nn.mtf\"`"},
    {"layernorm layer_normalization", "it is `layer_norm@name(x over d)`, with `use \"nn.mtf\"`"},
    {"batchnorm batchnorm1d batchnorm2d", "it is `batch_norm`, with `use \"nn.mtf\"`"},
    {"average avg reduce_mean", "it is `mean(x over d)`"},
    {"reduce_sum", "it is `sum(x over d)`"},
    {"reduce_max amax", "it is `max(x over d)`"},
    {"reduce_min amin", "it is `min(x over d)`"},
    {"arange range iota", "the numbers along a dimension are `index(d)`"},
    {"power pow", "a power is written `a ^ b`"},
    {"gather lookup index_select take take_along_axis",
     "a lookup is an index: `table[vocab = ids]`"},
    {"onehot", "it is `one_hot(k -> v)`"},
    {"tril triu", "compare indices: `where(index(a) >= index(b), x, -1e9)`"},
    {"masked_fill", "it is `where(mask, value, x)`"},
    {"select cond", "element by element it is `where(condition, a, b)`"},
    {"float to_float", "a cast is written `f32(x)`"},
    {"astype cast to int32 int64", "a cast is written `f32(x)`, `int(x)`"},
    {"clip clamp", "it is `min(max(x, low), high)`"},
    {"maximum minimum", "of two tensors it is `max(x, y)` and `min(x, y)`"},
    {"prod", "it is `exp(sum(log(x) over d))` of positive numbers"},
    {"argmin", "it is `argmax(-x over d)`"},
    {"softmin", "it is `softmax(-x over d)`"},
    {"logsigmoid log_sigmoid", "it is `min(x, 0) - log(1 + exp(-abs(x)))`"},
    {"log1p", "it is `log(1 + x)`"},
    {"expm1", "it is `exp(x) - 1`"},
    {"log2", "it is `log(x) / log(2)`"},
    {"log10", "it is `log(x) / log(10)`"},
    {"exp2", "it is `2 ^ x`"},
    {"erfc", "it is `1 - erf(x)`"},
    {"tan", "it is `sin(x) / cos(x)`"},
    {"cosh", "it is `(exp(x) + exp(-x)) / 2`"},
    {"sinh", "it is `(exp(x) - exp(-x)) / 2`"},
    {"trunc", "it is `sign(x) * floor(abs(x))`"},
    {"roll rotate", "it is `shift(x, n, wrap=true over d)`"},
    {"split chunk unbind", "a part of a dimension is a view: `x[d = 0:4 -> part]`"},
    {"scan fori_loop while_loop", "a recurrence is a `repeat`"},
    {"relu6", "it is `min(relu(x), 6)`"},
    {"binary_cross_entropy_with_logits bcewithlogitsloss sigmoid_cross_entropy",
     "it is `mean(max(x, 0) - x * y + log(1 + exp(-abs(x))))`"},
    {"bce bce_loss binary_cross_entropy",
     "it is `-mean(y * log(p) + (1 - y) * log(1 - p))` of probabilities `p`"},
    {"avg_pool avg_pool2d avgpool2d average_pool2d avg_pooling",
     "it is `mean_pool2d(x over row, col -> row2, col2)`, with `use \"nn.mtf\"`"},
    {"max_pool max_pool1d max_pool3d maxpool2d avg_pool1d avg_pool3d",
     "of images it is `max_pool2d(x over row, col -> row2, col2)`, with `use \"nn.mtf\"`; along "
     "other dimensions the `max` or `mean` of windows `x[d = 2 * index(e) + index(k)]`"},
    {"upsample interpolate resize upsampling2d",
     "it is `upsample2d(x, times=2 over row, col -> row2, col2)`, with `use \"nn.mtf\"`"},
    {"conv_transpose1d conv_transpose2d conv2d_transpose convtranspose2d deconv",
     "`upsample2d`, then `conv2d`, both with `use \"nn.mtf\"`"},
    {"group_norm groupnorm instance_norm instancenorm2d",
     "it is `layer_norm` over what a group has: `x[c -> (group, each)]`"},
    {"zeros ones zeros_like ones_like full",
     "a number stands for a tensor of it: `x + 1`, or `broadcast(1 -> d)`"},
    {"var variance std stddev", "it is `mean((x - mean(x over d))^2 over d)`, or its `sqrt`"},
    {"norm l2_norm", "it is `sqrt(sum(x^2 over d))`"},
    {"normalize l2_normalize", "it is `x / sqrt(sum(x^2 over d) + 1e-12)`"},
    {"mse mse_loss mean_squared_error", "it is `mean((a - b)^2)`"},
    {"nll_loss softmax_cross_entropy_with_logits crossentropy crossentropyloss",
     "it is `cross_entropy(logits, label over class)`"},
    {"detach no_grad", "it is `stop_gradient(x)`"},
    {"shape size numel len", "the size of a dimension is its name: `x / d`"},
    {"item numpy cpu cuda", "values are looked at with `mtfc run MODEL NAME`"},
};

constexpr ForeignName distributions[] = {
    {"gaussian randn random_normal normal_", "it is `normal(std)`"},
    {"xavier xavier_uniform xavier_normal xavier_uniform_ xavier_normal_ glorot_uniform "
     "glorot_normal",
     "it is `glorot(over in -> out)`, with the dimensions that are summed and made"},
    {"kaiming kaiming_uniform kaiming_normal kaiming_uniform_ kaiming_normal_ he_uniform "
     "he_normal",
     "it is `he(over in)`, with the dimensions that are summed"},
    {"lecun lecun_normal lecun_uniform variance_scaling",
     "it is `fan_in(over in)`, with the dimensions that are summed"},
    {"rand random random_uniform uniform_", "it is `uniform(low, high)`"},
    {"zeros zeros_ zero", "write `= 0`"},
    {"ones ones_ one", "write `= 1`"},
    {"constant constant_ full fill", "write `= ` and the number"},
    {"trunc_normal trunc_normal_", "it is `truncated_normal(std)`"},
    {"randint", "it is `integers(n)`"},
};

constexpr ForeignName sources[] = {
    {"mnist fashion_mnist fashionmnist", "its four files are read by `idx(\"DIR\")`"},
    {"text textfile read_text", "a text is read by `chars(\"FILE\")` or `bytes(\"FILE\")`"},
    {"random randn normal", "random numbers for tests are `gaussian(seed=1)`"},
    {"numpy npz load", "arrays are read by `npy(\"FILE.npy\")`"},
    {"tsv_file table", "tables are read by `csv(\"FILE\")` and `tsv(\"FILE\")`"},
    {"sentencepiece tiktoken tokenizer", "a file of ids is read by `tokens(...)`, a text by `bpe`"},
};

constexpr ForeignName settings[] = {
    {"learning_rate rate", "lr"},
    {"weight_decay l2 wd", "decay"},
    {"betas beta_1", "beta1"},
    {"beta_2", "beta2"},
    {"epsilon", "eps"},
    {"iterations iters num_steps max_steps num_iterations train_steps", "steps"},
    {"num_epochs max_epochs", "epochs"},
    {"grad_clip clip_norm max_grad_norm gradient_clip gradient_clipping", "clip"},
    {"accumulate grad_accum gradient_accumulation_steps accumulation", "microbatches"},
    {"random_seed", "seed"},
    {"dtype", "precision"},
    {"eval_interval eval_steps validate_every", "eval_every"},
    {"save_every save_steps save_interval checkpoint_interval", "checkpoint_every"},
};

constexpr std::string_view other_optimizers =
    "nadam nadamw radam adan adamax adamp amsgrad adabelief sgdm sgdw asgd yogi";

constexpr ForeignName types[] = {
    {"float float32 single fp32", "f32"},
    {"double float64 fp64", "f64"},
    {"half float16 fp16", "f16"},
    {"bfloat16 bfloat brain", "bf16"},
    {"integer int32 i32 int64 i64 long int16 uint8 uint32", "int"},
    {"boolean logical", "bool"},
};

bool is_among(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

std::string lower_case(std::string_view name) {
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

std::string_view find_in(std::span<const ForeignName> table, std::string_view name) {
  const std::string small = lower_case(name);
  for (const ForeignName& row : table)
    if (is_among(row.names, small)) return row.ours;
  return "";
}

}  // namespace

std::string advice_on_operation(std::string_view name) {
  const std::string small = lower_case(name);
  for (const std::string& own : builtin_names())
    if (const Builtin* row = find_builtin(own); row != nullptr && is_among(row->foreign, small))
      return "it is `" + own + "`";
  return std::string(find_in(operations, name));
}
std::string_view advice_on_distribution(std::string_view name) {
  return find_in(distributions, name);
}
std::string_view advice_on_source(std::string_view name) { return find_in(sources, name); }
std::string_view setting_called(std::string_view name) { return find_in(settings, name); }
bool is_other_optimizer(std::string_view name) {
  return is_among(other_optimizers, lower_case(name));
}
std::string_view type_called(std::string_view name) { return find_in(types, name); }

}  // namespace mtfc::elab
