// Copies lines from standard input to a file, and loses the file when the disk is full: it never looks at what fclose says.
//
// clang-14 --target=wasm32-wasi -O1 -g -fdebug-compilation-dir=. save-notes.c -o save-notes.wasm
// (Debian: wasi-libc, libclang-rt-14-dev-wasm32)
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int lines;

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "/data/notes.txt";
  FILE *file = fopen("/data/new.txt", "w");
  if (!file) {
    perror("fopen");
    return 2;
  }
  char line[80];
  while (fgets(line, sizeof line, stdin)) {
    lines++;
    fputs(line, file);
  }
  fclose(file);
  if (rename("/data/new.txt", path)) {
    perror("rename");
    return 3;
  }
  printf("%d lines saved in %s\n", lines, path);
  srand(time(NULL));
  return lines > 2 ? 4 : 0;
}
