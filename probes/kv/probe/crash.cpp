#include "probe/crash.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include "probe/clock.hpp"
#include "probe/machine.hpp"
#include "probe/syncs.hpp"
#include "probe/turns.hpp"
#include "probe/writing.hpp"

namespace kv {
namespace {

/// Sent when a write has returned. rows: written so far; 0: the writer failed, `syncs` bytes of text follow.
struct Report {
    std::uint64_t rows, took_ns, syncs;
};

struct Failure {
    bool refused;
    std::string text;
};

std::uint64_t durable_syncs() {
    const Syncs all = syncs_so_far();
    return all.fsync + all.fdatasync + all.msync;
}

bool send(int to, const void* bytes, std::size_t count) {
    const auto* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t done = ::write(to, at, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        count -= static_cast<std::size_t>(done);
    }
    return true;
}

/// False at the end of what was sent.
bool receive(int from, void* bytes, std::size_t count) {
    auto* at = static_cast<char*>(bytes);
    while (count > 0) {
        const ssize_t done = ::read(from, at, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        count -= static_cast<std::size_t>(done);
    }
    return true;
}

void write_and_report(const Request& request, int to) {
    const auto store = open_store(request);
    const std::uint64_t opened = durable_syncs();
    const std::uint64_t rows = request.data.rows;
    const std::uint64_t size = request.batch_rows == 0 ? rows : request.batch_rows;
    for (std::uint64_t first = 0; first < rows; first += size) {
        const std::uint64_t end = std::min(first + size, rows);
        const Batch batch(request.data, first, end);
        const std::uint64_t begun = now_ns();
        store->write(batch.rows());
        const Report report{end, now_ns() - begun, durable_syncs() - opened};
        if (!send(to, &report, sizeof report)) return;
    }
    // The store stays open: closing it would make durable what a killed process leaves as it is.
    for (;;) pause();
}

[[noreturn]] void be_the_writer(const Request& request, int to) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto complain = [&](bool refused, const std::string& text) {
        const Report report{0, refused ? 1u : 0u, text.size()};
        if (send(to, &report, sizeof report)) send(to, text.data(), text.size());
    };
    try {
        write_and_report(request, to);
    } catch (const Refused& refusal) {
        complain(true, refusal.what());
    } catch (const std::exception& failure) {
        complain(false, failure.what());
    }
    _exit(1);
}

class Writer {
  public:
    /// The store is opened in the child alone: an engine's threads do not survive a fork.
    explicit Writer(const Request& request) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw Failed(std::string("no pipe: ") + std::strerror(errno));
        from_ = ends[0];
        process_ = fork();
        if (process_ == 0) {
            close(ends[0]);
            be_the_writer(request, ends[1]);
        }
        close(ends[1]);
        if (process_ < 0) {
            close(from_);
            throw Failed(std::string("no process: ") + std::strerror(errno));
        }
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
        end();
        close(from_);
    }

    /// The next report; nothing when there is none any more. Throws what the writer complained of.
    std::optional<Report> next() {
        Report report{};
        if (!receive(from_, &report, sizeof report)) return std::nullopt;
        if (report.rows > 0) return report;
        std::string text(report.syncs, '\0');
        receive(from_, text.data(), text.size());
        if (report.took_ns == 1) throw Refused(text);
        throw Failed(text);
    }

    /// kill -9. True if that is what ended it.
    bool end() {
        if (process_ <= 0) return false;
        int status = 0;
        kill(process_, SIGKILL);
        while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        process_ = 0;
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }

  private:
    pid_t process_ = 0;
    int from_ = -1;
};

}  // namespace

Measured measure_crash(Request& request, std::istream& input, std::ostream& output) {
    refuse_beyond_memory(request);
    Measured found;
    Series writes{"write.service", {}};
    Report last{0, 0, 0};
    double writing = 0;
    const auto note = [&](const Report& report) {
        writes.values.push_back(report.took_ns);
        writing += static_cast<double>(report.took_ns) / 1e9;
        last = report;
    };
    {
        Writer writer(request);
        while (writes.values.size() < request.kill_after_batches) {
            const auto report = writer.next();
            if (!report) throw Failed("the writer ended before it was killed");
            note(*report);
        }
        if (!writer.end()) throw Failed("the writer ended before it was killed");
        // What it reported before it died was acknowledged as well.
        while (const auto report = writer.next()) note(*report);
    }
    if (request.turns) {
        say_ready(output);
        if (read_turn(input)) throw Refused("workload \"crash\" takes no turns: tell it to end");
    }
    std::unique_ptr<Store> store;
    found.seconds["write"] = writing;
    std::string unreadable;  // after a loss of power that is a finding, after a mere kill a failure
    const auto note_unreadable = [&](const std::exception& why) {
        if (!request.turns) throw;
        unreadable = why.what();
    };
    found.seconds["recover"] = seconds_of([&] {
        try {
            store = open_store(request);
        } catch (const Refused&) {
            throw;
        } catch (const std::exception& why) {
            note_unreadable(why);
        }
    });
    if (!store) {
        for (const auto& left : std::filesystem::directory_iterator(request.folder)) {
            std::filesystem::remove_all(left.path());
        }
        store = open_store(request);
    }
    std::uint64_t recovered = 0;
    found.seconds["look"] = seconds_of([&] {
        std::string value, expected;
        store->begin_reads();
        for (std::uint64_t row = 0; row < last.rows; ++row) {
            const std::uint64_t key = request.data.key(row);
            bool there = false;
            try {
                there = store->get(key, value);
            } catch (const std::exception& why) {
                note_unreadable(why);
                break;
            }
            if (!there) continue;
            request.data.value(key, expected);
            if (value != expected) throw Failed("a wrong value for key " + std::to_string(key));
            ++recovered;
        }
        store->end_reads();
    });
    found.checked_reads = recovered;
    found.counters["crash"] = {{"batches", writes.values.size()}, {"acknowledged_rows", last.rows},
                               {"recovered_rows", recovered},     {"syncs", last.syncs},
                               {"engine", store->counters()},     {"memory", memory_now()}};
    if (request.turns) found.counters["crash"]["unreadable"] = unreadable;
    found.settings = {{"engine", request.engine}, {"engine_options", store->settings()}};
    found.engine_version = store->version();
    found.series.push_back(std::move(writes));
    return found;
}

}  // namespace kv
