/* Boost's radix sort from the highest digit. */
#include <cstddef>
#include <cstdint>

#include <boost/sort/spreadsort/integer_sort.hpp>

extern "C" void radix_sort(std::uint32_t *keys, std::size_t n)
{
    boost::sort::spreadsort::integer_sort(keys, keys + n);
}
