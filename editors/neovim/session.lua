-- A session in Neovim without a screen: forwards, back, to another universe. `scripts/editors.sh neovim FOLDER` runs it.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local root = vim.fn.fnamemodify(here .. "/../..", ":p")
vim.opt.runtimepath:append(assert(vim.env.NVIM_DAP, "NVIM_DAP names a checkout of nvim-dap"))
dofile(here .. "/borges.lua")
local dap = require("dap")

local stops = {}
dap.listeners.after.event_stopped.test = function(_, body)
  table.insert(stops, body.reason)
end

local function fail(text)
  io.stderr:write("neovim: " .. text .. "\n")
  vim.cmd("cquit 1")
end

-- The next stop after what is done, and the line it is at.
local function stop(what, act)
  local known = #stops
  act()
  if not vim.wait(20000, function() return #stops > known end, 20) then
    fail(what .. ": no stop")
  end
  local line
  dap.session():request("stackTrace", { threadId = 1 }, function(problem, answer)
    line = problem and problem.message or answer.stackFrames[1].line
  end)
  vim.wait(20000, function() return line ~= nil end, 20)
  return stops[#stops], line
end

local function expect(what, found, wanted)
  if found ~= wanted then
    fail(("%s: %s, not %s"):format(what, vim.inspect(found), vim.inspect(wanted)))
  end
  print(("neovim: %s: %s"):format(what, tostring(found)))
end

local function play()
  vim.cmd("edit " .. root .. "examples/color-dial/color-dial.ts")
  vim.api.nvim_win_set_cursor(0, { 27, 0 })
  dap.set_breakpoint()
  local config = { type = "borges", request = "launch", name = "test", program = root .. "examples/color-dial/color-dial.wasm" }
  local reason, line = stop("launch", function() dap.run(config) end)
  expect("launch stops for a", reason, "breakpoint")
  expect("at line", line, 27)
  _, line = stop("back", dap.step_back)
  expect("a step back leads to line", line, 26)
  _, line = stop("on", dap.continue)
  expect("going on leads to line", line, 27)
  reason, line = stop("on", dap.continue)
  expect("the next round stops at line", line, 27)
  reason, line = stop("reverse", dap.reverse_continue)
  expect("backwards stops at line", line, 27)
  stop("jump", function() vim.cmd("BorgesJump 0.0") end)
  local answer
  dap.session():request("borges/here", {}, function(_, body) answer = body end)
  vim.wait(20000, function() return answer ~= nil end, 20)
  expect("a jump to the start leads to step", answer and answer.place.steps, 0)
  dap.terminate()
  vim.wait(5000, function() return dap.session() == nil end, 20)
end

local ok, problem = pcall(play)
if not ok then
  fail(tostring(problem))
end
vim.cmd("qall!")
