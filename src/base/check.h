// A broken assumption inside the program stops it at once, naming the place. Never for user input.
#ifndef REALWARD_BASE_CHECK_H_
#define REALWARD_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define RW_CHECK(condition)                                                              \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (0)

#endif  // REALWARD_BASE_CHECK_H_
