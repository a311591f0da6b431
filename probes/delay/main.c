/* A round trip added between programs on one machine: see README.md.
 *
 * delay proxy HOLD_NS LISTEN TARGET [LISTEN TARGET ...]
 *   leads each client that connects to LISTEN to TARGET, both Unix sockets, and lets every byte of either direction
 *   pass HOLD_NS after it came. Prints a JSON line when it listens, obeys the lines "hold NS" and "report" with a JSON
 *   line each, and ends with its standard input.
 * delay echo LISTEN
 *   sends every byte back.
 * delay ping EXCHANGES TARGET [TARGET ...]
 *   times exchanges of one byte with each target in turn.
 * delay --version
 *
 * Exit: 0 done, 1 the system failed, 4 wrong use.
 */
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "echo.h"
#include "proxy.h"

static const char *const USE = "use: delay proxy HOLD_NS LISTEN TARGET ... | echo LISTEN | ping EXCHANGES TARGET ...";

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (count == 2 && strcmp(what, "--version") == 0) {
        puts("delay 1");
    } else if (strcmp(what, "proxy") == 0 && count >= 5 && count % 2 == 1 && (count - 3) / 2 <= DELAY_DOORS) {
        proxy_run(number("HOLD_NS", words[2], 0, DELAY_LONGEST_NS), (count - 3) / 2, words + 3);
    } else if (strcmp(what, "echo") == 0 && count == 3) {
        echo_run(words[2]);
    } else if (strcmp(what, "ping") == 0 && count >= 4 && count <= 3 + DELAY_DOORS) {
        ping_run(number("EXCHANGES", words[2], 1, 1000000), count - 3, words + 3);
    } else {
        stop(EXIT_REFUSED, "%s", USE);
    }
    return 0;
}
