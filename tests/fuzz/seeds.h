// First inputs of each target, made of what the tree has: models, layouts, passes, and files as
// mtfc writes them.
#pragma once
#include <string>
#include <vector>

namespace mtfc::fuzz {

struct Seed {
  std::string target, name, input;
};
std::vector<Seed> seeds();

// What seeds() is made of.
void add_model_seeds(std::vector<Seed>& all);
void add_file_seeds(std::vector<Seed>& all);
void add_line_seeds(std::vector<Seed>& all);

}  // namespace mtfc::fuzz
