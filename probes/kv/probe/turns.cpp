#include "probe/turns.hpp"

#include <algorithm>
#include <string>

#include "probe/clock.hpp"

namespace kv {

void say(const Json& line, std::ostream& output) {
    output << line.dump() << std::endl;
    if (!output) throw Failed("nobody reads the answers");
}

void say_ready(std::ostream& output) { say({{"protocol", kProtocol}, {"ready", true}}, output); }

namespace {

/// Keys are drawn batch by batch, so that a turn has no bound but those it was given.
void take(const Turn& turn, Lookups& lookups, Keys& keys, std::vector<std::uint64_t>& drawn, Tally& kept,
          Tally& made) {
    while (made.measured_ns < turn.for_ns && (turn.operations == 0 || made.operations < turn.operations)) {
        std::span<std::uint64_t> some(drawn);
        if (turn.operations > 0) {
            some = some.first(std::min<std::size_t>(some.size(), turn.operations - made.operations));
        }
        keys.next(some);
        const bool keep = made.measured_ns >= turn.discard_ns;
        const Tally batch = lookups.batch(some, keep);
        if (keep) kept += batch;
        made += batch;
    }
}

}  // namespace

std::optional<Turn> read_turn(std::istream& input) {
    std::string line;
    if (!std::getline(input, line)) return std::nullopt;
    Json whole = Json::parse(line, nullptr, false);
    if (!whole.is_object()) throw Refused("a turn is no JSON object on one line");
    if (whole.contains("end")) {
        if (!take<bool>(whole, "end", true)) throw Refused("end is false: leave it out");
        refuse_rest(whole, "the end");
        return std::nullopt;
    }
    Json asked = take_object(whole, "turn");
    refuse_rest(whole, "the line of a turn");
    Turn turn;
    turn.for_ns = take_at_least(asked, "for_ns", 0, 1);
    turn.discard_ns = take<std::uint64_t>(asked, "discard_ns", 0);
    turn.operations = take<std::uint64_t>(asked, "operations", 0);
    refuse_rest(asked, "turn");
    return turn;
}

Turns take_turns(const Request& request, Lookups& lookups, Keys& keys, std::istream& input,
                 std::ostream& output) {
    Turns turns;
    std::vector<std::uint64_t> drawn(request.batch_operations);
    say_ready(output);
    for (;;) {
        std::optional<Turn> turn;
        turns.waiting_s += seconds_of([&] { turn = read_turn(input); });
        if (!turn) return turns;
        Tally kept, made;
        turns.turning_s += seconds_of([&] { take(*turn, lookups, keys, drawn, kept, made); });
        Json answer{{"operations", kept.operations},
                    {"measured_ns", kept.measured_ns},
                    {"samples", kept.samples},
                    {"all_operations", made.operations},
                    {"all_ns", made.measured_ns}};
        if (request.timing == "parts") {
            answer["index_ns"] = kept.index_ns;
            answer["engine_ns"] = kept.engine_ns;
        }
        say({{"turn", answer}}, output);
        turns.answers.push_back(std::move(answer));
        turns.kept += kept;
        turns.made += made;
    }
}

}  // namespace kv
