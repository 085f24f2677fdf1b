-- Packets and envelopes (docs/WIRE-FORMAT.md) as trees of nodes: { field, offset, length, value, text, children }.
-- Keeps the state of each conversation, whose packets must be read once and in order.
local M = {}
local byte = string.byte

local function u16(s, at)
  local a, b = byte(s, at, at + 1)
  if not b then error({ reason = "length" }, 0) end
  return a + b * 256
end

local function u32(s, at)
  return u16(s, at) + u16(s, at + 2) * 65536
end

local function u8(s, at)
  return byte(s, at) or error({ reason = "length" }, 0)
end

local function varint(s, at)
  local value = 0
  for index = 0, 2 do
    local next = u8(s, at + index)
    value = value + (next % 128) * 128 ^ index
    if next < 128 then return value, at + index + 1 end
  end
  error({ reason = "length" }, 0)
end

-- Adds a node below another. `at` begins at 1, like positions in Lua's strings.
local function add(parent, field, at, length, value, text)
  local node = { field = field and "paceline." .. field, offset = at - 1, length = length, value = value, text = text }
  parent.children = parent.children or {}
  table.insert(parent.children, node)
  return node
end

local sessions = {}
-- Links by the key that later links of the session name: the ticket of a stripe, or the id of a resumed session.
local announced = {}

function M.link_of(credential)
  return announced[credential]
end

local function session_of(link, sender, peer)
  local key = link .. " " .. sender .. " " .. tostring(peer)
  sessions[key] = sessions[key] or { streams = {}, is_server = peer == nil }
  return sessions[key]
end

-- Forgets a participant that has left: its number may belong to another one later.
local function forget(link, number)
  for key in pairs(sessions) do
    if key:match("^(%d+) ") == tostring(link) and key:match(" (%d+)$") == tostring(number) then
      sessions[key] = nil
    end
  end
end

local function add_values(parent, plan, entity, at, length)
  local definition = plan.definition
  for _, group in ipairs(plan.declared) do
    local values, names = plans.values(plan, group, entity.row), fields.names(group.leaf)
    for index, value in ipairs(values) do
      if group.leaf.values then value = group.leaf.values[value + 1] or tostring(value) end
      if group.leaf.kind == "flag" then value = value ~= 0 end
      add(parent, definition.name .. "." .. names[index], at, length, value)
    end
  end
  for index, leaf in ipairs(plan.texts) do
    add(parent, definition.name .. "." .. leaf.path, at, length, entity.said[index])
  end
end

local function add_head(parent, head, at, length)
  add(parent, "entities", at, length, head.count)
  for _, tick in ipairs(head.ticks or {}) do add(parent, "baseline", at, length, tick) end
  for _, removal in ipairs(head.removed) do
    add(parent, removal.is_out_of_view and "out_of_view" or "removed", at, length, removal.id)
  end
end

local function add_undecoded(parent, why, head, at, length)
  add(parent, "undecoded", at, length, why)
  if head then
    add_head(parent, head, at, length)
    for _, entity in ipairs(head.entities) do add(parent, "entity", at, length, entity.id) end
  end
  add(parent, "states", at, length)
end

-- Adds the body of a state or reference, which is of a single tick. Returns a summary of one line.
local function add_states(parent, session, number, tick, s, at)
  local length = #s - at + 1
  local stream = session.streams[number]
  if length <= 0 then return "" end
  if not stream or not stream.states then
    local ok, head = pcall(States.head_of, s:sub(at), tick)
    local why = stream and stream.why or "the capture does not have the beginning of this stream"
    add_undecoded(parent, why, ok and head or nil, at, length)
    return stream and stream.name or "?"
  end
  local ok, head = pcall(stream.states.read, stream.states, s:sub(at), tick)
  if not ok then
    local why = type(head) == "table" and head.reason or tostring(head)
    if why == "no-baseline" then why = "differs from states that the capture does not have" end
    add_undecoded(parent, why, type(head) == "table" and head.head or nil, at, length)
    return stream.name .. " (not decoded)"
  end
  add_head(parent, head, at, length)
  if head.checked then add(parent, "checksum", at, length, head.agrees) end
  for _, entity in ipairs(head.entities) do
    local node = add(parent, "entity", at, length, entity.id)
    node.text = stream.name
    for _, baseline in ipairs(entity.ticks or {}) do add(node, "baseline", at, length, baseline) end
    add(node, "owner", at, length, entity.row[0])
    add(node, "teleports", at, length, entity.row[1])
    add_values(node, stream.states.plan, entity, at, length)
  end
  return stream.name .. " x" .. head.count
end

