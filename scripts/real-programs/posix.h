// What preview 1 has no call for, as it goes where nobody can do it: modes and owners of files stay, there is one user,
// no other program can be started, and a path is its own real path.
#pragma once
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline int fchmod(int fd, mode_t mode) { return 0; }
static inline int chmod(const char *path, mode_t mode) { return 0; }
static inline int fchown(int fd, uid_t owner, gid_t group) { return 0; }
static inline char *realpath(const char *path, char *resolved) {
  return resolved ? strcpy(resolved, path) : strdup(path);
}
