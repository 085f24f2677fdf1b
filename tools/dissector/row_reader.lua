-- Reads the state of an entity that has baselines, in two passes: docs/STATE-CODEC.md, "A packet's body".
local min, max = math.min, math.max
local class_of = numbers.class_of
local PLACE, ROTATION, STEP, CHANGE = 1, 3, 4, 5
local MASKS, SIZES, MOVES, STEPS = 0, 16, 29, 39
local NARROW_BITS, UNKNOWN = 4, 8
local Row = {}
Row.__index = Row

local function clamped(x, column)
  return numbers.clamp(numbers.rounded(x), column.min, column.max)
end

-- Predicts every column and the size of its residual.
function Row.expect(plan, head, tick)
  local self = setmetatable({ plan = plan, columns = {}, texts = {} }, Row)
  self.b0, self.b1, self.b2 = head.rows[1], head.rows[2], head.rows[3]
  self.age = numbers.tick_difference(tick, head.ticks[1])
  self.gap1 = self.b1 and numbers.tick_difference(head.ticks[1], head.ticks[2]) or 0
  self.gap2 = self.b2 and numbers.tick_difference(head.ticks[2], head.ticks[3]) or 0
  for _, group in ipairs(plan.groups) do
    if group.role == ROTATION then
      self:expect_rotation(group)
    else
      for index = group.first, group.first + group.count - 1 do
        table.insert(self.columns, self:expect_column(group, index))
      end
    end
  end
  for index = 1, #plan.texts do self.texts[index] = { stood = true } end
  return self
end

function Row:short(index, difference)
  local turn = self.plan.columns[index].turn
  if turn > 0 and 2 * difference >= turn then return difference - turn end
  if turn > 0 and 2 * difference < -turn then return difference + turn end
  return difference
end

function Row:expect_rotation(group)
  local predicted, bend = rotation.predict(self, group)
  local off = self.b1 and class_of(bend * (self.age * self.age)) or UNKNOWN
  for i = 0, 3 do
    table.insert(self.columns, {
      group = group, index = group.first + i, predicted = predicted[i + 1], off = i == 0 and 0 or off,
    })
  end
end

function Row:expect_column(group, index)
  local one = { group = group, index = index, predicted = self.b0[index], off = UNKNOWN }
  if group.role == STEP or group.role == CHANGE then
    self:expect_step(one)
  elseif self.b1 then
    if group.role == PLACE then self:expect_place(one) else self:expect_smooth(one) end
  end
  return one
end

function Row:expect_smooth(one)
  local index, age = one.index, self.age
  local column, value, older = self.plan.columns[index], self.b0[index], self.b1[index]
  local change, bend = self:short(index, value - older), 0
  local off = change * ((age * age) / self.gap1)
  if self.b2 then
    local before = self:short(index, older - self.b2[index])
    bend = change / self.gap1 - before / self.gap2
    off = off - before * ((age * age) / self.gap2)
  end
  one.off = class_of(math.abs(off) + math.abs(change) * self:ended())
  local onward = value + change * (age / self.gap1) + bend * (age / 2)
  one.predicted = column.turn > 0 and numbers.rounded(onward) % column.turn or clamped(onward, column)
end

-- Returns the part of the last change that may have ended since.
function Row:ended()
  return (self.age - 1) / (2 * self.gap1)
end

function Row:expect_place(one)
  local index = one.index
  local rate = self.plan.rate.first + index - one.group.first
  local half = (self.plan.rate_scale * self.gap1) / 2
  local moved = (self.b0[rate] + self.b1[rate]) * half
  local missed = self.b0[index] - self.b1[index] - moved
  local swerve = math.abs(self.b0[rate] - self.b1[rate]) * ((self.plan.rate_scale * self.age) / 4 * self:ended())
  one.off = class_of(math.abs(missed) * self.age + swerve)
end

