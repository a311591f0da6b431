#include "base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int64_t now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (int64_t)at.tv_sec * NS_PER_S + at.tv_nsec;
}

void stop(int code, const char *format, ...) {
    va_list words;
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fputc('\n', stderr);
    exit(code);
}

int64_t number(const char *name, const char *text, int64_t least, int64_t most) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most) {
        stop(EXIT_REFUSED, "%s is %s, not a whole number from %lld to %lld", name, text, (long long)least,
             (long long)most);
    }
    return value;
}
