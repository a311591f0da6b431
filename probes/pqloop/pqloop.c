/* One prepared SELECT by key on one connection, again and again: what a request costs without an interpreter.
 *
 * pqloop CONNINFO REQUESTS KEYS SEED
 *   asks pgbench's accounts for the balance of random keys from 1 to KEYS, as `pgbench -S -M prepared` does, and
 *   compares each answer with 0. Prints one JSON line: requests, and seconds from before the first to after the last.
 * pqloop --version
 *   prints the version of libpq.
 *
 * Exit: 0 done, 1 the server failed or gave a wrong answer, 2 wrong use.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const QUERY = "SELECT abalance FROM pgbench_accounts WHERE aid = $1";
static const char *const NAME = "balance";

static double now_s(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

/* Splitmix64: one number a step, for keys that are nowhere stored. */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int number(const char *text, unsigned long long *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *value > 0 && *value <= 1000000000ULL;
}

static int prepare(PGconn *connection) {
    PGresult *result = PQprepare(connection, NAME, QUERY, 1, NULL);
    const int done = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return done;
}

static int ask(PGconn *connection, uint64_t key) {
    char text[24];
    const char *const values[1] = {text};
    snprintf(text, sizeof text, "%llu", (unsigned long long)key);
    PGresult *result = PQexecPrepared(connection, NAME, 1, values, NULL, NULL, 0);
    const int right = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1 &&
                      strcmp(PQgetvalue(result, 0, 0), "0") == 0;
    PQclear(result);
    return right;
}

int main(int count, char **words) {
    unsigned long long requests, keys, seed;
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        printf("libpq %d.%d\n", PQlibVersion() / 10000, PQlibVersion() % 10000);
        return 0;
    }
    if (count != 5 || !number(words[2], &requests) || !number(words[3], &keys) || !number(words[4], &seed)) {
        fprintf(stderr, "use: pqloop CONNINFO REQUESTS KEYS SEED, the last three from 1 to 1000000000\n");
        return 2;
    }
    PGconn *connection = PQconnectdb(words[1]);
    if (PQstatus(connection) != CONNECTION_OK || !prepare(connection)) {
        fprintf(stderr, "%s", PQerrorMessage(connection));
        PQfinish(connection);
        return 1;
    }
    uint64_t state = seed;
    const double begun = now_s();
    for (unsigned long long i = 0; i < requests; ++i) {
        const uint64_t key = next(&state) % keys + 1;
        if (!ask(connection, key)) {
            fprintf(stderr, "key %llu: wrong answer: %s\n", (unsigned long long)key, PQerrorMessage(connection));
            PQfinish(connection);
            return 1;
        }
    }
    const double seconds = now_s() - begun;
    printf("{\"requests\": %llu, \"seconds\": %.9f}\n", requests, seconds);
    PQfinish(connection);
    return 0;
}
