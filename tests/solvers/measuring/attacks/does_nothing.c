/* Returns at once: a verifier that times but does not compare would take it.
 *
 * Must end: wrong
 */
#include "honest.h"

void twice(uint64_t *numbers, size_t count) { (void)numbers, (void)count; }
