/* Whoever calls evaluate, one after another: their words and the workspace go to the driver, its verdict comes back.
 *
 *   client   at most WORDS bytes, then the end       relay   exit code (1 byte), then text, then the end
 */
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORDS 500

static int listener = -1, client = -1, asked;
static char words[WORDS];
static size_t size;

void evaluate_open(void)
{
    listener = listen_unix(EVALUATE_SOCKET);
}

int evaluate_watch(struct pollfd *fds)
{
    if (agent_over() || (client >= 0 && asked))
        return 0;
    *fds = (struct pollfd){client >= 0 ? client : listener, POLLIN, 0};
    return 1;
}

void evaluate_turn(void)
{
    if (client < 0) {
        client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        asked = 0;
        size = 0;
        return;
    }
    ssize_t got = size < WORDS ? recv(client, words + size, WORDS - size, 0) : 0;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0) {
        size += (size_t)got;
        return;
    }
    asked = 1;
    say('E', 0, words, size);
    take_begin(agent_workspace());
}

void evaluate_told(const void *data, size_t length)
{
    const char *at = data;
    if (client < 0)
        return;
    while (length) { /* a verdict is short, and the client does nothing but read */
        struct pollfd room = {client, POLLOUT, 0};
        if (poll(&room, 1, 5000) <= 0)
            break;
        ssize_t done = send(client, at, length, MSG_NOSIGNAL);
        if (done <= 0)
            break;
        at += done;
        length -= (size_t)done;
    }
    close(client);
    client = -1;
}

int evaluate_command(int count, char **given)
{
    char said[WORDS + 1] = "", text[4096];
    unsigned char code = 1;
    ssize_t got;
    for (int i = 1; i < count; i++) {
        strncat(said, i > 1 ? " " : "", sizeof said - strlen(said) - 1);
        strncat(said, given[i], sizeof said - strlen(said) - 1);
    }
    int fd = connect_unix(EVALUATE_SOCKET);
    if (fd < 0 || write(fd, said, strlen(said)) < 0 || shutdown(fd, SHUT_WR) || read(fd, &code, 1) != 1) {
        fprintf(stderr, "evaluate: nobody evaluates any more\n");
        return 1;
    }
    while ((got = read(fd, text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)got, stdout);
    return code;
}
