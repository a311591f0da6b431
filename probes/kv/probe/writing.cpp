#include "probe/writing.hpp"

namespace kv {

std::unique_ptr<Store> open_store(const Request& request) {
    Json options = request.engine_options;
    if (request.engine == "rocksdb") return open_rocksdb(request.folder, options);
    if (request.engine == "sqlite") return open_sqlite(request.folder, options);
    if (request.engine == "lmdb") return open_lmdb(request.folder, options);
    if (request.engine == "value_file") return open_value_file(request.folder, options);
#ifdef KV_REDB
    if (request.engine == "redb") return open_redb(request.folder, options);
#else
    if (request.engine == "redb") throw Refused("this probe was built without redb: run `make redb`");
#endif
    return nullptr;
}

Batch::Batch(const Data& data, std::uint64_t first, std::uint64_t end) {
    std::vector<std::size_t> ends;
    std::string value;
    for (std::uint64_t row = first; row < end; ++row) {
        data.value(data.key(row), value);
        bytes_ += value;
        ends.push_back(bytes_.size());
    }
    std::size_t start = 0;
    for (std::uint64_t row = first; row < end; ++row) {
        const std::size_t stop = ends[row - first];
        rows_.push_back({data.key(row), std::string_view(bytes_).substr(start, stop - start)});
        start = stop;
    }
}

}  // namespace kv
