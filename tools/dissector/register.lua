-- Registers the protocol, its fields and its places with Wireshark.
local protocol = Proto("paceline", "Paceline")
protocol.fields = fields.all
local tcp_stream = Field.new("tcp.stream")
local offered = Field.new("http.sec_websocket_protocol")

-- The client's port and the credential of its handshake, by TCP stream. A session may have several WebSockets.
local handshakes = {}
local watcher = Proto("paceline_handshake", "Paceline's handshake")

function watcher.dissector(_, pinfo)
  local stream, protocols = tcp_stream(), offered()
  if not stream or not protocols or handshakes[stream.value] then return end
  local text = tostring(protocols.value)
  local credential = text:match("stripe%.([^%s,]+)") or text:match("resume%.([^%s,.]+)")
  -- The first one is the request, which the client sends.
  handshakes[stream.value] = { port = pinfo.src_port, credential = credential }
end
register_postdissector(watcher)

-- Returns the key of the session's link, and the sender.
local function link_of(pinfo)
  local stream = tcp_stream()
  local number = stream and stream.value or 0
  local handshake = handshakes[number]
  if not handshake then return number, pinfo.src_port end
  local sender = pinfo.src_port == handshake.port and "participant" or "server"
  return handshake.credential and packets.link_of(handshake.credential) or number, sender
end

-- Trees of the frames: Wireshark shows frames repeatedly and in any order, but states build on earlier ones.
local read = {}
-- Summaries of the frames, of all messages in each.
local lines = {}

function protocol.init()
  read, lines, handshakes = {}, {}, {}
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
    local link, sender = link_of(pinfo)
    read[key] = packets.read(link, sender, bytes)
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

-- Recognised by the subprotocol of the handshake, or by the first byte if the capture begins later.
DissectorTable.get("ws.protocol"):add("paceline.5", protocol)
protocol:register_heuristic("ws", function(tvb, pinfo, tree)
  if tvb:len() < 7 or tvb(0, 1):uint() < 0x10 or tvb(0, 1):uint() > 0x18 then return false end
  protocol.dissector(tvb, pinfo, tree)
  return true
end)
