#include "train/loop/initialise.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "comm/gather_bytes.h"
#include "data/files/npz.h"
#include "support/host_tensor.h"
#include "support/last_words.h"
#include "support/not_finite.h"
#include "support/program_names.h"
#include "support/text.h"
#include "train/checkpoint/folder.h"

namespace mtfc::runtime {
namespace {

/// The tensors of a file, whatever its form.
struct Tensors {
  std::function<bool(const std::string& name)> has;
  std::function<std::vector<std::int64_t>(const std::string& name)> extents;
  std::function<std::vector<std::string>(const std::string& name)> dims;  // empty: not known
  std::function<std::vector<std::string>()> names;
  std::function<Result<HostTensor>(const std::string& name, const Block& block)> read;
};

Result<Tensors> open_archive(const std::string& path) {
  Result<std::map<std::string, NpyArray>> arrays = read_npz(path);
  if (!arrays) return arrays.error();
  const auto shared = std::make_shared<std::map<std::string, NpyArray>>(std::move(*arrays));
  return Tensors{[=](const std::string& name) { return shared->contains(name); },
                 [=](const std::string& name) { return shared->at(name).extents; },
                 [](const std::string&) { return std::vector<std::string>(); },
                 [=] {
                   std::vector<std::string> names;
                   for (const auto& [name, array] : *shared) names.push_back(name);
                   return names;
                 },
                 [=](const std::string& name, const Block& block) -> Result<HostTensor> {
                   const Result<HostTensor> whole =
                       to_tensor(shared->at(name), "`" + name + "` of `" + path + "`");
                   if (!whole) return whole.error();
                   return cut(*whole, block);
                 }};
}

/// A checkpoint, or a run folder, of which the newest good one is meant.
Result<Tensors> open_checkpoint(const std::string& path, net::Network& network) {
  Result<FoundCheckpoint> found = find_checkpoint(path, network);
  if (!found) return found.error();
  const auto shared = std::make_shared<CheckpointTensors>(std::move(found->checkpoint.tensors));
  const auto dims = std::move(found->checkpoint.record.dims);
  return Tensors{[=](const std::string& name) { return shared->find(name) != nullptr; },
                 [=](const std::string& name) { return shared->find(name)->extents; },
                 [=](const std::string& name) {
                   const auto known = dims.find(name);
                   return known == dims.end() ? std::vector<std::string>() : known->second;
                 },
                 [=] {
                   std::vector<std::string> names;
                   for (const StoredTensor& one : shared->tensors()) names.push_back(one.name);
                   return names;
                 },
                 [=](const std::string& name, const Block& block) {
                   return shared->read(*shared->find(name), block);
                 }};
}

/// "layers.*.lora.w" of "layers.3.lora.w": the parameter in all iterations.
std::string in_all_iterations(const std::string& path) {
  std::string pattern;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string segment = path.substr(begin, end - begin);
    const bool number = !segment.empty() && segment.find_first_not_of("0123456789") == segment.npos;
    pattern += (pattern.empty() ? "" : ".") + (number ? "*" : segment);
    begin = end + 1;
  }
  return pattern;
}

/// How parameters keep the values that are drawn, though a broader group has `init`. `unfit`: all
/// of the file's that are not in it, or do not fit, of which the first one is reported. Where these
/// are all of an instance's, that is left out.
std::string advice_on_leaving_out(const InitialFile& file, const std::vector<std::string>& unfit) {
  const std::string& path = unfit.front();
  const std::string instance = path.substr(0, std::min(path.rfind('.'), path.size()));
  const auto among = [&](const std::string& one) {
    return std::find(unfit.begin(), unfit.end(), one) != unfit.end();
  };
  bool whole = instance != path, several = false;
  for (const auto& parameter : file.parameters)
    if (parameter.path.starts_with(instance + ".")) {
      whole = whole && among(parameter.path);
      several = several || parameter.path != path;
    }
  const bool of_instance = whole && several;
  const std::string exact = of_instance ? instance : path, all = in_all_iterations(exact);
  std::string pattern = all;
  for (const auto& parameter : file.parameters) {  // not what other iterations have in the file
    const std::string general = in_all_iterations(parameter.path);
    const bool matches = of_instance ? general.starts_with(all + ".") : general == all;
    if (matches && !among(parameter.path)) pattern = exact;
  }
  if (of_instance) pattern += ".**";
  std::string advice = "a later `params \"" + pattern + "\" { init = none }` leaves " +
                       (of_instance ? "them" : "it") +
                       " out (`frozen = false` beside it, where an earlier group freezes)";
  if (unfit.size() > 1) {
    const std::size_t shown = std::min<std::size_t>(unfit.size(), 7);
    const std::vector<std::string> others(unfit.begin() + 1,
                                          unfit.begin() + static_cast<std::ptrdiff_t>(shown));
    advice += "; " + std::to_string(unfit.size() - 1) + " more of the file's parameters " +
              (unfit.size() == 2 ? "is" : "are") +
              " new in the model or of another shape: " + joined(others, ", ") +
              (unfit.size() > shown ? ", ..." : "");
  }
  return advice;
}

using Names = std::vector<std::string>;

/// What to do about a tensor of another shape.
std::string advice_on_shape(const std::vector<std::int64_t>& extents, const VariableInfo& variable,
                            const std::string& leaving_out) {
  const std::vector<std::int64_t>& wanted = variable.extents;
  if (extents == wanted ||
      std::equal(extents.rbegin(), extents.rend(), wanted.begin(), wanted.end()))
    return "its dimensions are in another order: declare them as the file has them, or store the "
           "transposed array";
  return leaving_out;
}

/// Sets what this process has of a variable to the tensor `name`.
Status set(Engine& engine, const VariableInfo& variable, const Block& block, const Tensors& tensors,
           const std::string& name, const std::string& file, const std::string& leaving_out) {
  const std::vector<std::int64_t> extents = tensors.extents(name);
  const std::vector<std::string> dims = tensors.dims(name);
  const bool same = extents == variable.extents && !is_reordered(dims, variable.dims);
  const Result<HostTensor> part = tensors.read(name, same ? block : Block::whole(extents));
  if (!part) return part.error();
  const bool floats = is_float(part->dtype) && is_float(variable.dtype);
  if (!same || (part->dtype != variable.dtype && !floats))
    return Error{
        variable.kind + " `" + variable.path + "` is " +
            tensor_text(mtfc::name(part->dtype), extents, same ? Names() : dims) + " in `" + file +
            "`, " +
            tensor_text(mtfc::name(variable.dtype), variable.extents,
                        same || dims.empty() ? Names() : variable.dims) +
            " in the model",
        {same ? "convert it to floats before" : advice_on_shape(extents, variable, leaving_out)},
        variable.path};
  if (part->dtype == variable.dtype) return engine.set_part(variable.path, *part), Status();
  const HostTensor fitting = converted(*part, variable.dtype);
  if (worst_of(fitting) > worst_of(*part))
    return Error{variable.kind + " `" + variable.path + "` has numbers in `" + file +
                     "` that are beyond " + std::string(mtfc::name(variable.dtype)),
                 {"scale them, or train in a wider type"},
                 variable.path};
  engine.set_part(variable.path, fitting);
  return {};
}

using Variables = std::map<std::string, std::pair<VariableInfo, Block>>;

/// Of the file's parameters those that it has not, or in another shape.
std::vector<std::string> unfit_of(const InitialFile& file, const Variables& variables,
                                  const Tensors& tensors) {
  std::vector<std::string> unfit;
  for (const auto& [path, names, optional] : file.parameters) {
    const auto found = variables.find(path);
    if (found == variables.end()) continue;
    const auto name = std::find_if(names.begin(), names.end(), tensors.has);
    if (name == names.end() ? !optional : tensors.extents(*name) != found->second.first.extents)
      unfit.push_back(path);
  }
  return unfit;
}

bool has_none(const InitialFile& file, const Tensors& tensors) {
  return std::none_of(file.parameters.begin(), file.parameters.end(), [&](const auto& parameter) {
    return std::any_of(parameter.names.begin(), parameter.names.end(), tensors.has);
  });
}

/// "`a`, `b`, ..."
std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i == 0 ? "`" : ", `") + names[i] + "`";
  return names.empty() ? "no tensors" : text + (names.size() > most ? ", ..." : "");
}

