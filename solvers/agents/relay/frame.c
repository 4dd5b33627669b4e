/* Frames over stdin and stdout. Writing waits: the driver always reads. Reading takes what is there. */
#include "relay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static unsigned char in[8 + LARGEST];
static size_t have;

void leave(const char *why)
{
    if (why)
        fprintf(stderr, "relay: %s\n", why);
    kill(-1, SIGKILL);
    exit(why ? 1 : 0);
}

static void write_all(const unsigned char *data, size_t size)
{
    while (size) {
        ssize_t done = write(1, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            leave(NULL);
        data += done;
        size -= (size_t)done;
    }
}

void say(char kind, unsigned channel, const void *data, size_t size)
{
    const unsigned char *at = data;
    do {
        size_t part = size < PIECE ? size : PIECE;
        unsigned char head[8] = {(unsigned char)kind, 0, (unsigned char)(channel >> 8), (unsigned char)channel,
                                 (unsigned char)(part >> 24), (unsigned char)(part >> 16), (unsigned char)(part >> 8),
                                 (unsigned char)part};
        write_all(head, sizeof head);
        write_all(at, part);
        at += part;
        size -= part;
    } while (size);
}

int heard(struct frame *frame)
{
    uint32_t size = 0;
    if (have >= 8)
        size = (uint32_t)in[4] << 24 | (uint32_t)in[5] << 16 | (uint32_t)in[6] << 8 | in[7];
    if (size > LARGEST)
        leave("a frame that is too large");
    size_t want = have < 8 ? 8 : 8 + size;
    if (have < want) {
        ssize_t got = read(0, in + have, want - have);
        if (got < 0 && errno == EINTR)
            return 0;
        if (got <= 0)
            leave(NULL); /* the driver is gone, and everything here goes with it */
        have += (size_t)got;
        if (have < 8)
            return 0;
        size = (uint32_t)in[4] << 24 | (uint32_t)in[5] << 16 | (uint32_t)in[6] << 8 | in[7];
        if (size > LARGEST)
            leave("a frame that is too large");
        if (have < 8 + size)
            return 0;
    }
    *frame = (struct frame){(char)in[0], (uint16_t)(in[2] << 8 | in[3]), size, in + 8};
    have = 0;
    return 1;
}
