// Says how long a lease of a minute is still good, after some work.
//
// It looks at the clock twice: once to decide, and once more for what it says.
#include <stdio.h>
#include <time.h>

int main(void) {
  time_t end = time(NULL) + 60;
  volatile int work = 1000;
  while (work > 0) work--;
  if (time(NULL) >= end) {
    puts("the lease is over");
    return 1;
  }
  unsigned left = end - time(NULL);
  printf("%u seconds left\n", left);
  return 0;
}
