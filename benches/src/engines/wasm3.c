/* A narrow interface to wasm3: load a module, call its `run`. */
#include "m3_env.h"
#include "wasm3.h"

typedef struct {
  IM3Environment environment;
  IM3Runtime runtime;
  IM3Function run;
} instance;

const char *borges_wasm3_version(void) { return M3_VERSION; }

/* NULL on success, else what went wrong. `bytes` must outlive the instance. */
const char *borges_wasm3_load(instance *it, const uint8_t *bytes, uint32_t length) {
  it->environment = m3_NewEnvironment();
  it->runtime = m3_NewRuntime(it->environment, 1 << 20, NULL);
  IM3Module module;
  M3Result result = m3_ParseModule(it->environment, &module, bytes, length);
  if (!result) result = m3_LoadModule(it->runtime, module);
  if (!result) result = m3_FindFunction(&it->run, it->runtime, "run");
  return result;
}

const char *borges_wasm3_run(instance *it, uint32_t n, uint32_t *sum) {
  M3Result result = m3_CallV(it->run, n);
  if (!result) result = m3_GetResultsV(it->run, sum);
  return result;
}