local function add_message(parent, s, at, count, first)
  local value = msgpack.read(s:sub(at))
  local items = type(value) == "table" and value.items
  if not items or #items ~= count then error({ reason = "bad-message" }, 0) end
  local name = items[first]
  if type(name) == "string" then add(parent, "type", at, #s - at + 1, name) end
  add(parent, "value", at, #s - at + 1, msgpack.quoted(items[count]))
  return items
end

-- Returns the reason why states of the stream cannot be decoded, or nil.
local function mismatch(definition, schema_hash)
  if not definition then return "the dissector was made without this kind of entity" end
  if definition.schemaHash ~= schema_hash then
    return "the dissector was made with another definition of this name"
  end
end

local function add_stream(parent, session, s, at)
  local number = u8(s, at)
  local length, text_at = varint(s, at + 1)
  local name = s:sub(text_at, text_at + length - 1)
  local next = text_at + length
  local tick_hz, schema_hash = u8(s, next), u32(s, next + 1)
  add(parent, "stream", at, 1, number)
  add(parent, "name", text_at, length, name)
  add(parent, "tick_hz", next, 1, tick_hz)
  add(parent, "schema_hash", next + 1, 4, schema_hash)
  for id_at = next + 5, #s - 1, 2 do add(parent, "entity", id_at, 2, u16(s, id_at)) end
  if not session.streams[number] then
    local definition = DEFINITIONS[name]
    local why = mismatch(definition, schema_hash)
    local states = not why and States.new(plans.of(definition, tick_hz)) or nil
    session.streams[number] = { name = name, why = why, states = states }
  end
  return "stream " .. name
end

local function add_control(parent, link, s, at)
  local value = msgpack.read(s:sub(at))
  local entries = type(value) == "table" and value.entries or {}
  local kind = type(entries.type) == "string" and entries.type or "?"
  add(parent, "control", at, #s - at + 1, kind)
  add(parent, "value", at, #s - at + 1, msgpack.quoted(value))
  if type(entries.ticket) == "string" then announced[entries.ticket] = link end
  if type(entries.sessionId) == "string" then announced[entries.sessionId] = link end
  if kind == "left" and type(entries.number) == "number" then forget(link, entries.number) end
  return kind
end

-- Functions that add a payload and return a summary of one line, by the payload's name.
local ADD_PAYLOAD = {}

function ADD_PAYLOAD.control(node, link, _, s, at)
  return add_control(node, link, s, at)
end

function ADD_PAYLOAD.command(node, _, _, s, at)
  return "command " .. tostring(add_message(node, s, at, 2, 1)[1])
end

function ADD_PAYLOAD.request(node, _, _, s, at)
  local items = add_message(node, s, at, 3, 2)
  add(node, "request", at, #s - at + 1, tonumber(items[1]) or 0)
  return "request " .. tostring(items[2])
end

function ADD_PAYLOAD.reply(node, _, _, s, at)
  local items = add_message(node, s, at, 3, 0)
  add(node, "request", at, #s - at + 1, tonumber(items[1]) or 0)
  add(node, "ok", at, #s - at + 1, items[2] == true)
  return "reply"
end

function ADD_PAYLOAD.stream(node, _, session, s, at)
  return add_stream(node, session, s, at)
end

-- Updates the sender's newest full tick: packets contain its low 16 bits.
local function hear(session, tick)
  local newest = session.newest_tick
  if not newest or (tick - newest + 2 ^ 31) % 2 ^ 32 > 2 ^ 31 then session.newest_tick = tick end
end

function ADD_PAYLOAD.reference(node, _, session, s, at)
  local number, tick = u8(s, at), u32(s, at + 1)
  hear(session, tick)
  add(node, "stream", at, 1, number)
  add(node, "tick", at + 1, 4, tick)
  return "reference " .. add_states(node, session, number, tick, s, at + 5)
end

function ADD_PAYLOAD.resync(node, _, _, s, at)
  add(node, "stream", at, 1, u8(s, at))
  for id_at = at + 1, #s - 1, 2 do add(node, "entity", id_at, 2, u16(s, id_at)) end
  return "resync"
end

function ADD_PAYLOAD.columns(node, _, _, s, at)
  add(node, "stream", at, 1, u8(s, at))
  if at == #s then return "columns?" end
  add(node, "columns", at + 1, #s - at, s:sub(at + 1))
  return "columns"
end

function ADD_PAYLOAD.changes(node, _, _, s, at)
  add(node, "stream", at, 1, u8(s, at))
  if at == #s then return "changes?" end
  add(node, "changes", at + 1, #s - at, s:sub(at + 1))
  return "changes"
end

function ADD_PAYLOAD.authority(node, _, _, s, at)
  add(node, "value", at, #s - at + 1, msgpack.quoted(msgpack.read(s:sub(at))))
  return "authority"
end

-- Functions that add a message's body, by its kind. `s` ends at the end of the message.
local ADD_BODY = {}

function ADD_BODY.state(node, _, session, tick, s, at)
  if session.is_server then
    add(node, "undecoded", at, #s - at + 1, "states of an authority are not decoded")
    return "state"
  end
  add(node, "stream", at, 1, u8(s, at))
  return "state " .. add_states(node, session, u8(s, at), tick, s, at + 1)
end

local function add_any_payload(node, link, session, s, at)
  local kind = u8(s, at)
  local payload = add(node, "payload", at, 1, kind)
  local add_payload = ADD_PAYLOAD[PAYLOADS[kind]]
  return add_payload and add_payload(payload, link, session, s, at + 1) or "payload " .. kind
end

function ADD_BODY.reliable(node, link, session, _, s, at)
  add(node, "id", at, 2, u16(s, at))
  return add_any_payload(node, link, session, s, at + 2)
end

function ADD_BODY.event(node, _, _, _, s, at)
  return "event " .. tostring(add_message(node, s, at, 2, 1)[1])
end

function ADD_BODY.input()
  return "input"
end

function ADD_BODY.ping(node, _, _, _, s, at)
  add(node, "number", at, 2, u16(s, at))
  return "ping"
end

function ADD_BODY.pong(node, _, _, _, s, at)
  add(node, "number", at, 2, u16(s, at))
  add(node, "clock", at + 2, 6, (u32(s, at + 2) + u16(s, at + 6) * 2 ^ 32) / 1e6)
  return "pong"
end

function ADD_BODY.report(node, _, _, _, s, at)
  add(node, "number", at, 2, u16(s, at))
  add(node, "received", at + 2, 2, u16(s, at + 2))
  add(node, "sent", at + 4, 2, u16(s, at + 4))
  return "report"
end

function ADD_BODY.close(node, _, _, _, s, at)
  add(node, "code", at, 2, u16(s, at))
  add(node, "reason", at + 2, #s - at - 1, s:sub(at + 2))
  return "close " .. u16(s, at)
end

local function add_body(node, kind, link, session, tick, s, at)
  local add_known = ADD_BODY[KINDS[kind]]
  return add_known and add_known(node, link, session, tick, s, at) or string.format("kind 0x%02x", kind)
end

-- Returns the tick with these low 16 bits that is nearest to the newest one.
local function tick_near(session, stamp)
  local newest = session.newest_tick or 0
  local tick = (newest + (stamp - newest + 32768) % 65536 - 32768) % 2 ^ 32
  hear(session, tick)
  return tick
end

local function has(flags, flag)
  return math.floor(flags / flag) % 2 == 1
end

-- Returns the kind of the only message (0 for a list), the tick, and the position of the messages.
local function add_header(tree, session, s, at)
  local flags = u8(s, at)
  local only, is_published = math.floor(flags / 32), has(flags, 8)
  local bytes = is_published and KINDS[only] == "state" and 1 or 2
  add(tree, "published", at, 1, is_published)
  add(tree, "sequence", at + 1, bytes, bytes == 1 and u8(s, at + 1) or u16(s, at + 1))
  at = at + 1 + bytes
  local tick
  if has(flags, 16) then
    tick = tick_near(session, u16(s, at))
    add(tree, "tick", at, 2, tick)
    at = at + 2
  end
  if has(flags, 2) then
    add(tree, "ack", at, 2, u16(s, at))
    local said, bits, next = u8(s, at + 2), 0, at + 3
    for index = 0, 3 do
      local is_said = has(said, 2 ^ index)
      bits = bits + (is_said and u8(s, next) or 255) * 256 ^ index
      if is_said then next = next + 1 end
    end
    add(tree, "ack_bits", at + 2, next - at - 2, bits)
    if has(said, 16) then
      add(tree, "bulk_receipt", next, 2, u16(s, next))
      next = next + 2
    end
    at = next
  end
  if has(flags, 4) then
    add(tree, "receipt", at, 2, u16(s, at))
    at = at + 2
  end
  return only, tick, at
end

local function read_packet(tree, link, session, s, at)
  local only, tick, next = add_header(tree, session, s, at)
  local said = {}
  while next <= #s or only > 0 do
    local kind = only > 0 and only or u8(s, next)
    local length, body_at = #s - next + 1, next
    if only == 0 then length, body_at = varint(s, next + 1) end
    local ends = body_at + length - 1
    if ends > #s then error({ reason = "length" }, 0) end
    local node = add(tree, "kind", only > 0 and at or next, ends - next + 1, kind)
    if only == 0 then add(node, "length", next + 1, body_at - next - 1, length) end
    local ok, line = pcall(add_body, node, kind, link, session, tick, s:sub(1, ends), body_at)
    if not ok then
      add(node, "undecoded", body_at, length, type(line) == "table" and line.reason or tostring(line))
      line = "malformed"
    end
    table.insert(said, line)
    next, only = ends + 1, 0
  end
  return #said > 0 and table.concat(said, ", ") or "receipt"
end

-- Reads the reliable messages of a broadcast: payloads after their lengths. The first has the number `id`.
local function read_broadcast(tree, link, session, s, at, id)
  local said = {}
  while at <= #s do
    local length, body_at = varint(s, at)
    local ends = body_at + length - 1
    if ends > #s then error({ reason = "length" }, 0) end
    local node = add(tree, "id", at, ends - at + 1, id)
    local ok, line = pcall(add_any_payload, node, link, session, s:sub(1, ends), body_at)
    if not ok then
      add(node, "undecoded", body_at, length, type(line) == "table" and line.reason or tostring(line))
      line = "malformed"
    end
    table.insert(said, line)
    id = (id + 1) % 65536
    at = ends + 1
  end
  return table.concat(said, ", ")
end

-- Returns the receivers of a broadcast, in ascending order, the numbers of their first messages, and the end position.
local function add_numbered(envelope, s, at, count)
  local peers, ids, peer = {}, {}, 0
  for index = 1, count do
    local ahead, next = varint(s, at)
    peer = peer + ahead
    peers[index], ids[index] = peer, u16(s, next)
    add(envelope, "participant", at, next - at, peer)
    add(envelope, "id", next, 2, ids[index])
    at = next + 2
  end
  return peers, ids, at
end

-- Adds the column and the row of a cell, and returns the end position.
local function add_cell(envelope, s, at, name)
  local column, middle = varint(s, at)
  local row, next = varint(s, middle)
  local function signed(number) return number % 2 == 1 and -(number + 1) / 2 or number / 2 end
  add(envelope, name, at, next - at, string.format("%d, %d", signed(column), signed(row)))
  return next
end

function M.forget_all()
  sessions, announced = {}, {}
end

-- Reads a binary message of a WebSocket into a tree of nodes, whose `line` is a summary.
function M.read(link, sender, s)
  local tree = { offset = 0, length = #s }
  local ok, said = pcall(function()
    local flags = u8(s, 1)
    if flags % 2 == 0 then return read_packet(tree, link, session_of(link, sender, nil), s, 1) end
    local envelope = add(tree, nil, 1, 1, nil, "Routing envelope")
    if has(flags, 64) then add(envelope, "prompt", 1, 1, true) end
    add(envelope, "class", 1, 1, math.floor(flags / 2) % 8)
    local at, count, more = 2, 1, 0
    if has(flags, 128) then
      more = u8(s, at)
      at = at + 1
    end
    if has(more, 8) then
      add(envelope, "key", at, 2, u16(s, at))
      at = at + 2
    end
    -- An update of one entity, with the sequence by which the server identifies it.
    if has(more, 16) then
      add(envelope, "update_of", at, 4, u32(s, at))
      add(envelope, "update", at + 4, 2, u16(s, at + 4))
      at = at + 6
    end
    -- The cell of the entities, and the one that they have left. The participants are then those who get nothing.
    if has(more, 32) then at = add_cell(envelope, s, at, "cell") end
    if has(more, 64) then at = add_cell(envelope, s, at, "left_cell") end
    if has(flags, 32) then
      count = u8(s, at)
      at = at + 1
    end
    local peers, ids, packet_at = {}, nil, at
    if has(flags, 16) then
      peers, ids, packet_at = add_numbered(envelope, s, at, count)
    else
      for index = 1, count do
        peers[index], packet_at = varint(s, at)
        add(envelope, "participant", at, packet_at - at, peers[index])
        at = packet_at
      end
    end
    envelope.length = packet_at - 1
    local line
    for index = count, 1, -1 do
      -- Every receiver's session reads the packet; only the first shows it.
      local shown = index == 1 and tree or {}
      local session = session_of(link, sender, peers[index])
      line = ids and read_broadcast(shown, link, session, s, packet_at, ids[index])
        or read_packet(shown, link, session, s, packet_at)
    end
    return line
  end)
  tree.line = ok and said or "malformed: " .. (type(said) == "table" and said.reason or tostring(said))
  return tree
end

return M
