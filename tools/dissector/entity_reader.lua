-- One entity's state with baselines: docs/STATE-CODEC.md, "A state with baselines". One reader for a packet.
local floor, abs, min, max = math.floor, math.abs, math.min, math.max
local log, whole_log, clamp, shift = numbers.log, numbers.whole_log, numbers.clamp, numbers.shift
local RATE, PLACE, SMOOTH, ROTATION, STEP, CHANGE = 0, 1, 2, 3, 4, 5
local Entity = {}
Entity.__index = Entity

function Entity.new(coder)
  return setmetatable({ coder = coder, extremes = {}, counted = 0 }, Entity)
end

local function residual(coder, role, scale)
  local token_start, token_bits = numbers.token_start, numbers.token_bits
  if scale <= 216 then
    local bin = max(0, floor((scale + 4) / 8) + 4)
    local token, is_negative = coder:symbol(FREQUENCIES[role], bin * 33, true)
    local magnitude = token_start(token)
    if token == 31 then
      magnitude = magnitude + coder:varuint()
    elseif token > 3 then
      magnitude = magnitude + coder:bits(token_bits(token))
    end
    return is_negative and -magnitude or magnitude
  end
  local extra = min(-floor((216 - scale) / 16), 16)
  local bin = min(31, floor((scale - 16 * extra + 4) / 8) + 4)
  local token = coder:symbol(FREQUENCIES[role], bin * 33, false)
  local high = token_start(token)
  high = high + (token == 31 and coder:varuint() or coder:wide(token_bits(token)))
  local magnitude = high * 2 ^ extra + coder:wide(extra)
  return coder:bits(1) == 1 and -magnitude or magnitude
end

function Entity:read(plan, head, tick, grids)
  self.plan, self.grids = plan, grids
  self.b0, self.b1, self.b2 = head.rows[1], head.rows[2], head.rows[3]
  self.age = numbers.tick_difference(tick, head.ticks[1])
  self.gap1 = self.b1 and numbers.tick_difference(head.ticks[1], head.ticks[2]) or 0
  self.gap2 = self.b2 and numbers.tick_difference(head.ticks[2], head.ticks[3]) or 0
  self.weights = numbers.weights_at(self.age, plan.tick_hz)
  local seconds = self.age / plan.tick_hz
  self.fading, self.bending = 1 + seconds * seconds, 0.4 * self.age
  self.last, self.before, self.residuals = 0, 0, {}
  self.row = { [0] = head.owner, head.teleports }
  for _, group in ipairs(plan.groups) do
    if group.role == STEP or group.role == CHANGE then
      for index = group.first, group.first + group.count - 1 do self:stepped(group.role, index) end
    else
      self.surprise = nil
      if group.role == ROTATION then self:rotation(group) else self:moved(group) end
      self.before, self.last = self.last, self.surprise
    end
  end
  self.counted = self.counted + 1
  return self.row
end

function Entity:short(index, difference)
  local turn = self.plan.columns[index].turn
  if turn > 0 and 2 * difference >= turn then return difference - turn end
  if turn > 0 and 2 * difference < -turn then return difference + turn end
  return difference
end

function Entity:move(index)
  if not self.b1 then return 0, 0 end
  local change = self:short(index, self.b0[index] - self.b1[index]) / self.gap1
  if not self.b2 then return change, change end
  return change, change - self:short(index, self.b1[index] - self.b2[index]) / self.gap2
end

function Entity:keep(change, bend)
  local size = change * change + 1
  return size / (self.fading * size + self.bending * bend * bend)
end

function Entity:code(role, features, w)
  local start = self.surprise and w[6] * self.surprise or 16 * w[5]
  local scale = shift(16 * w[0] + features + start)
  local read = residual(self.coder, role, scale)
  local surprise = whole_log(abs(read)) - scale
  self.surprise = self.surprise and floor((self.surprise + surprise) / 2) or surprise
  return read
end

