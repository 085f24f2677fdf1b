-- The range coder's reader: docs/STATE-CODEC.md, "The range coder".
local floor, min = math.floor, math.min
local Reader = {}
Reader.__index = Reader

function Reader.new(body)
  local self = setmetatable({ body = body, at = 1, taken = 4, range = 2 ^ 31 - 1 }, Reader)
  -- 31 bits: the stream goes on in the middle of a byte.
  local first = 0
  for _ = 1, 4 do
    first = first * 256 + self:byte()
  end
  self.code, self.bit = floor(first / 2), first % 2
  return self
end

function Reader:byte()
  local byte = self.body:byte(self.at) or 0
  self.at = self.at + 1
  return byte
end

function Reader:renew()
  while self.range < 2 ^ 23 do
    local byte = self:byte()
    self.range = self.range * 256
    self.code = self.code * 256 + self.bit * 128 + floor(byte / 2)
    self.bit = byte % 2
    self.taken = self.taken + 1
  end
end

function Reader:bits(count)
  local part = floor(self.range / 2 ^ count)
  local value = min(floor(self.code / part), 2 ^ count - 1)
  self.code, self.range = self.code - part * value, part
  self:renew()
  return value
end

function Reader:flag(chance)
  local split = floor(self.range / 16384) * chance
  local is_set = self.code < split
  if is_set then
    self.range = split
  else
    self.code, self.range = self.code - split, self.range - split
  end
  self:renew()
  return is_set
end

-- `frequencies` from index `first` on. Returns the symbol, and what it begins and ends with.
function Reader:symbol(frequencies, first, halved)
  local part = floor(self.range / 16384)
  local f = min(floor(self.code / part), 16383)
  local symbol = 0
  while frequencies[first + symbol + 1] <= f do
    symbol = symbol + 1
  end
  local from, to = frequencies[first + symbol], frequencies[first + symbol + 1]
  local is_negative = false
  if halved and symbol > 0 then
    local middle = floor((from + to) / 2)
    is_negative = f >= middle
    if is_negative then from = middle else to = middle end
  end
  self.code, self.range = self.code - part * from, part * (to - from)
  self:renew()
  return symbol, is_negative
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

function Reader:varuint()
  local count = self:bits(5)
  return count < 2 and 0 or 2 ^ (count - 1) + self:wide(count - 1) - 1
end

-- How many bytes more than there are have been taken in: 0 to 4 at the end of a sound body.
function Reader:beyond()
  return self.taken - #self.body
end

return Reader
