/* What every part needs: the clock, and an end with one line of words. */
#ifndef DELAY_BASE_H
#define DELAY_BASE_H

#include <stdint.h>

enum { EXIT_FAILED = 1, EXIT_REFUSED = 4 };

#define NS_PER_S INT64_C(1000000000)

int64_t now_ns(void);

/* Writes one line to standard error and ends the program with this code. */
void stop(int code, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* A whole number from least to most; ends the program when the text is none. */
int64_t number(const char *name, const char *text, int64_t least, int64_t most);

#endif