Status take(Engine& engine, const InitialFile& file, const Variables& variables) {
  std::error_code failed;
  if (file.path.ends_with(".npy") && std::filesystem::exists(file.path, failed))
    return Error{
        "`" + file.path + "` is one array, without a name",
        {"`init` takes .npz, .safetensors and run folders: numpy.savez(\"init.npz\", w=...)"},
        file.parameters.front().path};
  const Result<Tensors> tensors = file.path.ends_with(".npz")
                                      ? open_archive(file.path)
                                      : open_checkpoint(file.path, engine.network());
  if (!tensors) {
    Error error = tensors.error();
    error.subject = file.parameters.front().path;
    if (error.helps.empty())
      error.helps = {
          "`init` takes .npz, .safetensors and run folders; a path begins at the folder of "
          "the model"};
    return error;
  }
  const std::vector<std::string> unfit = unfit_of(file, variables, *tensors);
  const std::string leaving_out = unfit.empty() ? "" : advice_on_leaving_out(file, unfit);
  for (const auto& [path, names, optional] : file.parameters) {
    const auto found = variables.find(path);
    if (found == variables.end()) continue;  // the programs do without it
    const auto& [variable, block] = found->second;
    const auto name = std::find_if(names.begin(), names.end(), tensors->has);
    if (name == names.end() && optional) continue;
    if (name == names.end())
      return Error{"parameter `" + path + "` is not in `" + file.path + "`",
                   {"looked for: " + joined(names, ", "),
                    has_none(file, *tensors)
                        ? "none of the model's is in it, which has " + first_names(tensors->names())
                        : leaving_out},
                   path};
    if (Status done = set(engine, variable, block, *tensors, *name, file.path, leaving_out); !done)
      return done;
  }
  return {};
}

}  // namespace

Status initialise(Engine& engine, const std::vector<InitialFile>& files) {
  std::vector<Fetched> none;
  note_use_of_memory("the first values of variables");
  engine.run(program_names::init, {}, none);
  note_use_of_memory(nullptr);
  engine.give_back_memory();
  if (files.empty()) return {};
  Variables variables;
  const std::vector<VariableInfo> all = engine.variables();
  const std::vector<Share> shares = engine.shares();
  for (std::size_t i = 0; i < all.size(); ++i) variables[all[i].path] = {all[i], shares[i].block};
  // One file after the other on all ranks: what one of them cannot read, none goes on from.
  for (const InitialFile& file : files)
    if (Status taken = net::agreed(engine.network(), take(engine, file, variables)); !taken)
      return taken;
  return {};
}

}  // namespace mtfc::runtime