function Entity:moved(group)
  local moves, widest = {}, 0
  for i = 0, group.count - 1 do
    local change, bend = self:move(group.first + i)
    moves[i] = { change, bend }
    widest = max(widest, log(bend))
  end
  if group.role == RATE then return self:rate(group, moves, widest) end
  if group.role == PLACE then return self:place(group, moves) end
  for i = 0, group.count - 1 do
    self:smooth(group.first + i, moves[i][1], moves[i][2], group.count > 1 and widest or nil)
  end
end

function Entity:turned(group, moves)
  local p, d = { 0, 0, 0 }, { 0, 0, 0 }
  for i = 0, group.count - 1 do
    p[i + 1], d[i + 1] = self.b0[group.first + i], moves[i][1]
  end
  local x, y, z = p[1], p[2], p[3]
  local dx, dy, dz = d[1], d[2], d[3]
  local k = (0.25 * self.age * (1 / self.fading)) / (x * x + y * y + z * z + 400)
  local ux, uy, uz = (y * dz - z * dy) * k, (z * dx - x * dz) * k, (x * dy - y * dx) * k
  local tx, ty, tz = dx + uy * dz - uz * dy, dy + uz * dx - ux * dz, dz + ux * dy - uy * dx
  local f = 2 / (1 + ux * ux + uy * uy + uz * uz)
  return {
    [0] = dx + f * (uy * tz - uz * ty),
    dy + f * (uz * tx - ux * tz),
    dz + f * (ux * ty - uy * tx),
  }
end

function Entity:rate(group, moves, widest)
  local w, motion = self.weights[RATE], self.plan.definition.motion
  local onward = {}
  for i = 0, group.count - 1 do onward[i] = moves[i][1] end
  if motion == "turn" and self.b1 then onward = self:turned(group, moves) end
  for i = 0, group.count - 1 do
    local index, change, bend = group.first + i, moves[i][1], moves[i][2]
    local column, b0 = self.plan.columns[index], self.b0[index]
    local predicted = b0
    if motion ~= "velocity" then
      local size = change * change + 1
      local going = (self.age * size) / (self.fading * size + self.bending * bend * bend)
      predicted = clamp(floor(b0 + going * onward[i] + 0.5), column.min, column.max)
    end
    local features = w[2] * widest + w[1] * log(bend) + w[3] * log(change) + w[4] * whole_log(abs(b0))
    self.residuals[index] = self:code(RATE, features, w)
    self.row[index] = predicted + self.residuals[index]
  end
end

function Entity:place(group, moves)
  local w, scale, first = self.weights[PLACE], self.plan.rate_scale, self.plan.rate.first
  local misses, widest = {}, 0
  for i = 0, group.count - 1 do
    local index, r = group.first + i, first + i
    misses[i] = 0
    if self.b1 then
      local half = (scale * self.gap1) / 2
      misses[i] = (self.b0[index] - self.b1[index]) - (self.b0[r] + self.b1[r]) * half
    end
    widest = max(widest, log(misses[i]))
  end
  for i = 0, group.count - 1 do
    local index, r, miss = group.first + i, first + i, misses[i]
    local change, bend = moves[i][1], moves[i][2]
    local grid = self.grids[index] or 1
    if abs(miss) > 2 and (grid > 4 or abs(miss) > 2 + abs(bend * self.gap1)) then
      self:alone(index, change, bend)
    else
      local was = self.b1 and (self.b0[r] - self.b1[r]) / self.gap1 or 0
      local age, r0, now = self.age, self.b0[r], self.row[r]
      local moved = (r0 + now) * (age / 2) + (was - (now - r0) / age) * ((age * age) / 24)
      local features = w[2] * widest + w[7] * self.last
      features = features + w[1] * whole_log(abs(self.residuals[r])) + w[3] * log(miss)
      self:on_grid(PLACE, index, self.b0[index] + scale * moved + 0.5, features, w)
    end
  end
end

-- A position that its velocity does not explain.
function Entity:alone(index, change, bend)
  local outer = self.surprise
  self.surprise = nil
  self:smooth(index, change, bend, nil)
  if outer then self.surprise = floor((outer + self.surprise) / 2) end
end

