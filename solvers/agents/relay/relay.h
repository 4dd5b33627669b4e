/* The relay: the one program of ours in an agent's container. It speaks to the driver in frames over its own stdin and
 * stdout, and to the agent over sockets that stand in the container alone.
 *
 *   frame    kind (1 byte), 0, channel (2 bytes), size (4 bytes), big-endian; then as many bytes
 *
 *   driver   P folder: a tar for it follows         p bytes of that tar; none is its end
 *            R what to run, see agent.c             K end the agent now
 *            W the workspace, please                V verdict: exit code (1 byte), then text for whoever evaluates
 *            D bytes for a channel                  C close it, when all was written
 *   relay    H it listens                           p how unpacking went: exit code in digits
 *            O a channel was opened                 D, C as above
 *            E somebody evaluates: their words      T bytes of the workspace's tar    Z its end: exit code (1 byte)
 *            S what the agent said                  X how it ended: exit code, or -signal, or late
 *
 * Nothing here guards anything: the agent has the relay's own user id, and who counts, pays and judges is the driver.
 */
#ifndef RELAY_H
#define RELAY_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PORT 4000
#define MODEL_SOCKET "/run/heuresis/model.sock"
#define EVALUATE_SOCKET "/run/heuresis/evaluate.sock"
#define PIECE 65536u    /* bytes of a frame of ours */
#define LARGEST 1048576u /* bytes of a frame of the driver's */

struct frame {
    char kind;
    uint16_t channel;
    uint32_t size;
    unsigned char *data;
};

/* frame.c: both end the relay where the driver is gone. */
void say(char kind, unsigned channel, const void *data, size_t size);
int heard(struct frame *frame); /* 1: a whole frame; 0: not yet. Call it when stdin can be read. */
void leave(const char *why);

/* channels.c: the agent's connections to models. `watch` adds what to poll for and says how many. */
void channels_open(void);
int channels_watch(struct pollfd *fds);
void channels_turn(const struct pollfd *fds, int count);
void channels_write(unsigned channel, const void *data, size_t size);
void channels_close(unsigned channel);

/* packing.c: tars into the container and out of it. */
void put_begin(const char *folder);
void put_more(const void *data, size_t size);
void take_begin(const char *folder);
int take_watch(struct pollfd *fds);
void take_turn(void);
int packing_ended(pid_t pid, int status);

/* agent.c: the agent itself. */
void agent_run(unsigned char *data, size_t size);
void agent_kill(void);
int agent_wait(void); /* milliseconds until it is late; -1: no hurry */
int agent_watch(struct pollfd *fds);
void agent_turn(void);
void agent_ended(pid_t pid, int status);
int agent_over(void);
const char *agent_workspace(void);

/* evaluate.c: whoever calls evaluate, one after another; and that command itself. */
void evaluate_open(void);
int evaluate_watch(struct pollfd *fds);
void evaluate_turn(void);
void evaluate_told(const void *data, size_t size);
int evaluate_command(int count, char **words);

/* listen.c */
int listen_unix(const char *path);
int listen_loopback(int port);
int connect_unix(const char *path);

#endif
