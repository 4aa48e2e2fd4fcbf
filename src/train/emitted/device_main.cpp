#include "train/emitted/device_main.h"

#include <cstdio>
#include <vector>

#include "comm/threads.h"
#include "kernels/gemm.h"
#include "support/exit_status.h"
#include "train/emitted/devices.h"
#include "train/emitted/processor_main.h"

namespace mtfc::runtime {
int placement_main(const EmittedModule& module, const TrainPlan& plan,
                   std::span<const DeviceProcessor> placed, int argc, char** argv) {
  CommandLine line{
      {argv, argv + argc}, without_equals({argv + 1, argv + argc}), "[--devices LIST] "};
  std::vector<std::string> names;
  for (const DeviceProcessor& processor : placed) names.emplace_back(processor.device);
  if (const std::optional<std::string> list = take_option(line.left, "--devices")) {
    const std::vector<std::string> others = device_list(*list);
    if (others.empty()) {
      std::fprintf(stderr, "error: `--devices %s` is not a list of devices\n", list->c_str());
      std::fprintf(stderr, "  = help: cpu:0,cpu:1 or, groups of them, cpu:0-3,cpu:4-7\n");
      return exit_usage;
    }
    for (std::size_t i = 0; i < names.size(); ++i)
      names[i] = others[i * others.size() / names.size()];
  }
  load_product_library();  // before there are threads: it reads the environment
  const auto run = [&](net::Network& network) {
    const std::string& name = names[static_cast<std::size_t>(network.rank())];
    const std::optional<Device> device = parse_device(name);
    if (!device || !run_here_on(*device))
      std::fprintf(stderr, "note: this machine has no %s; processor %d runs anywhere\n",
                   name.c_str(), network.rank());
    return processor_main(module, plan, network, line);
  };
  try {
    return net::run_on_threads(static_cast<int>(names.size()), run);
  } catch (const std::system_error& error) {
    print_threads_refused(error);
    return exit_too_large;
  }
}

}  // namespace mtfc::runtime
