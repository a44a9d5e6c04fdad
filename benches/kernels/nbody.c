/* Floats (double) in structures, square roots: planets around a sun. */
#include "kernel.h"
typedef struct { double x, y, z, vx, vy, vz, mass; } body;
static body bodies[5] = {
    {0, 0, 0, 0, 0, 0, 39.47},
    {4.84, -1.16, -0.10, 0.60, 2.81, -0.02, 0.0377},
    {8.34, 4.12, -0.40, -1.01, 1.81, 0.008, 0.0113},
    {12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017},
    {15.37, -25.91, 0.17, 0.97, 0.59, -0.03, 0.0020}};
static NOINLINE void advance(double dt) {
  for (int i = 0; i < 5; i++) {
    body *a = &bodies[i];
    for (int j = i + 1; j < 5; j++) {
      body *b = &bodies[j];
      double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
      double square = dx * dx + dy * dy + dz * dz;
      double magnitude = dt / (square * __builtin_sqrt(square));
      a->vx -= dx * b->mass * magnitude;
      a->vy -= dy * b->mass * magnitude;
      a->vz -= dz * b->mass * magnitude;
      b->vx += dx * a->mass * magnitude;
      b->vy += dy * a->mass * magnitude;
      b->vz += dz * a->mass * magnitude;
    }
  }
  for (int i = 0; i < 5; i++) {
    body *a = &bodies[i];
    a->x += dt * a->vx;
    a->y += dt * a->vy;
    a->z += dt * a->vz;
  }
}
EXPORT("run") u32 run(u32 n) {
  for (u32 i = 0; i < n * 100; i++) advance(0.001);
  return (u32)(i32)(bodies[0].x * 1e9) ^ (u32)(i32)(bodies[1].y * 1e6);
}
