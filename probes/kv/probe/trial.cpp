#include "probe/trial.hpp"

#include <algorithm>

#include "probe/clock.hpp"
#include "probe/machine.hpp"
#include "probe/reader.hpp"
#include "probe/syncs.hpp"
#include "probe/writing.hpp"

namespace kv {

Trial::Trial(Request& request)
    : request_(request),
      data_(request.data),
      random_(request.seed),
      store_(open_store(request)),
      index_(request.index == "none" ? nullptr : make_index(request.index)) {}

void Trial::load() {
    if (store_) {
        double writing = 0;
        std::uint64_t batches = 0;
        const std::uint64_t size = request_.batch_rows == 0 ? data_.rows : request_.batch_rows;
        for (std::uint64_t first = 0; first < data_.rows; first += size, ++batches) {
            const Batch batch(data_, first, std::min(first + size, data_.rows));
            writing += seconds_of([&] { store_->write(batch.rows()); });
        }
        found_.seconds["load_engine"] = writing;
        found_.counters["load"]["batches"] = batches;
        found_.seconds["settle"] = seconds_of([&] { store_->settle(request_.settle); });
        if (request_.reopen) reopen();
    }
    if (!index_) return;
    if (request_.index_load == "single") {
        found_.seconds["load_index"] = seconds_of([&] {
            for (std::uint64_t row = 0; row < data_.rows; ++row)
                index_->put(data_.key(row), marker(data_.key(row)));
        });
        return;
    }
    std::vector<alex::Entry> entries;
    entries.reserve(data_.rows);
    for (std::uint64_t row = 0; row < data_.rows; ++row)
        entries.push_back({data_.key(row), marker(data_.key(row))});
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    found_.seconds["load_index"] = seconds_of([&] { index_->load(entries); });
}

void Trial::reopen() {
    note("written");
    store_.reset();
    found_.seconds["reopen"] = seconds_of([&] { store_ = open_store(request_); });
}

void Trial::note(const char* phase) {
    Json& now = found_.counters[phase];
    if (store_) now["engine"] = store_->counters();
    if (index_) {
        const auto bytes = index_->bytes();
        now["index"] = {{"bytes", bytes ? Json(*bytes) : Json(nullptr)}, {"shape", index_->shape()}};
    }
    const Syncs syncs = syncs_so_far();
    now["syncs"] = {{"fsync", syncs.fsync},
                    {"fdatasync", syncs.fdatasync},
                    {"msync", syncs.msync},
                    {"sync_file_range", syncs.sync_file_range}};
    now["memory"] = memory_now();
    now["measured_ns"] = 0;
}

void Trial::describe() {
    found_.settings = {{"engine", request_.engine},
                       {"index", request_.index},
                       {"index_load", request_.index_load},
                       {"row_cache_entries", request_.row_cache_entries},
                       {"engine_options", store_ ? store_->settings() : Json::object()}};
    found_.engine_version = store_ ? store_->version() : "1";
}

}  // namespace kv