function Entity:smooth(index, change, bend, width)
  local w, grid, age = self.weights[SMOOTH], self.grids[index] or 1, self.age
  local kept = self:keep(change, bend)
  local bent = 0.2 * bend * age * (age + 1) * (kept > 2 / 3 and 1 or 1.5 * kept)
  local moved = (age * change + bent) * (kept > 0.7 and 1 or 0.3 + kept)
  local own = log(bend / grid)
  local features = w[1] * own + w[2] * (width or own) + w[3] * log(change / grid)
  features = features + w[7] * self.last + w[8] * self.before
  self:on_grid(SMOOTH, index, self.b0[index] + moved + 0.5, features, w)
end

function Entity:on_grid(role, index, expected, features, w)
  local column, grid = self.plan.columns[index], self.grids[index] or 1
  if column.turn > 0 then
    local predicted = floor(expected) % column.turn
    self.row[index] = (predicted + self:code(role, features, w)) % column.turn
  else
    local nearest = clamp(floor(expected), column.min, column.max)
    self.row[index] = (floor(nearest / grid + 0.5) + self:code(role, features, w)) * grid
  end
end

function Entity:rotation(group)
  local w, step = self.weights[ROTATION], self.plan.columns[group.first + 1].step
  local four, turning, bending = rotation.predict(self, group)
  local left_out = 0
  for i = 1, 3 do
    if abs(four[i + 1]) > abs(four[left_out + 1]) then left_out = i end
  end
  if not self.coder:flag(15900) then left_out = self.coder:bits(2) end
  self.row[group.first] = left_out
  local sign = four[left_out + 1] < 0 and -1 or 1
  local index = group.first
  for i = 0, 3 do
    if i ~= left_out then
      index = index + 1
      local column = self.plan.columns[index]
      local predicted = clamp(floor(sign * four[i + 1] / step + 0.5), column.min, column.max)
      local features = w[1] * log(bending / step) + w[3] * log(turning / step)
      features = features + w[7] * self.last + w[8] * self.before
      self.row[index] = predicted + self:code(ROTATION, features, w)
    end
  end
end

local function is_extreme(column, value)
  return value == column.rest or value == column.min or value == column.max
end

function Entity:stepped(role, index)
  local column = self.plan.columns[index]
  local v0 = self.b0[index]
  local v1 = self.b1 and self.b1[index] or v0
  local v2 = self.b2 and self.b2[index] or v1
  local value = self:step_value(role, column, index, v0, v1, v2)
  self.row[index] = value
  if is_extreme(column, value) then self.extremes[index] = (self.extremes[index] or 0) + 1 end
end

function Entity:step_value(role, column, index, v0, v1, v2)
  local w, coder = self.weights[CHANGE], self.coder
  local surprises = w[7] * self.last + w[8] * self.before
  local features = w[0] + (v0 ~= v1 and w[1] or 0) + (v1 ~= v2 and w[2] or 0)
  features = features + (is_extreme(column, v0) and w[3] or 0)
  local scale = shift(16 * features + surprises)
  if not coder:flag(CHANCES[clamp(floor((scale + 24) / 2), 0, 31)]) then return v0 end
  if role == CHANGE then
    if column.bits == 1 then return 1 - v0 end
    return coder:wide(column.bits) + column.min
  end
  local seen = (self.extremes[index] or 0) + 1
  if is_extreme(column, v0) then seen = seen + 1 end
  if is_extreme(column, v1) then seen = seen + 1 end
  if coder:flag(clamp(floor(16384 * seen / (self.counted + 4)), 64, 16320)) then
    if v0 ~= column.rest and coder:flag(8192) then return column.rest end
    if v0 == column.min or column.rest == column.min then return column.max end
    if v0 == column.max or column.rest == column.max then return column.min end
    return coder:flag(8192) and column.max or column.min
  end
  w = self.weights[STEP]
  local grid = self.grids[index] or 1
  local widths = w[1] * whole_log(floor(abs(v0 - v1) / grid)) + w[2] * whole_log(floor(abs(v1 - v2) / grid))
  scale = shift(16 * w[0] + widths + w[7] * self.last + w[8] * self.before)
  return (floor(v0 / grid + 0.5) + residual(coder, STEP, scale)) * grid
end

return Entity
