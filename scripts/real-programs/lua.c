// Lua's sources in the registry come without its command: `lua SCRIPT ARGUMENT…`.
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"
#include <stdio.h>

int main(int count, char **arguments) {
  lua_State *state = luaL_newstate();
  luaL_openlibs(state);
  lua_newtable(state);
  for (int index = 1; index < count; index++) {
    lua_pushstring(state, arguments[index]);
    lua_rawseti(state, -2, index - 1);
  }
  lua_setglobal(state, "arg");
  if (luaL_dofile(state, arguments[1])) {
    fprintf(stderr, "lua: %s\n", lua_tostring(state, -1));
    return 1;
  }
  lua_close(state);
  return 0;
}
