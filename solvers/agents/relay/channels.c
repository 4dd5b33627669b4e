/* The agent's connections to models: bytes to the driver, and bytes back, kept where the agent does not read them yet.
 * One that lets more than MOST pile up is closed. */
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHANNELS 64
#define MOST (40u << 20)

struct channel {
    int fd, closing;
    unsigned id;
    unsigned char *data;
    size_t size, done, room;
};

static struct channel channels[CHANNELS];
static int listeners[2];
static unsigned last;

void channels_open(void)
{
    for (int i = 0; i < CHANNELS; i++)
        channels[i].fd = -1;
    listeners[0] = listen_unix(MODEL_SOCKET);
    listeners[1] = listen_loopback(PORT);
}

static struct channel *find(unsigned id)
{
    for (int i = 0; i < CHANNELS; i++)
        if (channels[i].fd >= 0 && channels[i].id == id)
            return &channels[i];
    return NULL;
}

static struct channel *unused(void)
{
    for (int i = 0; i < CHANNELS; i++)
        if (channels[i].fd < 0)
            return &channels[i];
    return NULL;
}

static void end(struct channel *channel, int tell)
{
    close(channel->fd);
    free(channel->data);
    if (tell)
        say('C', channel->id, NULL, 0);
    *channel = (struct channel){.fd = -1};
}

int channels_watch(struct pollfd *fds)
{
    int count = 0;
    for (int i = 0; i < 2 && unused(); i++)
        fds[count++] = (struct pollfd){listeners[i], POLLIN, 0};
    for (int i = 0; i < CHANNELS; i++)
        if (channels[i].fd >= 0)
            fds[count++] = (struct pollfd){channels[i].fd,
                                           (short)((channels[i].closing ? 0 : POLLIN) |
                                                   (channels[i].done < channels[i].size ? POLLOUT : 0)), 0};
    return count;
}

static void take_in(int listener)
{
    struct channel *channel = unused();
    int fd = channel ? accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
    if (fd < 0)
        return;
    do
        last = last % 65535 + 1;
    while (find(last));
    *channel = (struct channel){.fd = fd, .id = last};
    say('O', last, NULL, 0);
}

static void flush(struct channel *channel)
{
    while (channel->done < channel->size) {
        ssize_t sent = send(channel->fd, channel->data + channel->done, channel->size - channel->done, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent <= 0) {
            end(channel, !channel->closing);
            return;
        }
        channel->done += (size_t)sent;
    }
    channel->done = channel->size = 0;
    if (channel->closing)
        end(channel, 0);
}

static void turn(struct channel *channel, short events)
{
    static unsigned char data[PIECE];
    if (events & POLLOUT)
        flush(channel);
    if (channel->fd < 0 || !(events & (POLLIN | POLLHUP | POLLERR)))
        return;
    if (channel->closing) { /* it hung up before it had read everything */
        if (events & (POLLHUP | POLLERR))
            end(channel, 0);
        return;
    }
    ssize_t got = recv(channel->fd, data, sizeof data, 0);
    if (got > 0)
        say('D', channel->id, data, (size_t)got);
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        end(channel, 1);
}

void channels_turn(const struct pollfd *fds, int count)
{
    for (int i = 0; i < count; i++) {
        if (!fds[i].revents)
            continue;
        if (fds[i].fd == listeners[0] || fds[i].fd == listeners[1]) {
            take_in(fds[i].fd);
            continue;
        }
        for (int j = 0; j < CHANNELS; j++)
            if (channels[j].fd == fds[i].fd) {
                turn(&channels[j], fds[i].revents);
                break;
            }
    }
}

void channels_write(unsigned id, const void *data, size_t size)
{
    struct channel *channel = find(id);
    if (!channel || channel->closing)
        return;
    if (channel->size + size > channel->room) {
        size_t room = 2 * (channel->size + size);
        unsigned char *more = room > MOST ? NULL : realloc(channel->data, room);
        if (!more) {
            end(channel, 1);
            return;
        }
        channel->data = more;
        channel->room = room;
    }
    memcpy(channel->data + channel->size, data, size);
    channel->size += size;
    flush(channel);
}

void channels_close(unsigned id)
{
    struct channel *channel = find(id);
    if (!channel)
        return;
    channel->closing = 1;
    flush(channel);
}
