#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.hpp"
#include "bind.hpp"
#include "results.hpp"
#include "shoal/bitmap_table.hpp"

using namespace nanobind::literals;

namespace shoal {

namespace {

std::unique_ptr<BitmapTable> make_bitmap_table(const std::vector<Array<Label>>& codes,
                                               const std::vector<std::vector<Array<Label>>>& maps) {
    if (maps.size() != codes.size()) throw std::invalid_argument("codes and maps need one entry per column");
    std::vector<BitmapColumn> columns;
    for (std::size_t c = 0; c < codes.size(); ++c) {
        BitmapColumn column{view(codes[c]), {}};
        for (const auto& map : maps[c]) column.maps.emplace_back(map.data(), map.data() + map.size());
        columns.push_back(std::move(column));
    }
    const std::size_t rows = codes.empty() ? 0 : codes.front().size();
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return std::make_unique<BitmapTable>(columns, rows, stop);
}

CountedClasses extend(BitmapTable& table, const ClassBitmaps& source, unsigned column, unsigned level,
                      std::uint64_t k, std::uint64_t limit, bool pruning) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return table.extend(source, column, level, {k, limit, pruning}, stop);
}

CountedClasses generalize(BitmapTable& table, const ClassBitmaps& source, const std::vector<unsigned>& levels,
                          std::uint64_t k, std::uint64_t limit, bool pruning) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return table.generalize(source, levels, {k, limit, pruning}, stop);
}

BitmapTally count_node(BitmapTable& table, const std::vector<unsigned>& columns, const std::vector<unsigned>& levels,
                       std::uint64_t k, std::uint64_t limit, bool reusing, bool pruning) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    return table.count(columns, levels, {k, limit, pruning}, reusing, stop);
}

nb::ndarray<nb::numpy, std::uint64_t> words_of(const BitmapTable& table, unsigned column, unsigned level,
                                               Label label) {
    std::vector<std::uint64_t> words;
    for (const Block& block : table.bitmap(column, level, label)) {
        words.insert(words.end(), block.words.begin(), block.words.end());
    }
    return to_numpy(std::move(words));
}

ClassCounts sizes(const ClassBitmaps& classes) {
    const Stop stop = current_stop();
    const nb::gil_scoped_release unlocked;
    std::vector<std::uint64_t> rows;
    std::size_t begin = 0;
    for (const std::size_t end : classes.ends) {
        stop.poll();
        std::uint64_t count = 0;
        for (; begin < end; ++begin) count += count_common(classes.blocks[begin].words, classes.blocks[begin].words);
        rows.push_back(count);
    }
    return {classes.columns.size(), classes.labels, std::move(rows)};
}

using Words = Array<std::uint64_t>;

template <void (*combine)(std::span<const std::uint64_t>, std::span<const std::uint64_t>, std::span<std::uint64_t>)>
nb::ndarray<nb::numpy, std::uint64_t> combined(const Words& a, const Words& b) {
    std::vector<std::uint64_t> out(a.size());
    combine(view(a), view(b), out);
    return to_numpy(std::move(out));
}

nb::tuple combined_and_counted(const Words& a, const Words& b) {
    std::vector<std::uint64_t> out(a.size());
    const std::uint64_t count = intersect_and_count(view(a), view(b), out);
    return nb::make_tuple(to_numpy(std::move(out)), count);
}

}  // namespace

void bind_bitmaps(nb::module_& m) {
    nb::class_<BitmapTally>(m, "BitmapTally", "What judging a node by bitmaps found, and what it took.")
        .def_ro("failing_rows", &BitmapTally::failing_rows)
        .def_ro("classes", &BitmapTally::classes)
        .def_ro("operations", &BitmapTally::operations)
        .def_ro("words", &BitmapTally::words)
        .def_ro("cut", &BitmapTally::cut)
        .def("__repr__", [](nb::handle self) {
            return represent(self, {"failing_rows", "classes", "operations", "words", "cut"});
        });

    nb::class_<ClassBitmaps>(m, "ClassBitmaps", "The classes of a node, each with the bitmap of its rows.")
        .def_prop_ro("columns", [](const ClassBitmaps& self) { return self.columns; })
        .def_prop_ro("levels", [](const ClassBitmaps& self) { return self.levels; })
        .def_prop_ro("bytes", &ClassBitmaps::bytes)
        .def("__len__", &ClassBitmaps::classes)
        .def("sizes", &sizes, "The labels of each class, and its rows.")
        .def("__repr__", [](nb::handle self) { return represent(self, {"columns", "levels", "bytes"}); });

    nb::class_<CountedClasses>(m, "CountedClasses", "The classes of a node, and what making them found.")
        .def_ro("tally", &CountedClasses::tally)
        .def_ro("classes", &CountedClasses::classes)
        .def("__repr__", [](nb::handle self) { return represent(self, {"tally", "classes"}); });

    nb::class_<BitmapTable>(m, "BitmapTable", "Bitmaps of all labels; threads that share it wait for each other.")
        .def(nb::new_(&make_bitmap_table), "codes"_a, "maps"_a)
        .def_prop_ro("rows", &BitmapTable::rows)
        .def_prop_ro("bytes", &BitmapTable::bytes)
        .def("bitmap", &words_of, "column"_a, "level"_a, "label"_a)
        .def("count", &count_node, "columns"_a, "levels"_a, "k"_a, "limit"_a, "reusing"_a = true, "pruning"_a = true)
        .def("everything", &BitmapTable::everything)
        .def("extend", &extend, "source"_a, "column"_a, "level"_a, "k"_a, "limit"_a, "pruning"_a = true)
        .def("generalize", &generalize, "source"_a, "levels"_a, "k"_a, "limit"_a, "pruning"_a = true);

    m.attr("bitmap_block_rows") = block_rows;
    m.def("bitmap_intersect", &combined<&intersect>, "a"_a, "b"_a);
    m.def("bitmap_subtract", &combined<&subtract>, "a"_a, "b"_a);
    m.def("bitmap_unite", &combined<&unite>, "a"_a, "b"_a);
    m.def("bitmap_intersect_and_count", &combined_and_counted, "a"_a, "b"_a);
    m.def("bitmap_count_common",
          [](const Words& a, const Words& b) { return count_common(view(a), view(b)); }, "a"_a, "b"_a);
}

}  // namespace shoal
