// An attribute as Python gives it.
#pragma once

#include <cstdint>
#include <optional>

#include "arrays.hpp"
#include "shoal/hierarchies.hpp"

namespace shoal {

struct AttributeArrays {
    Array<Label> codes;  // the entry of each row, or no_value
    Label entries;       // how many there are
    Label values;
    bool once;  // an entry counts once in a class, however often it occurs
    std::optional<Array<std::uint64_t>> weights;  // what each row adds, where that is not what the table's row counts
    std::optional<Array<Label>> value_of;         // of each entry, where entries are not the values
};

}  // namespace shoal
