-- Where a rotation is expected: docs/STATE-CODEC.md, "Role 3, rotation". Quaternions are { x, y, z, w }.
local M = {}
local sqrt, abs, max = math.sqrt, math.abs, math.max

local function product(a, b)
  local ax, ay, az, aw = a[1], a[2], a[3], a[4]
  local bx, by, bz, bw = b[1], b[2], b[3], b[4]
  return {
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  }
end

local function unit(q)
  local x, y, z, w = q[1], q[2], q[3], q[4]
  local length = sqrt(x * x + y * y + z * z + w * w)
  return { x / length, y / length, z / length, w / length }
end

local function half_turn(to, from, ticks)
  local d = product(to, { -from[1], -from[2], -from[3], from[4] })
  local x, y, z, w = d[1], d[2], d[3], d[4]
  local s = x * x + y * y + z * z
  local factor = ((w < 0 and -1 or 1) * (1 + s * (1 / 6 + s * (3 / 40 + s * (15 / 336))))) / ticks
  return { x * factor, y * factor, z * factor }
end

local function turned_on(q0, onward)
  local x, y, z = onward[1] / 16, onward[2] / 16, onward[3] / 16
  local s = x * x + y * y + z * z
  local sine = 1 - (s / 6) * (1 - s / 20)
  local turn = unit({ x * sine, y * sine, z * sine, 1 - (s / 2) * (1 - s / 12) })
  for _ = 1, 4 do turn = product(turn, turn) end
  return unit(product(turn, q0))
end

local function largest(v)
  return max(abs(v[1]), abs(v[2]), abs(v[3]))
end

-- The quaternion, and by how much it turns and bends.
function M.predict(state, group)
  local plan, age = state.plan, state.age
  local q0 = plans.quaternion(plan, group, state.b0)
  if not state.b1 then return q0, 0, 0 end
  local q1 = plans.quaternion(plan, group, state.b1)
  local turn, earlier = half_turn(q0, q1, state.gap1), { 0, 0, 0 }
  if state.b2 then earlier = half_turn(q1, plans.quaternion(plan, group, state.b2), state.gap2) end
  local bends = { turn[1] - earlier[1], turn[2] - earlier[2], turn[3] - earlier[3] }
  local change = turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]
  local bend = bends[1] * bends[1] + bends[2] * bends[2] + bends[3] * bends[3]
  local step = plan.columns[group.first + 1].step
  local kept = state:keep((2 * sqrt(change)) / step, (2 * sqrt(bend)) / step)
  local bent = 0
  if state.b2 then bent = 0.2 * age * (age + 1) * (kept > 2 / 3 and 1 or 1.5 * kept) end
  local share = kept > 0.7 and 1 or 0.3 + kept
  local onward = {}
  for i = 1, 3 do onward[i] = (turn[i] * age + bends[i] * bent) * share end
  return turned_on(q0, onward), 2 * largest(turn), 2 * largest(bends)
end

return M
