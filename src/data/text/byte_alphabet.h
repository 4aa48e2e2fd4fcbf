// GPT-2's way to write any bytes as printable characters: in vocab.json and merges.txt each byte is
// one character. Bytes that are printable in Latin-1 are themselves, the others are numbered from
// U+0100 (Radford et al., "Language Models are Unsupervised Multitask Learners", encoder.py).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mtfc::runtime {

std::string to_byte_alphabet(std::string_view bytes);
/// Absent if a character stands for no byte.
std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace mtfc::runtime
