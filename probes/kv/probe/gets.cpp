#include "probe/gets.hpp"

#include <algorithm>

#include "probe/clock.hpp"
#include "probe/lookups.hpp"
#include "probe/machine.hpp"
#include "probe/trial.hpp"
#include "probe/turns.hpp"

namespace kv {
namespace {

class Gets : private Trial {
  public:
    explicit Gets(Request& request) : Trial(request) {}

    Measured measure(std::istream& input, std::ostream& output) {
        note("open");
        load();
        if (request_.turns) rest();
        const bool with_index = request_.without != "index" && request_.without != "both";
        const bool with_engine = request_.without != "engine" && request_.without != "both";
        Reader reader(with_index ? index_.get() : nullptr, with_engine ? store_.get() : nullptr,
                      request_.row_cache_entries);
        Lookups warming(request_, "batches", reader, store_.get());
        Lookups measured(request_, request_.timing, reader, store_.get());
        // Warm and measured draws differ but for fixed strides.
        Keys warm_keys(request_, request_.warm_pattern, random_);
        Keys keys(request_, request_.pattern, random_);
        if (request_.turns) {
            in_turns(warming, warm_keys, measured, keys, input, output);
        } else {
            at_once(warming, warm_keys, measured, keys);
        }
        Json& run = found_.counters["run"];
        run["checked_reads"] = measured.checked();
        run["row_cache_hits"] = reader.cache_hits();
        if (store_) store_->end_reads();
        found_.checked_reads = warming.checked() + measured.checked();
        found_.series = measured.take_series();
        describe();
        return std::move(found_);
    }

  private:
    /// An idle probe takes no processor, and no memory that only loading needed.
    void rest() {
        if (store_) found_.seconds["rest"] = seconds_of([&] { store_->rest(); });
        return_freed_memory();
    }

    void at_once(Lookups& warming, Keys& warm_keys, Lookups& measured, Keys& keys) {
        // Drawn before the first timed operation.
        const auto warm = warm_keys.next(request_.warm_operations);
        const auto drawn = keys.next(request_.operations);
        if (store_) store_->begin_reads();
        note("load");
        found_.seconds["warm"] = seconds_of([&] { warming.all(warm); });
        note_warm(warming);
        Tally run;
        found_.seconds["run"] = seconds_of([&] { run = measured.all(drawn); });
        note_run(run, run);
    }

    void in_turns(Lookups& warming, Keys& warm_keys, Lookups& measured, Keys& keys, std::istream& input,
                  std::ostream& output) {
        if (store_) store_->begin_reads();
        note("load");
        // Drawn in parts: an idle probe holds no keys.
        found_.seconds["warm"] = seconds_of([&] {
            for (std::uint64_t left = request_.warm_operations; left > 0;) {
                const auto some = warm_keys.next(std::min(left, request_.batch_operations));
                warming.batch(some, false);
                left -= some.size();
            }
        });
        note_warm(warming);
        measured.expect(request_.operations);
        const Turns turns = take_turns(request_, measured, keys, input, output);
        found_.seconds["run"] = turns.turning_s;
        found_.seconds["waiting"] = turns.waiting_s;
        found_.turns = turns.answers;
        note_run(turns.kept, turns.made);
    }

    void note_warm(const Lookups& warming) {
        note("warm");
        found_.counters["warm"]["row_cache_hits"] = warming.cache_hits();
    }

    void note_run(const Tally& kept, const Tally& made) {
        note("run");
        Json& run = found_.counters["run"];
        run["measured_ns"] = kept.measured_ns;
        run["operations"] = kept.operations;
        run["asked"] = made.operations;
    }
};

}  // namespace

Measured measure_gets(Request& request, std::istream& input, std::ostream& output) {
    refuse_beyond_memory(request);
    return Gets(request).measure(input, output);
}

}  // namespace kv
