// A small store of keys and values, as careful programs are written: a log to which every change is appended, made shorter
// from time to time by writing a new one beside it and putting that in its place. Every call may fail, and each way of
// failing has its own exit code; whatever happens, the log is either the old one or the new one.
//
//   store set KEY VALUE | del KEY | compact
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG "/data/store.conf"
#define LOG "/data/store.log"
#define NEW "/data/store.new"

enum {
  DONE = 0,
  BAD_USAGE = 1,
  NO_CONFIG = 2,
  NO_LOG = 3,
  TOO_LARGE = 4,
  NOT_WRITTEN = 5,
  TORN = 6,         // a part of a line is in the log, and could not be taken back
  NOT_SAVED = 7,    // it is written, but may be gone after a loss of power
  NOT_COMPACTED = 8 // the log is as it was, only longer than it needs to be
};

#define KEYS 8

struct pair {
  char key[16];
  char value[32];
};

static struct pair pairs[KEYS];
static int used;

static struct {
  int keep; // lines in the log before it is made shorter
  int sync; // whether every change is brought to the disk at once
} config = {4, 1};

static int lines;

static void say(const char *what, const char *about) {
  char text[80];
  size_t n = 0;
  for (const char *p = what; *p; p++)
    text[n++] = *p;
  text[n++] = ' ';
  for (const char *p = about; *p; p++)
    text[n++] = *p;
  text[n++] = '\n';
  write(2, text, n); // there is nobody to tell when this fails
}

// Reads a whole file; its length, or -1. What a signal interrupted is read again.
static int read_file(const char *path, char *into, size_t room) {
  int file = open(path, O_RDONLY);
  if (file < 0)
    return -1;
  size_t length = 0;
  for (;;) {
    ssize_t n = read(file, into + length, room - length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      int why = errno;
      close(file);
      errno = why;
      return -1;
    }
    if (n == 0)
      break;
    length += n;
    if (length == room) {
      close(file);
      errno = EFBIG;
      return -1;
    }
  }
  close(file); // it was only read
  return length;
}

// Writes all of it; 0, or -1 after a part of it perhaps.
static int write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t n = write(file, text, length);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    text += n;
    length -= n;
  }
  return 0;
}

static struct pair *find(const char *key) {
  for (int at = 0; at < used; at++)
    if (!strcmp(pairs[at].key, key))
      return &pairs[at];
  return 0;
}

static int change(const char *key, const char *value) {
  struct pair *pair = find(key);
  if (!value) {
    if (pair)
      *pair = pairs[--used];
    return 0;
  }
  if (strlen(key) >= sizeof pair->key || strlen(value) >= sizeof pair->value)
    return -1;
  if (!pair) {
    if (used == KEYS)
      return -1;
    pair = &pairs[used++];
    strcpy(pair->key, key);
  }
  strcpy(pair->value, value);
  return 0;
}

// A line is "+key value" or "-key".
static int play(char *text) {
  for (char *line = strtok(text, "\n"); line; line = strtok(0, "\n")) {
    char *value = strchr(line, ' ');
    if (value)
      *value++ = 0;
    if (change(line + 1, line[0] == '+' ? value : 0))
      return -1;
    lines++;
  }
  return 0;
}

static size_t line_of(char *into, const char *key, const char *value) {
  size_t n = 0;
  into[n++] = value ? '+' : '-';
  for (; *key; key++)
    into[n++] = *key;
  if (value)
    into[n++] = ' ';
  for (; value && *value; value++)
    into[n++] = *value;
  into[n++] = '\n';
  return n;
}

static int append(const char *key, const char *value) {
  char line[80];
  size_t length = line_of(line, key, value);
  int file = open(LOG, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0)
    return errno == ENOENT ? NO_LOG : NOT_WRITTEN;
  struct stat before;
  if (fstat(file, &before)) {
    close(file);
    return NOT_WRITTEN;
  }
  if (write_all(file, line, length)) {
    int torn = ftruncate(file, before.st_size);
    close(file);
    return torn ? TORN : NOT_WRITTEN;
  }
  int unsaved = config.sync ? fsync(file) : 0;
  if (close(file) || unsaved)
    return NOT_SAVED;
  lines++;
  return DONE;
}

static int compact(void) {
  int file = open(NEW, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0)
    return NOT_COMPACTED;
  char text[KEYS * 56];
  size_t length = 0;
  for (int at = 0; at < used; at++)
    length += line_of(text + length, pairs[at].key, pairs[at].value);
  int failed = write_all(file, text, length) || fsync(file);
  failed |= close(file);
  if (!failed && !rename(NEW, LOG))
    return DONE;
  if (unlink(NEW) && errno != ENOENT)
    say("left behind:", NEW);
  return NOT_COMPACTED;
}

static int load(void) {
  static char text[1024];
  int length = read_file(CONFIG, text, sizeof text - 1);
  if (length < 0 && errno != ENOENT)
    return NO_CONFIG;
  for (int at = 0; at < length; at++) {
    if (text[at] == 'k')
      config.keep = text[at + 1] - '0';
    if (text[at] == 's')
      config.sync = text[at + 1] - '0';
  }
  length = read_file(LOG, text, sizeof text - 1);
  if (length < 0)
    return errno == ENOENT ? DONE : errno == EFBIG ? TOO_LARGE : NO_LOG;
  text[length] = 0;
  return play(text) ? TOO_LARGE : DONE;
}

int main(int count, char **given) {
  int is_set = count == 4 && !strcmp(given[1], "set");
  int is_del = count == 3 && !strcmp(given[1], "del");
  if (!is_set && !is_del && !(count == 2 && !strcmp(given[1], "compact")))
    return BAD_USAGE;
  int code = load();
  if (code != DONE) {
    say("cannot load", code == NO_CONFIG ? CONFIG : LOG);
    return code;
  }
  if (count > 2) {
    const char *value = is_set ? given[3] : 0;
    if (change(given[2], value))
      return TOO_LARGE;
    code = append(given[2], value);
    if (code != DONE) {
      say("cannot write", LOG);
      return code;
    }
  }
  if ((count == 2 || lines > config.keep) && (code = compact()) != DONE)
    say("cannot compact", LOG);
  return code;
}
