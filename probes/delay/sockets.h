/* Unix sockets by path. */
#ifndef DELAY_SOCKETS_H
#define DELAY_SOCKETS_H

#include <stdbool.h>

/* A non-blocking socket that listens; ends the program when there can be none. */
int listen_at(const char *path);

/* A connection, or -1 with errno: EAGAIN when the listener's queue is full and the socket does not block. */
int connect_to(const char *path, bool blocking);

/* The next client of a listener, not blocking; -1 when nobody waits. Ends the program when no descriptor is left. */
int accept_next(int listener);

/* As many descriptors as the system grants. */
void raise_descriptor_limit(void);

#endif
