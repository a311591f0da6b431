/* Preloaded into a program: makes the system calls of a store's look-ups take longer by a given time, and counts them.
 *
 * The time is spent busily, as the kernel would spend it. What was called, and for how long it was lengthened, is added
 * to a shared file. Anything missing or wrong in the variables: nothing is lengthened and nothing is counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* In the shared file, as unsigned 64-bit numbers in this order; engines/slow_calls.py reads them. */
enum { LOCKS, READS, STATES, NAMES, KINDS };
struct counts {
    _Atomic uint64_t calls[KINDS], added_ns;
};

static struct counts *counts;
static uint64_t wait_ns;

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("BENCHBOOK_CALLS_COUNTS"), *wait = getenv("BENCHBOOK_CALLS_NS");
    if (!file || !wait) return;
    int descriptor = open(file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) return;
    wait_ns = strtoull(wait, NULL, 10);
    counts = mapped;
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Before a call of this kind. */
static void lengthen(int kind) {
    if (!counts) return;
    atomic_fetch_add_explicit(&counts->calls[kind], 1, memory_order_relaxed);
    if (!wait_ns) return;
    uint64_t start = now_ns(), passed;
    do passed = now_ns() - start;
    while (passed < wait_ns);
    atomic_fetch_add_explicit(&counts->added_ns, passed, memory_order_relaxed);
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Its third argument is a number, a pointer or not there, and fits into a pointer in any case. */
#define ARGUMENT \
    va_list more; \
    va_start(more, command); \
    void *argument = va_arg(more, void *); \
    va_end(more)

int fcntl(int descriptor, int command, ...) {
    REAL(fcntl);
    ARGUMENT;
    lengthen(LOCKS);
    return real(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    REAL(fcntl64);
    ARGUMENT;
    lengthen(LOCKS);
    return real(descriptor, command, argument);
}

ssize_t pread(int descriptor, void *buffer, size_t size, off_t place) {
    REAL(pread);
    lengthen(READS);
    return real(descriptor, buffer, size, place);
}

ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t place) {
    REAL(pread64);
    lengthen(READS);
    return real(descriptor, buffer, size, place);
}

int fstat(int descriptor, struct stat *found) {
    REAL(fstat);
    lengthen(STATES);
    return real(descriptor, found);
}

int fstat64(int descriptor, struct stat64 *found) {
    REAL(fstat64);
    lengthen(STATES);
    return real(descriptor, found);
}

int stat(const char *path, struct stat *found) {
    REAL(stat);
    lengthen(NAMES);
    return real(path, found);
}

int stat64(const char *path, struct stat64 *found) {
    REAL(stat64);
    lengthen(NAMES);
    return real(path, found);
}

int access(const char *path, int mode) {
    REAL(access);
    lengthen(NAMES);
    return real(path, mode);
}
