-- Borges in Neovim, by nvim-dap: `:source` this, or copy it into your configuration.
local dap = require("dap")

dap.adapters.borges = { type = "executable", command = vim.env.BORGES or "borges", args = { "dap" } }

-- The program is asked for; a source of a model language is its own program.
local function program()
  local file = vim.fn.expand("%:p")
  if file:match("%.oz$") or file:match("%.at$") or file:match("%.amb$") or file:match("%.toml$") then
    return file
  end
  local beside = vim.fn.fnamemodify(file, ":r") .. ".wasm"
  return vim.fn.input("Program: ", vim.fn.filereadable(beside) == 1 and beside or vim.fn.getcwd() .. "/", "file")
end

local launch = { type = "borges", request = "launch", name = "Borges", program = program, stopOnEntry = true }
for _, kind in ipairs({ "c", "cpp", "rust", "typescript", "wasm", "oz", "ambienttalk", "amb" }) do
  dap.configurations[kind] = vim.list_extend(dap.configurations[kind] or {}, { launch })
end

-- What the protocol has no word for: steps into and out of calls backwards, other universes, commands.
local function step(direction, size)
  return function()
    local session = dap.session()
    if session then
      session:request("borges/step", { direction = direction, size = size }, function(problem)
        if problem then
          vim.notify(problem.message, vim.log.levels.WARN)
        end
      end)
    end
  end
end

vim.api.nvim_create_user_command("BorgesReverseInto", step("backward", "into"), {})
vim.api.nvim_create_user_command("BorgesReverseOut", step("backward", "out"), {})
vim.api.nvim_create_user_command("BorgesEntry", step("forward", "entry"), {})
vim.api.nvim_create_user_command("BorgesReverseEntry", step("backward", "entry"), {})
vim.api.nvim_create_user_command("BorgesJump", function(options)
  dap.session():request("borges/jump", { universe = options.args }, function(problem)
    if problem then
      vim.notify(problem.message, vim.log.levels.WARN)
    end
  end)
end, { nargs = 1 })
-- Anything that Borges' prompt knows: `:Borges paths inputs=1`, `:Borges mock chip_digital_read(14) = 1`.
vim.api.nvim_create_user_command("Borges", function(options)
  dap.session():request("borges/command", { line = options.args }, function(problem, answer)
    vim.notify(problem and problem.message or answer.text, problem and vim.log.levels.WARN or vim.log.levels.INFO)
  end)
end, { nargs = "+" })
