-- Predicts rotations: docs/STATE-CODEC.md, "Rotations". Quaternions are { x, y, z, w }.
local M = {}
local sqrt, abs, max, min = math.sqrt, math.abs, math.max, math.min
local MOST_STEPS = 64

local function product(a, b)
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4]
end

-- Returns the one of the two quaternions of a rotation that is nearer to `to`.
local function aligned(q, to)
  if product(q, to) >= 0 then return q end
  return { -q[1], -q[2], -q[3], -q[4] }
end

-- Returns the columns of a quaternion, with its sign: `left_out` and the other three components.
local function columns_of(plan, group, q, left_out, scale)
  local columns, index = { left_out }, group.first
  for i = 0, 3 do
    if i ~= left_out then
      index = index + 1
      columns[#columns + 1] = numbers.rounded((q[i + 1] * scale) / plan.columns[index].step)
    end
  end
  return columns
end

local function packed(plan, group, q)
  local largest = 0
  for i = 1, 3 do
    if abs(q[i + 1]) > abs(q[largest + 1]) then largest = i end
  end
  local scale = (q[largest + 1] < 0 and -1 or 1) / sqrt(product(q, q))
  return columns_of(plan, group, q, largest, scale)
end

-- Returns the columns without a component that is not the predicted one.
function M.without(plan, group, q, left_out)
  local columns = columns_of(plan, group, q, left_out, q[left_out + 1] < 0 and -1 or 1)
  for i = 2, 4 do
    local column = plan.columns[group.first + i - 1]
    columns[i] = numbers.clamp(columns[i], column.min, column.max)
  end
  return columns
end

-- Returns the predicted columns, and the change of the turn rate in steps.
function M.predict(state, group)
  local plan = state.plan
  if not state.b1 then
    local columns = {}
    for i = 0, 3 do columns[i + 1] = state.b0[group.first + i] end
    return columns, 0
  end
  local q0 = plans.quaternion(plan, group, state.b0)
  local q1 = aligned(plans.quaternion(plan, group, state.b1), q0)
  local bend = 0
  if state.b2 then
    local q2 = aligned(plans.quaternion(plan, group, state.b2), q1)
    local twice = 2 * min(product(q1, q2), 1)
    for i = 1, 4 do bend = max(bend, abs(q0[i] - (twice * q1[i] - q2[i]))) end
  end
  if state.gap1 > 1 then
    local nearer = {}
    for i = 1, 4 do nearer[i] = q0[i] - (q0[i] - q1[i]) / state.gap1 end
    local length = sqrt(product(nearer, nearer))
    for i = 1, 4 do nearer[i] = nearer[i] / length end
    q1 = nearer
  end
  local twice = 2 * min(product(q0, q1), 1)
  for _ = 1, min(state.age, MOST_STEPS) do
    local onward = {}
    for i = 1, 4 do onward[i] = twice * q0[i] - q1[i] end
    q0, q1 = onward, q0
  end
  return packed(plan, group, q0), bend / plan.columns[group.first + 1].step
end

return M
