/* Google Highway's vectorised quicksort. */
#include <cstddef>
#include <cstdint>

#include <hwy/contrib/sort/vqsort.h>

extern "C" void radix_sort(std::uint32_t *keys, std::size_t n)
{
    static hwy::Sorter sorter;
    sorter(keys, n, hwy::SortAscending());
}
