-- Sorts lines, writes them to a file, reads them back, and answers some questions about numbers and text.
local lines = {}
for i = 1, 2000 do lines[#lines + 1] = string.format("%05d %s", i, ("x"):rep(i % tonumber(arg[1]))) end
table.sort(lines, function(a, b) return a > b end)
local file = assert(io.open("/sorted.txt", "w"))
file:write(table.concat(lines, "\n"))
file:close()
for line in io.lines("/sorted.txt") do
  if line:find("77") then io.write(line, "\n") end
end
print(#lines, _VERSION, string.pack("<i4", 77):byte(1, -1))
print(os.rename("/sorted.txt", "/moved.txt"), io.open("/sorted.txt"))
print(pcall(string.rep, "ab", 3), math.tointeger(3.0), ("%q"):format("a\n"), 2 ^ 0.5, 7 // 2, -7 % 3)
print(utf8.char(8364), select("#", table.unpack({}, 1, 5)))
