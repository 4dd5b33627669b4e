/* An error text with control characters, which a terminal would obey if they came through.
 *
 * Must end: rejected
 */
#error "[2J]0;all is well"  right
