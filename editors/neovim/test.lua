-- Drives the configuration of docs/EDITORS.md in a headless Neovim (scripts/editors-test); works from 0.7 on.
local stet, file = arg[1], arg[2]
local client
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = { "*.bpl", "*.dfy", "*.pl" }, callback = function(event)
  client = client or vim.lsp.start_client({ name = "stet", cmd = { stet, "lsp", "--cache", "off" } })
  vim.lsp.buf_attach_client(event.buf, client)
end })

local function fail(what)
  io.stderr:write("failed: " .. what .. "\n")
  os.exit(1)
end

local function expect(what, probe)
  if not vim.wait(120000, probe, 50) then fail(what) end
  print("ok: " .. what)
end

vim.cmd("edit " .. file)
expect("a diagnostic is shown", function() return #vim.diagnostic.get(0) == 1 end)
local found = vim.diagnostic.get(0)[1]
if found.code ~= "verify/postcondition" then fail("its code is " .. tostring(found.code)) end
if found.lnum ~= 4 then fail("its line is " .. found.lnum) end
vim.api.nvim_buf_set_text(0, 3, 7, 3, 8, { "1" })
expect("it goes away after an edit", function() return #vim.diagnostic.get(0) == 0 end)
os.exit(0)
