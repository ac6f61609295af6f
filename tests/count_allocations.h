// Linked into a test program, this counts every allocation by C++ in it. The engine's own are C's
// and are not among them.
#ifndef REALWARD_TESTS_COUNT_ALLOCATIONS_H_
#define REALWARD_TESTS_COUNT_ALLOCATIONS_H_

#include <cstddef>

namespace realward {

// Since the program began, over all threads.
std::size_t AllocationCount();

}  // namespace realward

#endif  // REALWARD_TESTS_COUNT_ALLOCATIONS_H_
