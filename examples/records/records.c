// Reads a record, a digit that says how many letters its name has and the name, and calls what handles its kind.
//
// A name of more than four letters goes on behind its room.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct record {
  char name[4];
  unsigned char kind;
};

static int greet(const struct record *record) { return record->name[0] == 'a'; }
static int count(const struct record *record) { return strnlen(record->name, sizeof record->name); }
static int (*const handlers[])(const struct record *) = {greet, count};

int main(void) {
  char input[16];
  int length = read(0, input, sizeof input);
  if (length < 1 || input[0] < '0' || input[0] > '9') {
    puts("a record begins with a digit");
    return 1;
  }
  struct record record = {.kind = 1};
  int letters = input[0] - '0';
  for (int i = 0; i < letters && i + 1 < length; i++) record.name[i] = input[i + 1];
  printf("%d\n", handlers[record.kind](&record));
  return 0;
}
