#include "probe/request.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <iterator>

namespace kv {
namespace {

bool wants_turns(const Json& whole) { return whole.is_object() && whole.value("turns", Json()) == true; }

Json parse(std::istream& input) {
    std::string text;
    std::getline(input, text);
    Json whole = Json::parse(text, nullptr, false);
    if (wants_turns(whole)) return whole;
    text += '\n';
    text.append(std::istreambuf_iterator<char>(input), {});
    whole = Json::parse(text, nullptr, false);
    if (!whole.is_object()) throw Refused("the request is no JSON object");
    if (wants_turns(whole)) throw Refused("a request for turns must stand on one line");
    return whole;
}

template <typename T>
T must_take(Json& from, const char* name) {
    if (!from.contains(name)) throw Refused(std::string("the field ") + name + " is missing");
    return take<T>(from, name, T{});
}

void check_paths(const Request& request) {
    std::error_code why;
    if (!std::filesystem::is_directory(request.folder, why)) throw Refused("the folder cannot be read");
    if (!std::filesystem::is_empty(request.folder, why) || why) throw Refused("the folder is not empty");
    struct stat held{};
    if (lstat(request.samples.c_str(), &held) == 0) throw Refused("the file for the samples exists already");
    const auto parent = std::filesystem::path(request.samples).parent_path();
    if (!std::filesystem::is_directory(parent.empty() ? "." : parent, why)) {
        throw Refused("the folder of the samples cannot be read");
    }
}

void read_options(Json options, Request& request) {
    request.engine = take_one_of(options, "engine", "", {"rocksdb", "sqlite", "lmdb", "redb", "value_file", "none"});
    request.index = take_one_of(options, "index", "none",
                                {"none", "alex", "alex_simd", "alex_huge_pages", "btree", "hash",
                                 "hash_huge_pages", "sorted", "note_flat", "note_levels"});
    request.index_load = take_one_of(options, "index_load", "bulk", {"bulk", "single"});
    request.row_cache_entries = take<std::uint64_t>(options, "row_cache_entries", 0);
    if (request.engine == "none" && request.index == "none") {
        throw Refused("neither engine nor index: name at least one of them");
    }
    request.engine_options = std::move(options);
    if (request.engine == "none") refuse_rest(request.engine_options, "options");
}

void read_load(Json load, Request& request) {
    request.data.rows = must_take<std::uint64_t>(load, "rows");
    if (request.data.rows == 0) throw Refused("rows is 0: give at least 1");
    if (request.data.rows > std::uint64_t{1} << 40) throw Refused("rows is beyond 2^40: give fewer");
    request.data.random_keys = take_one_of(load, "keys", "", {"sequential", "random"}) == "random";
    request.data.value_bytes = must_take<std::uint64_t>(load, "value_bytes");
    if (request.data.value_bytes > 1 << 20) throw Refused("value_bytes is beyond 1 MiB: give fewer");
    request.data.seed = request.seed;
    request.batch_rows = must_take<std::uint64_t>(load, "batch_rows");
    request.settle = take_one_of(load, "settle", "nothing", {"nothing", "flush", "compact"});
    request.reopen = take(load, "reopen", false);
    if (request.reopen && request.engine == "none") throw Refused("reopen needs an engine");
    refuse_rest(load, "load");
}

void read_run(Json run, Request& request) {
    request.pattern = take_pattern(run);
    request.operations = must_take<std::uint64_t>(run, "operations");
    if (request.operations == 0) throw Refused("operations is 0: give at least 1");
    request.warm_operations = take<std::uint64_t>(run, "warm_operations", 0);
    request.warm_pattern = request.pattern;
    if (const auto stride = take<std::uint64_t>(run, "warm_stride", 0); stride > 0) {
        request.warm_pattern = {"stride", stride, 0};
    }
    request.timing = take_one_of(run, "timing", "batches", {"batches", "queries", "parts"});
    request.batch_operations = take_at_least(run, "batch_operations", 256, 1);
    if (request.batch_operations > 1 << 16) throw Refused("batch_operations is beyond 65536: give fewer");
    request.without = take_one_of(run, "without", "nothing", {"nothing", "engine", "index", "both"});
    request.dependent = take(run, "dependent", false);
    request.absent = take(run, "absent", false);
    request.scan_rows = take<std::uint64_t>(run, "scan_rows", 0);
    refuse_rest(run, "run");
    if (request.dependent && request.timing != "batches") throw Refused("dependent needs timing \"batches\"");
    if ((request.without == "index" || request.without == "both") && request.index == "none") {
        throw Refused("without \"index\" needs an index");
    }
    if ((request.without == "engine" || request.without == "both") && request.engine == "none") {
        throw Refused("without \"engine\" needs an engine");
    }
    if (request.absent && request.without != "nothing")
        throw Refused("absent keys need every part: leave out without");
    if (request.without == "index" && request.engine == "none")
        throw Refused("nothing would be left to measure");
    if (request.scan_rows > 0 &&
        (request.engine == "none" || request.index != "none" || request.timing == "parts" ||
         request.dependent || request.absent || request.without != "nothing")) {
        throw Refused("scan_rows needs an engine alone, present keys, and no timing \"parts\"");
    }
}

void read_mixed(Json run, Request& request) {
    Mix& mix = request.mix;
    const std::string law = take_one_of(run, "law", "", {"uniform", "zipf", "latest"});
    mix.latest = law == "latest";
    request.pattern.law = mix.latest ? "zipf" : law;
    if (request.pattern.law == "zipf") request.pattern.exponent = take_exponent(run);
    request.operations = take_at_least(run, "operations", 0, 1);
    request.warm_operations = take<std::uint64_t>(run, "warm_operations", 0);
    std::uint64_t all = 0;
    const std::pair<const char*, std::uint64_t*> shares[] = {{"read", &mix.read},
                                                             {"update", &mix.update},
                                                             {"insert", &mix.insert},
                                                             {"modify", &mix.modify},
                                                             {"scan", &mix.scan}};
    for (const auto& [name, share] : shares) {
        *share = take<std::uint64_t>(run, name, 0);
        all += *share;
    }
    mix.scan_rows = take<std::uint64_t>(run, "scan_rows", 0);
    refuse_rest(run, "run");
    if (all != 100)
        throw Refused("the shares of the kinds of operations add up to " + std::to_string(all) + ", not 100");
    if ((mix.scan > 0) != (mix.scan_rows > 0))
        throw Refused("scan_rows belongs to a share of scans, and to nothing else");
    if (request.engine == "none" || request.turns || request.reopen) {
        throw Refused("workload \"mixed\" needs an engine, takes no turns and opens its store once");
    }
}

void read_crash(Json run, Request& request) {
    const std::uint64_t rows = request.data.rows;
    const std::uint64_t size = request.batch_rows == 0 ? rows : request.batch_rows;
    const std::uint64_t batches = (rows + size - 1) / size;
    request.kill_after_batches = must_take<std::uint64_t>(run, "kill_after_batches");
    refuse_rest(run, "run");
    if (request.kill_after_batches == 0 || request.kill_after_batches > batches) {
        throw Refused("kill_after_batches is " + std::to_string(request.kill_after_batches) + " of " +
                      std::to_string(batches) + " batches: give one of them, from 1 on");
    }
    if (request.engine == "none" || request.index != "none" || request.row_cache_entries > 0 ||
        request.settle != "nothing") {
        throw Refused("workload \"crash\" needs an engine alone, and nothing settled");
    }
}

}  // namespace

std::uint64_t samples_of(const Request& request, std::uint64_t operations) {
    return request.timing == "batches" ? operations / request.batch_operations : operations;
}

Request read_request(std::istream& input) {
    Json whole = parse(input);
    const auto protocol = must_take<std::uint64_t>(whole, "protocol");
    if (protocol != kProtocol) {
        throw Refused("the request speaks protocol " + std::to_string(protocol) + ", this probe " +
                      std::to_string(kProtocol) + ": build the probe again");
    }
    Request request;
    request.folder = must_take<std::string>(whole, "folder");
    request.samples = must_take<std::string>(whole, "samples");
    request.seed = must_take<std::uint64_t>(whole, "seed");
    request.workload = must_take<std::string>(whole, "workload");
    if (request.workload != "gets" && request.workload != "mixed" && request.workload != "crash") {
        throw Refused("workload is \"" + request.workload + "\": use gets, mixed or crash");
    }
    request.turns = take(whole, "turns", false);
    check_paths(request);
    read_options(take_object(whole, "options"), request);
    read_load(take_object(whole, "load"), request);
    if (request.workload == "crash") {
        read_crash(take_object(whole, "run"), request);
    } else if (request.workload == "mixed") {
        read_mixed(take_object(whole, "run"), request);
    } else {
        read_run(take_object(whole, "run"), request);
    }
    refuse_rest(whole, "the request");
    return request;
}

}  // namespace kv
