-- Reads bodies of states and keeps the decoded states: docs/STATE-CODEC.md, "A packet's body". One kind per stream.
local HISTORY = 128
local difference = numbers.tick_difference
local States = {}
States.__index = States

function States.new(plan)
  return setmetatable({ plan = plan, entities = {}, ended = {} }, States)
end

-- Raises a table with the documents' name of the fault.
local function drop(reason, head)
  error({ reason = reason, head = head }, 0)
end

local function consecutive(coder, tick)
  local newest = (tick - coder:small() - 1) % 2 ^ 32
  return { newest, (newest - 1) % 2 ^ 32, (newest - 2) % 2 ^ 32 }
end

local function baselines(coder, tick)
  if not coder:flag() then return nil end
  local ticks = consecutive(coder, tick)
  if coder:flag() then return ticks end
  ticks[2], ticks[3] = nil, nil
  for index = 2, 3 do
    local gap = coder:small()
    if gap == 0 then break end
    ticks[index] = (ticks[index - 1] - gap) % 2 ^ 32
  end
  return ticks
end

local function ownership(coder)
  if not coder:flag() then return 0, 0 end
  return coder:bits(16), coder:bits(8)
end

local function short_heads(coder, tick, count)
  local heads, last = {}, -1
  for coded = 1, count do
    last = last + 1 + 4 * coder:small()
    last = last + coder:bits(2)
    local exponent = coder:bits(4)
    local age = 2 ^ exponent + coder:bits(exponent)
    if coder:is_exhausted() or last > 65535 then drop("length") end
    heads[coded] = { id = last, ticks = { (tick - age) % 2 ^ 32 } }
  end
  return heads
end

local function listed_heads(coder, tick, count, shared)
  local heads, last = {}, -1
  for coded = 0, count - 1 do
    if coder:flag() then
      last = last + 1
    else
      last = last + 2 + coder:small()
    end
    if coder:is_exhausted() or last > 65535 then drop("length") end
    local head = { id = last, ticks = shared }
    heads[coded + 1] = head
    if not (shared and coder:flag()) then
      if not shared or coder:flag() then
        head.ticks = nil
        if not coder:flag() and coder:small() ~= 0 then drop("unknown-entity") end
        head.owner, head.teleports = ownership(coder)
      else
        if not coder:flag() then head.ticks = baselines(coder, tick) end
        if not coder:flag() then head.owner, head.teleports = ownership(coder) end
      end
    end
  end
  return heads
end

local function uniform_heads(coder, count, ticks)
  local first, heads = coder:small(), {}
  for index = 0, count - 1 do
    heads[index + 1] = { id = first + index, ticks = ticks }
  end
  return heads
end

local function read_head(coder, tick)
  local head = { removed = {} }
  local is_plain = coder:flag()
  local is_short = not is_plain and coder:flag()
  head.count = coder:small() + ((is_plain or is_short) and 1 or 0)
  if head.count > 4096 then drop("too-long") end
  if is_short then
    head.entities = short_heads(coder, tick, head.count)
    return head
  end
  if is_plain then
    head.ticks = consecutive(coder, tick)
    head.entities = uniform_heads(coder, head.count, head.ticks)
    return head
  end
  head.ticks = baselines(coder, tick)
  if coder:flag() then
    for _ = 1, math.min(coder:small(), 4096) do
      table.insert(head.removed, { id = coder:bits(16), is_out_of_view = coder:flag() })
      if coder:is_exhausted() then drop("length") end
    end
  end
  if coder:flag() then
    head.checked, head.checksum = coder:small(), coder:bits(16)
    if head.checked >= head.count then drop("bad-message") end
  end
  if head.ticks and coder:flag() then
    head.entities = uniform_heads(coder, head.count, head.ticks)
  else
    head.entities = listed_heads(coder, tick, head.count, head.ticks)
  end
  return head
end

function States:row(id, tick)
  local entity = self.entities[id]
  local kept = entity and entity.rows[tick % HISTORY]
  return kept and kept.tick == tick and kept or nil
end

function States:resolve(head)
  for _, entity in ipairs(head.entities) do
    if entity.ticks then
      if not self.entities[entity.id] then drop("unknown-entity", head) end
      entity.rows = {}
      for index, tick in ipairs(entity.ticks) do
        local kept = self:row(entity.id, tick)
        if not kept then drop("no-baseline", head) end
        entity.rows[index] = kept.row
        if index == 1 then entity.texts = kept.texts end
      end
      if not entity.owner then entity.owner, entity.teleports = entity.rows[1][0], entity.rows[1][1] end
    end
  end
end

-- `marks`: the changed texts of an entity that has baselines.
function States:texts(coder, before, marks)
  local texts = {}
  for index, leaf in ipairs(self.plan.texts) do
    if marks and not marks[index].changed then
      texts[index] = before[index]
    else
      local length, bytes = coder:bits(numbers.bit_length(leaf.maxBytes)), {}
      if length > leaf.maxBytes then drop("out-of-range") end
      for at = 1, length do bytes[at] = string.char(coder:bits(8)) end
      texts[index] = table.concat(bytes)
    end
  end
  return texts
end

function States:whole(coder, entity)
  local row = { [0] = entity.owner, entity.teleports }
  for _, group in ipairs(self.plan.groups) do
    for index = group.first, group.first + group.count - 1 do
      local column = self.plan.columns[index]
      row[index] = coder:wide(column.bits) + column.min
    end
  end
  return row
end

-- Returns the body's head, and `states` with rows. Raises a fault before anything has changed.
function States:read(body, tick)
  local coder = BitReader.new(body)
  local head = read_head(coder, tick)
  self:resolve(head)
  local rows = {}
  for _, entity in ipairs(head.entities) do
    if entity.rows then
      entity.expected = RowReader.expect(self.plan, entity, tick)
      table.insert(rows, entity.expected)
    end
  end
  RowReader.read_masks(coder, rows)
  for _, entity in ipairs(head.entities) do
    local expected = entity.expected
    entity.row = expected and expected:read(coder, entity) or self:whole(coder, entity)
    entity.said = self:texts(coder, entity.texts, expected and expected.texts)
    for index = 0, self.plan.width - 1 do
      local column = self.plan.columns[index]
      if entity.row[index] < column.min or entity.row[index] > column.max then drop("out-of-range", head) end
    end
    if coder:is_exhausted() then drop("length", head) end
  end
  if not coder:is_complete() then drop("length", head) end
  self:take(head, tick)
  return head
end

function States:take(head, tick)
  for _, removal in ipairs(head.removed) do
    local entity = self.entities[removal.id]
    if entity and difference(entity.newest, tick) <= 0 then self.entities[removal.id] = nil end
  end
  for _, said in ipairs(head.entities) do
    local entity = self.entities[said.id] or { rows = {}, newest = tick }
    self.entities[said.id] = entity
    local kept = entity.rows[tick % HISTORY]
    if not kept or difference(tick, kept.tick) >= 0 then
      entity.rows[tick % HISTORY] = { tick = tick, row = said.row, texts = said.said }
    end
    if difference(tick, entity.newest) > 0 then entity.newest = tick end
  end
  if head.checked then
    local row = head.entities[head.checked + 1].row
    head.agrees = numbers.checksum(row, self.plan.width) == head.checksum
  end
end

-- Returns only the head, if the definition of the states is unknown.
function States.head_of(body, tick)
  return read_head(BitReader.new(body), tick)
end

return States
