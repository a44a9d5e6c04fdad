/* Pointers and branches: a linked list is reversed, searched and merge-sorted. */
#include "kernel.h"
typedef struct node { struct node *next; u32 key, value; } node;
static node nodes[512];
static NOINLINE node *merge(node *a, node *b) {
  node head, *tail = &head;
  while (a && b) {
    if (a->key <= b->key)
      tail->next = a, a = a->next;
    else
      tail->next = b, b = b->next;
    tail = tail->next;
  }
  tail->next = a ? a : b;
  return head.next;
}
static NOINLINE node *sort(node *list, u32 length) {
  if (length < 2) {
    if (list) list->next = 0;
    return list;
  }
  node *middle = list;
  for (u32 i = 0; i < length / 2; i++) middle = middle->next;
  node *right = sort(middle, length - length / 2);
  return merge(sort(list, length / 2), right);
}
static NOINLINE node *reverse(node *list) {
  node *done = 0;
  while (list) {
    node *next = list->next;
    list->next = done;
    done = list;
    list = next;
  }
  return done;
}
EXPORT("run") u32 run(u32 n) {
  u32 sum = 0, seed = 77;
  for (u32 round = 0; round < n; round++) {
    for (u32 i = 0; i < 512; i++) {
      nodes[i].next = i < 511 ? &nodes[i + 1] : 0;
      nodes[i].key = next_random(&seed) & 1023;
      nodes[i].value = i;
    }
    node *list = reverse(sort(reverse(nodes), 512));
    for (u32 i = 0; i < 8; i++) {
      u32 wanted = next_random(&seed) & 1023;
      for (node *p = list; p; p = p->next)
        if (p->key <= wanted) {
          sum += p->key ^ p->value;
          break;
        }
    }
  }
  return sum;
}
