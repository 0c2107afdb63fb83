// Roll-up: the frequency set of a node from that of any node below it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "shoal/frequency_set.hpp"
#include "shoal/stop.hpp"

namespace shoal {

// A node with at most `max_cells` cells, and at most `max_sparsity` times as many as its source has
// tuples, is kept dense.
constexpr std::size_t max_cells = std::size_t{1} << 20;
constexpr std::size_t max_sparsity = 24;

// The keys of a set as they are at some node, kept so that the next node only changes the columns that differ.
template <int Words>
struct Projection {
    Buffer<Key<Words>> keys;
    Node node;
    bool filled = false;
};

// Rolls up for one thread; it owns the scratch memory that this takes.
template <int Words, class Count>
class Roller {
public:
    using Set = FrequencySet<Words, Count>;

    Roller(const Hierarchies& hierarchies, const KeyLayout& layout, Arena& arena, const Stop& stop)
        : hierarchies_(hierarchies), layout_(layout), arena_(arena), stop_(stop) {}

    // `target` is overwritten and its buffers are used again where they are large enough; its contents stay as
    // they are. A projection belongs to one `from`; it serves sparse targets, and dense ones leave it as it is.
    void roll(const Set& from, const Node& to, Set& target, Projection<Words>* projection = nullptr);
    // From now on, remember where tuples went that were rolled up from a sparse set into a sparse set.
    void track() noexcept { tracks_ = true; }
    // Where each class of `from` went in the set that was rolled up last, which is `target`.
    std::span<const std::uint32_t> places(const Set& from, const Set& target);
    // The keys of some classes of `from`, by their number, as they are at a node.
    void raise_keys(const Set& from, const Node& to, std::span<const std::uint32_t> classes, Key<Words>* out);
    // Whether that gives a dense set.
    bool dense_at(const Set& from, const Node& to) const noexcept {
        return from.dense ||
               dense_cells(hierarchies_, to, max_cells) <= std::min(max_cells, max_sparsity * from.size);
    }

private:
    // A table look-up over a few neighbouring columns of a key at once.
    template <class Value>
    struct Lookup {
        unsigned word;
        unsigned shift;
        std::uint64_t mask;
        const Value* table;
    };
    template <class Value>
    struct Lookups {
        std::vector<Value> storage;
        std::vector<Lookup<Value>> list;
    };

    template <class Value, class Contribution>
    void build(Lookups<Value>& lookups, const Node& from, std::size_t keys, Contribution contribution);
    void build_cells(const Node& from, const Node& to, std::size_t keys);

    void dense_to_dense(const Set& from, const Node& to, Set& target);
    void sparse_to_dense(const Set& from, const Node& to, Set& target);
    void sparse_to_sparse(const Set& from, const Node& to, Set& target, Projection<Words>* projection);

    void prepare_map(const Node& from, std::size_t keys, const Node& current, const Node& to);
    void map(const Key<Words>* keys, const Key<Words>* current, Key<Words>* out, std::size_t size);
    template <class Mapped>
    std::size_t group_runs(const Set& from, const Node& to, Set& target, const Mapped& mapped);
    std::size_t merge_neighbours(const Key<Words>* keys, const Count* counts, std::size_t size, Set& target);
    // A block of tuples that are grouped, and where the groups go: `first` is the place of the first of them.
    struct Block {
        const Key<Words>* keys;
        const Count* counts;
        std::size_t size;
        Key<Words>* keys_out;
        Count* counts_out;
        std::size_t first;
        std::uint32_t* places;  // of each tuple, where these are tracked
    };
    template <class Index>
    std::size_t group(const Block& block);
    template <class Index, bool tracks>
    std::size_t group_as(const Block& block);
    std::size_t partition_and_group(const Block& block);

    const Hierarchies& hierarchies_;
    const KeyLayout& layout_;
    Arena& arena_;
    const Stop& stop_;

    Lookups<std::uint32_t> cell_lookups_;
    Lookups<std::uint64_t> key_lookups_;
    std::array<Buffer<Count>, 2> dense_scratch_;
    Key<Words> unchanged_{};  // the bits of a key that a roll-up leaves as they are
    Buffer<Key<Words>> mapped_;
    std::tuple<Buffer<std::uint16_t>, Buffer<std::uint32_t>> slots_, losers_, owners_;
    Buffer<Count> sums_;
    Buffer<Key<Words>> partition_keys_;
    Buffer<Count> partition_counts_;
    Buffer<std::uint32_t> partition_indices_, partition_places_;
    bool tracks_ = false;
    Buffer<std::uint32_t> places_;
};

}  // namespace shoal
