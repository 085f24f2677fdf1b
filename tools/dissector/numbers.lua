-- Arithmetic of docs/STATE-CODEC.md. Lua's numbers are doubles: whole ones are exact up to 2^53.
local M = {}
local floor, abs, min, max = math.floor, math.abs, math.min, math.max
local FRACTIONS = {
  [0] = 0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 15, 16,
}

function M.rounded(x)
  return floor(x + 0.5)
end

function M.shift(x)
  return floor(x / 64)
end

function M.clamp(x, low, high)
  return min(high, max(low, x))
end

-- Arguments that are whole and not negative.
function M.div(a, b)
  return floor(a / b)
end

function M.bit_length(n)
  local count = 0
  while n > 0 do
    n = floor(n / 2)
    count = count + 1
  end
  return count
end

-- L(n), about 16 * log2(1 + n)
function M.whole_log(n)
  local m = n + 1
  local exponent = M.bit_length(m) - 1
  return 16 * exponent + FRACTIONS[floor(m * 2 ^ (5 - exponent)) % 32]
end

function M.log(x)
  return M.whole_log(min(floor(abs(x) + 0.5), 1073741823))
end

-- Nine weights of each role, from 0 on.
function M.weights_at(age, tick_hz)
  local a = M.clamp(M.whole_log(min(floor(age * 960 / tick_hz), 2 ^ 24)) - 80, -16, 96)
  local rows = {}
  for role = 0, 5 do
    local n, w = WEIGHTS[role], {}
    for i = 0, 8 do
      w[i] = M.rounded(n[i] + (n[9 + i] * a) / 32)
    end
    w[0] = M.rounded(w[0] + (n[18] * a * a) / 1024)
    rows[role] = w
  end
  return rows
end

function M.token_start(token)
  if token < 4 then return token end
  return (2 + token % 2) * 2 ^ floor((token - 2) / 2)
end

function M.token_bits(token)
  return token < 4 and 0 or floor((token - 2) / 2)
end

-- newer - older of ticks, which count modulo 2^32
function M.tick_difference(newer, older)
  return (newer - older + 2 ^ 31) % 2 ^ 32 - 2 ^ 31
end

function M.ahead(a, b)
  return (a - b + 32768) % 65536 - 32768
end

function M.gcd(a, b)
  a, b = abs(a), abs(b)
  while b > 0 do
    a, b = b, a % b
  end
  return a
end

function M.checksum(row, width)
  local hash = 0x811c9dc5
  for column = 0, width - 1 do
    hash = bit32.bxor(hash, row[column] % 2 ^ 32)
    -- times 0x01000193, in parts that a double holds
    hash = (hash * 0x193 + (hash % 256) * 2 ^ 24) % 2 ^ 32
    hash = bit32.bxor(hash, floor(hash / 2 ^ 15))
  end
  return bit32.bxor(floor(hash / 2 ^ 16), hash) % 65536
end

return M