function Row:expect_step(one)
  local index, value = one.index, self.b0[one.index]
  one.steps, one.stood = true, true
  if not self.b1 or self.b1[index] == value then return end
  local change = (value - self.b1[index]) / self.gap1
  if self.b2 and change == (self.b1[index] - self.b2[index]) / self.gap2 then
    one.predicted = clamped(value + change * self.age, self.plan.columns[index])
  else
    one.stood, one.off = false, min(max(1, class_of(change)), 9)
  end
end

function Row:is_masked(one)
  if not one.index or one.steps then return true end
  return one.off < 4 or self.plan.columns[one.index].bits <= NARROW_BITS
end

-- Returns true if a column with a mask bit moved.
local function has_moved(one)
  if one.stood then return false end
  return one.steps or one.off ~= 0
end

-- Reads mask bits: four of them make a symbol, across entities.
function Row.read_masks(coder, rows)
  local masked = {}
  for _, row in ipairs(rows) do
    for _, list in ipairs({ row.columns, row.texts }) do
      for _, one in ipairs(list) do
        if row:is_masked(one) then table.insert(masked, one) end
      end
    end
  end
  for from = 1, #masked, 4 do
    local moved = 0
    for place = 0, min(3, #masked - from) do
      if has_moved(masked[from + place]) then moved = moved + 2 ^ place end
    end
    local mask = from == #masked and coder:bits(1) or coder:symbol(MASKS + moved)
    for place = 0, min(3, #masked - from) do
      masked[from + place].changed = math.floor(mask / 2 ^ place) % 2 == 1
    end
  end
end

function Row:read(coder, head)
  local row, around = { [0] = head.owner, head.teleports }, {}
  for at, one in ipairs(self.columns) do
    local group = one.group
    if group.role == PLACE then one.predicted = self:where_rates_lead(one, row) end
    if group.role == ROTATION then
      if one.index == group.first then
        around[group] = { at = at }
      else
        one.predicted = self:turned_around(around[group], one, row)
      end
    end
    row[one.index] = self:value(coder, one)
  end
  return row
end

function Row:where_rates_lead(one, row)
  local rate = self.plan.rate.first + one.index - one.group.first
  local scale, before, age = self.plan.rate_scale, self.b0[rate], self.age
  local change, changed, curve = row[rate] - before, 0, 0
  if self.b1 then
    changed = (before - self.b1[rate]) * (age / self.gap1)
    curve = (scale * age) / 24
  end
  local moved = (before + before + change) * ((scale * age) / 2) + (changed - change) * curve
  return clamped(self.b0[one.index] + moved, self.plan.columns[one.index])
end

-- The packet may leave out another component than the predicted one.
function Row:turned_around(known, one, row)
  local group = one.group
  if not known.columns then
    local predicted = {}
    for i = 0, 3 do predicted[group.first + i] = self.columns[known.at + i].predicted end
    local axis = row[group.first]
    if predicted[group.first] == axis then
      known.columns = { axis, predicted[group.first + 1], predicted[group.first + 2], predicted[group.first + 3] }
    else
      known.columns = rotation.without(self.plan, group, plans.quaternion(self.plan, group, predicted), axis)
    end
  end
  return known.columns[one.index - group.first + 1]
end

function Row:value(coder, one)
  local column = self.plan.columns[one.index]
  local value
  if self:is_masked(one) then
    if not one.changed then return one.predicted end
    if column.bits <= 1 then return column.min + column.max - one.predicted end
    if column.bits <= NARROW_BITS then return column.min + coder:bits(column.bits) end
    value = one.predicted + coder:residual(one.stood and STEPS or MOVES + one.off, 0)
  else
    local shift = one.off > 16 and math.floor((one.off - 15) / 2) or 0
    value = one.predicted + coder:residual(SIZES + one.off - 4 - 2 * shift, shift)
  end
  return column.turn > 0 and value % column.turn or value
end

return Row
