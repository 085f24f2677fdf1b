-- The columns and groups of a definition: docs/STATE-CODEC.md, "Columns". The definitions were generated.
local M = {}
local RATE, PLACE, SMOOTH, ROTATION, STEP, CHANGE = 0, 1, 2, 3, 4, 5
local CODING_ORDER = { RATE, PLACE, ROTATION, SMOOTH, STEP, CHANGE }
local ROLES = { quat = ROTATION, int = STEP, uint = STEP, enum = CHANGE, flag = CHANGE }
local min, max, floor = math.min, math.max, math.floor

local function column_of(said)
  local low, high, step, turn = said[1], said[2], said[3], said[4]
  return {
    min = low, max = high, step = step, turn = turn,
    bits = numbers.bit_length(high - low),
    rest = min(max(0, low), high),
  }
end

local function add(plan, leaf, role)
  local group = { leaf = leaf, role = role, first = plan.width, count = #leaf.columns }
  for _, said in ipairs(leaf.columns) do
    plan.columns[plan.width] = column_of(said)
    plan.width = plan.width + 1
  end
  return group
end

function M.of(definition, tick_hz)
  local plan = {
    definition = definition, tick_hz = tick_hz, width = 2, texts = {}, declared = {}, groups = {},
    columns = { [0] = column_of({ 0, 65535, 1, 0 }), column_of({ 0, 255, 1, 0 }) },
  }
  local velocity
  if definition.motion ~= "hold" then
    for _, leaf in ipairs(definition.leaves) do
      if leaf.path == "velocity" and leaf.movesPosition then velocity = leaf end
    end
    for _, leaf in ipairs(definition.derived) do
      if leaf.path == "velocity" then velocity = leaf end
    end
  end
  local fields, derived = {}, {}
  for _, leaf in ipairs(definition.leaves) do
    if leaf.maxBytes then
      table.insert(plan.texts, leaf)
    elseif #leaf.columns > 0 then
      local role = ROLES[leaf.kind] or SMOOTH
      if leaf == velocity then role = RATE end
      if velocity and leaf.path == "position" then role = PLACE end
      table.insert(fields, add(plan, leaf, role))
    end
  end
  for _, leaf in ipairs(definition.derived) do
    table.insert(derived, add(plan, leaf, leaf == velocity and RATE or SMOOTH))
  end
  for _, role in ipairs(CODING_ORDER) do
    for _, list in ipairs({ derived, fields }) do
      for _, group in ipairs(list) do
        if group.role == role then
          table.insert(plan.groups, group)
          if role == RATE then plan.rate = group end
          if role == PLACE then plan.place = group end
        end
      end
    end
  end
  for _, list in ipairs({ fields, derived }) do
    for _, group in ipairs(list) do table.insert(plan.declared, group) end
  end
  if plan.place then
    local rate, place = plan.columns[plan.rate.first], plan.columns[plan.place.first]
    plan.rate_scale = rate.step / (place.step * tick_hz)
  end
  return plan
end

function M.quaternion(plan, group, row)
  local step = plan.columns[group.first + 1].step
  local left_out = row[group.first]
  local a, b, c = row[group.first + 1] * step, row[group.first + 2] * step, row[group.first + 3] * step
  local square = 1 - a * a - b * b - c * c
  if square < 0 then
    local length = math.sqrt(a * a + b * b + c * c)
    a, b, c, square = a / length, b / length, c / length, 0
  end
  local four = { a, b, c }
  table.insert(four, left_out + 1, math.sqrt(square))
  return four
end

-- Returns the values of a group's columns, in its unit.
function M.values(plan, group, row)
  if group.leaf.kind == "quat" then return M.quaternion(plan, group, row) end
  local values = {}
  for index = group.first, group.first + group.count - 1 do
    local column = plan.columns[index]
    local value = row[index] * column.step
    if column.turn > 0 and value >= math.pi then value = value - 2 * math.pi end
    table.insert(values, value)
  end
  return values
end

return M
