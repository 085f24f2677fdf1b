-- The fields for filters and columns. Fields of entities have the game's names.
local M = { all = {}, of = {} }
local function add(kind, name, label, ...)
  local key = "paceline." .. name
  if M.of[key] then return end
  M.of[key] = ProtoField[kind](key, label, ...)
  table.insert(M.all, M.of[key])
end

add("uint8", "class", "Class", base.DEC, CLASSES)
add("uint16", "key", "Key")
add("uint32", "update_of", "Update of entity")
add("uint16", "update", "Update")
add("string", "cell", "Cell")
add("string", "left_cell", "Cell that was left")
add("bool", "prompt", "Must not wait")
add("uint16", "participant", "Participant")
add("uint16", "sequence", "Sequence")
add("uint32", "tick", "Tick")
add("bool", "published", "Published")
add("uint16", "ack", "Ack")
add("uint32", "ack_bits", "Ack bits", base.HEX)
add("uint16", "receipt", "Receipt")
add("uint16", "bulk_receipt", "Receipt of bulk")
add("uint8", "kind", "Message", base.HEX, KINDS)
add("uint32", "length", "Length")
add("uint16", "id", "Reliable id")
add("uint8", "payload", "Payload", base.HEX, PAYLOADS)
add("string", "control", "Control message")
add("string", "type", "Type")
add("string", "value", "Value")
add("uint32", "request", "Request")
add("bool", "ok", "Answered")
add("uint16", "number", "Ping number")
add("double", "clock", "Clock, s")
add("uint16", "code", "Close code")
add("string", "reason", "Reason")
add("uint8", "stream", "Stream")
add("string", "name", "Name")
add("uint8", "tick_hz", "Ticks per second")
add("uint32", "schema_hash", "Schema hash", base.HEX)
add("bytes", "columns", "Columns")
add("bytes", "changes", "Changes of lists and maps")
add("uint32", "entities", "Entities")
add("uint32", "baseline", "Baseline tick")
add("uint16", "removed", "Removed")
add("uint16", "out_of_view", "Out of view")
add("uint16", "entity", "Entity")
add("uint16", "owner", "Owner")
add("uint8", "teleports", "Teleports")
add("bool", "checksum", "Checksum agrees")
add("string", "undecoded", "Not decoded")
add("bytes", "states", "States")

local KIND_OF = { enum = "string", string = "string", bytes = "string", flag = "bool", int = "int32", uint = "uint32" }
local AXES = { "x", "y", "z", "w" }

-- Returns the names of a leaf's values: one, or one for each axis.
function M.names(leaf)
  local count = (leaf.kind == "vec2" and 2) or (leaf.kind == "vec3" and 3) or (leaf.kind == "quat" and 4) or 0
  if count == 0 then return { leaf.path } end
  local names = {}
  for axis = 1, count do names[axis] = leaf.path .. "." .. AXES[axis] end
  return names
end

for _, definition in pairs(DEFINITIONS) do
  for _, leaves in ipairs({ definition.leaves, definition.derived }) do
    for _, leaf in ipairs(leaves) do
      for _, name in ipairs(M.names(leaf)) do
        local label = name .. (leaf.unit ~= "" and ", " .. leaf.unit or "")
        add(KIND_OF[leaf.kind] or "double", definition.name .. "." .. name, label)
      end
    end
  end
end

return M
