// With clang's option -mtail-call, a call that must be the last thing a function does takes its place.
__attribute__((import_module("env"),import_name("chip_analog_read"))) int rd(int);
static int last(int x, int more){
  int sum = x + more;
  return sum;
}
static int count(int n, int sum){
  int left = n - 1;
  if (n == 0)
    __attribute__((musttail)) return last(sum, 100);
  __attribute__((musttail)) return count(left, sum + n);
}
int main(void){
  int a = count(rd(0), 0);
  a += count(2, a);
  return a;
}
