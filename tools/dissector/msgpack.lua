-- Turns a msgpack value into readable text, similar to JSON.
local M = {}

local function number(bytes, at, count)
  local value = 0
  for index = at, at + count - 1 do
    local byte = bytes:byte(index)
    if not byte then error({ reason = "bad-message" }, 0) end
    value = value * 256 + byte
  end
  return value, at + count
end

local function signed(bytes, at, count)
  local value, next = number(bytes, at, count)
  if value >= 2 ^ (8 * count - 1) then value = value - 2 ^ (8 * count) end
  return value, next
end

local function float(bytes, at, count)
  if #bytes < at + count - 1 then error({ reason = "bad-message" }, 0) end
  local range = ByteArray.new(bytes:sub(at, at + count - 1), true):tvb("msgpack"):range(0, count)
  return range:float(), at + count
end

local function text(bytes, at, length)
  if #bytes < at + length - 1 then error({ reason = "bad-message" }, 0) end
  return bytes:sub(at, at + length - 1), at + length
end

local function quoted(value)
  if type(value) == "string" then return '"' .. value:gsub('["\\]', "\\%0") .. '"' end
  if type(value) == "number" and value == math.floor(value) and math.abs(value) < 2 ^ 53 then
    return string.format("%.0f", value)
  end
  if type(value) == "table" then return value.text end
  return tostring(value)
end
M.quoted = quoted

local value_at

local function array(bytes, at, count, depth)
  local parts, items = {}, {}
  for index = 1, count do
    items[index], at = value_at(bytes, at, depth + 1)
    parts[index] = quoted(items[index])
  end
  return { items = items, text = "[" .. table.concat(parts, ", ") .. "]" }, at
end

local function map(bytes, at, count, depth)
  local parts, entries = {}, {}
  for index = 1, count do
    local key, value
    key, at = value_at(bytes, at, depth + 1)
    value, at = value_at(bytes, at, depth + 1)
    entries[type(key) == "string" and key or quoted(key)] = value
    parts[index] = quoted(key) .. ": " .. quoted(value)
  end
  return { entries = entries, text = "{" .. table.concat(parts, ", ") .. "}" }, at
end

local function sized(read, bytes, at, count, depth)
  local length, next = number(bytes, at, count)
  if length > #bytes then error({ reason = "bad-message" }, 0) end
  return read(bytes, next, length, depth)
end

local function bin(bytes, at, length)
  local data, next = text(bytes, at, length)
  local hex = data:gsub(".", function(char) return string.format("%02x", char:byte()) end)
  return { text = "<" .. hex .. ">" }, next
end

local SIZED = {
  [0xc4] = { bin, 1 }, [0xc5] = { bin, 2 }, [0xc6] = { bin, 4 },
  [0xd9] = { text, 1 }, [0xda] = { text, 2 }, [0xdb] = { text, 4 },
  [0xdc] = { array, 2 }, [0xdd] = { array, 4 }, [0xde] = { map, 2 }, [0xdf] = { map, 4 },
}
local NUMBERS = {
  [0xca] = { float, 4 }, [0xcb] = { float, 8 },
  [0xcc] = { number, 1 }, [0xcd] = { number, 2 }, [0xce] = { number, 4 }, [0xcf] = { number, 8 },
  [0xd0] = { signed, 1 }, [0xd1] = { signed, 2 }, [0xd2] = { signed, 4 }, [0xd3] = { signed, 8 },
}
local CONSTANTS = { [0xc0] = { text = "nil" }, [0xc2] = false, [0xc3] = true }

function value_at(bytes, at, depth)
  local first = bytes:byte(at)
  if not first or depth > 9 then error({ reason = "bad-message" }, 0) end
  at = at + 1
  if first < 0x80 then return first, at end
  if first >= 0xe0 then return first - 256, at end
  if first < 0x90 then return map(bytes, at, first % 16, depth) end
  if first < 0xa0 then return array(bytes, at, first % 16, depth) end
  if first < 0xc0 then return text(bytes, at, first % 32) end
  if CONSTANTS[first] ~= nil then return CONSTANTS[first], at end
  if NUMBERS[first] then return NUMBERS[first][1](bytes, at, NUMBERS[first][2]) end
  if SIZED[first] then return sized(SIZED[first][1], bytes, at, SIZED[first][2], depth) end
  error({ reason = "bad-message" }, 0)
end

function M.read(bytes)
  return (value_at(bytes, 1, 0))
end

return M
