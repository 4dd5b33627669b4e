/* The relay's own turn; called as evaluate, that command. See relay.h. */
#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void child(int signal_number)
{
    (void)signal_number; /* it only ends the wait */
}

static void obey(struct frame *frame)
{
    char folder[4096];
    size_t length = frame->size < sizeof folder - 1 ? frame->size : sizeof folder - 1;
    memcpy(folder, frame->data, length);
    folder[length] = 0;
    switch (frame->kind) {
    case 'P': put_begin(folder); break;
    case 'p': put_more(frame->data, frame->size); break;
    case 'R': agent_run(frame->data, frame->size); break;
    case 'K': agent_kill(); break;
    case 'W': take_begin(folder); break;
    case 'V': evaluate_told(frame->data, frame->size); break;
    case 'D': channels_write(frame->channel, frame->data, frame->size); break;
    case 'C': channels_close(frame->channel); break;
    default: leave("a frame of no kind");
    }
}

static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (!packing_ended(pid, status))
            agent_ended(pid, status);
}

static void serve(const sigset_t *waiting)
{
    static struct pollfd fds[128];
    struct frame frame;
    for (;;) {
        int milliseconds = agent_wait(), count = 0;
        struct timespec most = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
        fds[count++] = (struct pollfd){0, POLLIN, 0};
        int taking = take_watch(fds + count), take = count;
        count += taking;
        int speaking = agent_watch(fds + count), output = count;
        count += speaking;
        int evaluating = evaluate_watch(fds + count), evaluate = count;
        count += evaluating;
        int first = count;
        count += channels_watch(fds + count);
        int ready = ppoll(fds, (nfds_t)count, milliseconds < 0 ? NULL : &most, waiting);
        if (ready < 0 && errno != EINTR)
            leave("poll failed");
        reap();
        if (ready <= 0)
            continue;
        if (taking && fds[take].revents)
            take_turn();
        if (speaking && fds[output].revents)
            agent_turn();
        if (evaluating && fds[evaluate].revents)
            evaluate_turn();
        channels_turn(fds + first, count - first);
        if (fds[0].revents && heard(&frame))
            obey(&frame);
    }
}

int main(int count, char **words)
{
    const char *name = strrchr(words[0], '/');
    if (!strcmp(name ? name + 1 : words[0], "evaluate"))
        return evaluate_command(count, words);
    struct sigaction action = {.sa_handler = child};
    sigset_t blocked, waiting;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &waiting);
    sigaction(SIGCHLD, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_DUMPABLE, 0); /* an agent that plays with it by accident gets nowhere */
    channels_open();
    evaluate_open();
    say('H', 0, NULL, 0);
    serve(&waiting);
}
