-- What Wireshark sees: the protocol, its fields, and where it is found.
local protocol = Proto("paceline", "Paceline")
protocol.fields = fields.all
local tcp_stream = Field.new("tcp.stream")

-- Frames are shown again and in any order, but states build on each other: what was read is kept.
local read = {}
-- What to say of a frame, of all the messages in it.
local lines = {}

function protocol.init()
  read, lines = {}, {}
  packets.forget_all()
end

local function show(parent, node, tvb)
  local range = tvb(node.offset, node.length)
  local item
  if not node.field then
    item = parent:add(protocol, range, node.text)
  elseif node.value == nil then
    item = parent:add(fields.of[node.field], range)
  else
    item = parent:add(fields.of[node.field], range, node.value)
    if node.text then item:append_text(" " .. node.text) end
  end
  for _, child in ipairs(node.children or {}) do show(item, child, tvb) end
end

function protocol.dissector(tvb, pinfo, tree)
  local bytes = tvb:raw(0, tvb:len())
  local key = pinfo.number .. " " .. bytes
  if not read[key] and not pinfo.visited then
    local stream = tcp_stream()
    read[key] = packets.read(stream and stream.value or 0, pinfo.src_port, bytes)
    local before = lines[pinfo.number]
    lines[pinfo.number] = (before and before .. ", " or "") .. read[key].line
  end
  local known = read[key]
  if not known then return 0 end
  pinfo.cols.protocol = "Paceline"
  pinfo.cols.info = lines[pinfo.number]
  local root = tree:add(protocol, tvb())
  root:append_text(": " .. known.line)
  for _, node in ipairs(known.children or {}) do show(root, node, tvb) end
  return tvb:len()
end

-- By the subprotocol of the handshake; where a capture begins later, by the first byte.
DissectorTable.get("ws.protocol"):add("paceline.1", protocol)
protocol:register_heuristic("ws", function(tvb, pinfo, tree)
  if tvb:len() < 7 or tvb(0, 1):uint() < 0x10 or tvb(0, 1):uint() > 0x18 then return false end
  protocol.dissector(tvb, pinfo, tree)
  return true
end)
