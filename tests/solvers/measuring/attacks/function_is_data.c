/* Has data in place of the function.
 *
 * Must end: crash
 */
#include <stdint.h>

uint64_t twice[512];
