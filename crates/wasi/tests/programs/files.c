// Works with files as C programs do: stdio, seeking, directories, errors. Its output says all that it saw.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int ok, const char *what) {
  if (!ok) {
    printf("%s: %s\n", what, strerror(errno));
    exit(1);
  }
}

// A failure that is expected: which error?
static void fails(int result, const char *what) {
  printf("%s: %s\n", what, result < 0 ? strerror(errno) : "did not fail");
}

static int by_name(const void *one, const void *other) {
  return strcmp(*(char *const *)one, *(char *const *)other);
}

static void list(const char *path) {
  DIR *dir = opendir(path);
  must(dir != NULL, path);
  char *names[64];
  int count = 0;
  for (struct dirent *entry; (entry = readdir(dir)) && count < 64;)
    names[count++] = strdup(entry->d_name);
  closedir(dir);
  qsort(names, count, sizeof *names, by_name);
  printf("%s:", path);
  for (int i = 0; i < count; i++) {
    printf(" %s", names[i]);
    free(names[i]);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  printf("%d arguments:", argc - 1);
  for (int i = 1; i < argc; i++)
    printf(" [%s]", argv[i]);
  printf("\nHOME=%s\n", getenv("HOME") ? getenv("HOME") : "(none)");

  // Numbers from standard input, written to a file and added up from there.
  must(mkdir("/data/out", 0777) == 0, "mkdir");
  FILE *file = fopen("/data/out/numbers.bin", "w+b");
  must(file != NULL, "fopen");
  int number, count = 0;
  while (scanf("%d", &number) == 1) {
    must(fwrite(&number, sizeof number, 1, file) == 1, "fwrite");
    count++;
  }
  rewind(file);
  long sum = 0;
  while (fread(&number, sizeof number, 1, file) == 1)
    sum += number;
  printf("%d numbers, sum %ld\n", count, sum);
  must(fseek(file, -4, SEEK_END) == 0, "fseek");
  must(fread(&number, sizeof number, 1, file) == 1, "fread");
  printf("last %d at %ld\n", number, ftell(file));
  fclose(file);

  // Holes, truncation, appending.
  int fd = open("/data/out/holes", O_CREAT | O_RDWR | O_EXCL, 0666);
  must(fd >= 0, "open");
  must(lseek(fd, 9000, SEEK_SET) == 9000, "lseek");
  must(write(fd, "end", 3) == 3, "write");
  must(pwrite(fd, "middle", 6, 5000) == 6, "pwrite");
  char buffer[8] = {0};
  must(pread(fd, buffer, 7, 4999) == 7, "pread");
  printf("at 4999: %d %s\n", buffer[0], buffer + 1);
  must(ftruncate(fd, 5003) == 0, "ftruncate");
  struct stat status;
  must(fstat(fd, &status) == 0, "fstat");
  printf("size %lld, links %d\n", (long long)status.st_size, (int)status.st_nlink);
  close(fd);
  file = fopen("/data/out/holes", "a");
  fputs("appended", file);
  fclose(file);

  must(link("/data/out/holes", "/data/out/again") == 0, "link");
  must(symlink("out/again", "/data/way") == 0, "symlink");
  ssize_t len = readlink("/data/way", buffer, sizeof buffer);
  printf("the link says %.*s\n", (int)len, buffer);
  must(stat("/data/way", &status) == 0, "stat");
  printf("through it: size %lld, links %d\n", (long long)status.st_size, (int)status.st_nlink);
  must(lstat("/data/way", &status) == 0, "lstat");
  printf("itself: %s\n", S_ISLNK(status.st_mode) ? "a link" : "no link");

  must(rename("/data/out/numbers.bin", "/data/out/integers.bin") == 0, "rename");
  list("/data");
  list("/data/out");
  list("/data/in");

  fails(open("/data/none", O_RDONLY), "open what is not there");
  fails(open("/data/out/holes", O_CREAT | O_EXCL | O_WRONLY, 0666), "create what is there");
  fails(open("/data/out", O_WRONLY), "write to a directory");
  fails(open("/data/out/holes/x", O_RDONLY), "a file as a directory");
  fails(rmdir("/data/out"), "remove a full directory");
  fails(unlink("/data/out"), "unlink a directory");
  fails(rename("/data/out", "/data/out/inner"), "a directory into itself");
  fails(open("/data/../etc/passwd", O_RDONLY), "out of the folder");
  fails(mkdir("/data/in", 0777), "make what is there");
  fails(read(99, buffer, 1), "read from nothing");
  fails((int)lseek(0, -1, SEEK_SET), "seek in standard input");
  must(unlink("/data/in/old.txt") == 0, "unlink");
  fprintf(stderr, "done\n");
  return sum % 7 == 0 ? 3 : 4;
}
