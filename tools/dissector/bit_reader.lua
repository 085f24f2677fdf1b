-- Reads the bits of a body and their numbers: docs/STATE-CODEC.md, "Bits" and "Sizes and residuals".
local floor = math.floor
local ESCAPE = 24
local Reader = {}
Reader.__index = Reader

-- The symbol of each code, by table, length and bits.
local CODES = {}
for table_index = 0, 39 do
  local digits, codes, code = CODE_LENGTHS[table_index], {}, 0
  for length = 1, 9 do
    codes[length] = {}
    code = code * 2
    for symbol = 0, #digits - 1 do
      if tonumber(digits:sub(symbol + 1, symbol + 1)) == length then
        codes[length][code] = symbol
        code = code + 1
      end
    end
  end
  CODES[table_index] = codes
end

function Reader.new(body)
  return setmetatable({ body = body, position = 0 }, Reader)
end

-- Returns the next bits, the highest of each byte first; after the end they are zeros.
function Reader:bits(count)
  local value = 0
  while count > 0 do
    local byte = self.body:byte(floor(self.position / 8) + 1) or 0
    local left = 8 - self.position % 8
    local taken = math.min(left, count)
    value = value * 2 ^ taken + floor(byte / 2 ^ (left - taken)) % 2 ^ taken
    self.position, count = self.position + taken, count - taken
  end
  return value
end

function Reader:flag()
  return self:bits(1) == 1
end

function Reader:symbol(table_index)
  local code = 0
  for length = 1, 9 do
    code = code * 2 + self:bits(1)
    local symbol = CODES[table_index][length][code]
    if symbol then return symbol end
  end
  error({ reason = "length" }, 0)
end

function Reader:residual(table_index, shift)
  local token, size = self:symbol(table_index)
  if token == 0 and shift == 0 then return 0 end
  if token == ESCAPE then
    local over = self:bits(5)
    if over > 1 then over = 2 ^ (over - 1) + self:wide(over - 1) end
    size = 4096 + over
  else
    size = numbers.token_start(token) * 2 ^ shift + self:bits(numbers.token_bits(token) + shift)
  end
  return self:bits(1) == 1 and -size or size
end

function Reader:wide(count)
  if count == 0 then return 0 end
  if count <= 16 then return self:bits(count) end
  local high = self:bits(count - 16)
  return high * 65536 + self:bits(16)
end

function Reader:small()
  local count = 0
  while count < 16 and self:bits(1) == 1 do
    count = count + 1
  end
  return 2 ^ count + self:wide(count) - 1
end

function Reader:is_exhausted()
  return self.position > 8 * #self.body
end

-- Returns true if less than a byte is left, and its bits are zeros.
function Reader:is_complete()
  local left = 8 * #self.body - self.position
  return left >= 0 and left < 8 and self:bits(left) == 0
end

return Reader
