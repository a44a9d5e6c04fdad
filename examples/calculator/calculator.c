// A calculator for lines like "7 3 +" (operands first), as a library: a host writes a line to input() and calls evaluate().
//
// A line that fails leaves its operands on the stack.
#define EXPORT(name) __attribute__((export_name(#name)))
#define ROOM 4

static char line[32];
static int stack[ROOM];
static int depth;

static void push(int value) {
  if (depth == ROOM) __builtin_trap();
  stack[depth++] = value;
}

static int pop(void) {
  if (depth == 0) __builtin_trap();
  return stack[--depth];
}

EXPORT(input) char *input(void) { return line; }

EXPORT(evaluate) int evaluate(int length) {
  for (int i = 0; i < length; i++) {
    char c = line[i];
    if (c >= '0' && c <= '9') {
      push(c - '0');
    } else if (c == '+') {
      push(pop() + pop());
    } else if (c == '/') {
      int by = pop();
      if (by == 0) return -1;
      push(pop() / by);
    }
  }
  return pop();
}
