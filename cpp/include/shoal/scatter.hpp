// Adding counts to cells.
#pragma once

#include <cstddef>

namespace shoal {

// cells[cell_of(i)] += counts[i], in four streams: neighbours often share a cell, and adding to it twice in a
// row stalls.
template <class Count, class CellOf>
void scatter(const Count* counts, std::size_t size, Count* cells, CellOf cell_of) {
    const auto add = [&](std::size_t i) {
        Count& cell = cells[cell_of(i)];
        cell = static_cast<Count>(cell + counts[i]);
    };
    const std::size_t quarter = size / 4;
    for (std::size_t i = 0; i < quarter; ++i) {
        add(i);
        add(i + quarter);
        add(i + 2 * quarter);
        add(i + 3 * quarter);
    }
    for (std::size_t i = 4 * quarter; i < size; ++i) add(i);
}

}  // namespace shoal
