-- Arithmetic of docs/STATE-CODEC.md. Lua's numbers are doubles, in which integers are exact up to 2^53.
local M = {}
local floor, abs, min, max = math.floor, math.abs, math.min, math.max
function M.rounded(x)
  return floor(x + 0.5)
end

function M.clamp(x, low, high)
  return min(high, max(low, x))
end


function M.bit_length(n)
  local count = 0
  while n > 0 do
    n = floor(n / 2)
    count = count + 1
  end
  return count
end

-- The class of an expected residual: the token of its size, without an end.
function M.class_of(x)
  local size = min(M.rounded(abs(x)), 2 ^ 20)
  if size < 4 then return size end
  local top = M.bit_length(size) - 1
  return 2 * top + floor(size / 2 ^ (top - 1)) % 2
end

function M.token_start(token)
  if token < 4 then return token end
  return (2 + token % 2) * 2 ^ floor((token - 2) / 2)
end

function M.token_bits(token)
  return token < 4 and 0 or floor((token - 2) / 2)
end

-- Returns newer - older of ticks, which are counted modulo 2^32.
function M.tick_difference(newer, older)
  return (newer - older + 2 ^ 31) % 2 ^ 32 - 2 ^ 31
end

function M.ahead(a, b)
  return (a - b + 32768) % 65536 - 32768
end

function M.checksum(row, width)
  local hash = 0x811c9dc5
  for column = 0, width - 1 do
    hash = bit32.bxor(hash, row[column] % 2 ^ 32)
    -- Multiplies by 0x01000193 in parts that fit into a double.
    hash = (hash * 0x193 + (hash % 256) * 2 ^ 24) % 2 ^ 32
    hash = bit32.bxor(hash, floor(hash / 2 ^ 15))
  end
  return bit32.bxor(floor(hash / 2 ^ 16), hash) % 65536
end

return M
