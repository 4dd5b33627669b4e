/* The two regions that timekeeper and child share: how they are laid out, and nothing else is shared.
 *
 * input    read-only for the child, sealed. One page: struct order. Then the cases, `input_stride` bytes apart.
 * output   written by the child. One page: struct progress. Then the cases, `output_stride` bytes apart.
 */
#ifndef HEURESIS_REGION_H
#define HEURESIS_REGION_H

#include <stdint.h>

enum { PAGE = 4096 };
enum { OBJECT_FD = 3, INPUT_FD = 4, OUTPUT_FD = 5 }; /* what the child finds open, beside 0, 1 and 2 */

struct order {
    uint64_t input_bytes, output_bytes; /* of a whole region */
    uint64_t input_stride, output_stride;
    uint64_t cases; /* in the section that begins when the child goes on */
};

struct progress {
    uint64_t at; /* the case it works on: a hint for error texts, never believed */
};

#endif
