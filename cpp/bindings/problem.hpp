// An attribute as Python gives it, and names of kinds.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "shoal/hierarchies.hpp"

namespace shoal {

template <class T>
T named(const std::string& name, std::initializer_list<std::pair<std::string_view, T>> known) {
    for (const auto& [candidate, value] : known) {
        if (candidate == name) return value;
    }
    throw std::invalid_argument("unknown name: " + name);
}

struct AttributeArrays {
    Array<Label> codes;  // the entry of each row, or no_value
    Label entries;       // how many there are
    Label values;
    bool once;  // an entry counts once in a class, however often it occurs
    std::optional<Array<std::uint64_t>> weights;  // what each row adds, where that is not what the table's row counts
    std::optional<Array<Label>> value_of;         // of each entry, where entries are not the values
};

}  // namespace shoal
