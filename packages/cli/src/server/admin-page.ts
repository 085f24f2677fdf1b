import { createHash } from "node:crypto";

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #8884; }
td.number, th.number { text-align: right; }
code { font-size: .9em; } button { font: inherit; }
#facts { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; }
#message { min-height: 1.5em; color: #c33; }
form { display: flex; gap: .5rem; } input { font: inherit; flex: 1; max-width: 24rem; }
`;

const SCRIPT = `
const find = (id) => document.getElementById(id);
const make = (tag, text, name) => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
};
let token = sessionStorage.getItem("token") ?? "";
let timer;
const call = async (method, path, body) => {
  const response = await fetch(path, {
    method,
    headers: { Authorization: "Bearer " + token },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
};
const act = async (question, path, body) => {
  if (!confirm(question)) return;
  try { await call("POST", path, body); await show(); } catch (error) { find("message").textContent = error.message; }
};
const row = (session) => {
  const line = document.createElement("tr");
  const kick = make("button", "Remove");
  kick.onclick = () => act("Remove " + session.sessionId + "?", "api/kick", { sessionId: session.sessionId });
  const id = document.createElement("td");
  id.append(make("code", session.sessionId));
  const last = document.createElement("td");
  last.append(kick);
  const rtt = session.rttMs === undefined ? "" : session.rttMs.toFixed(0);
  line.append(make("td", session.number, "number"), id, make("td", session.link ?? "away"), make("td", rtt, "number"),
    make("td", session.queuedBytes, "number"), make("td", session.connectedS, "number"), last);
  return line;
};
const table = (room) => {
  const all = document.createElement("table");
  const head = document.createElement("tr");
  for (const [name, isNumber] of [["No.", 1], ["Session"], ["Path"], ["RTT, ms", 1], ["Queued, bytes", 1], ["Here, s", 1], [""]])
    head.append(make("th", name, isNumber && "number"));
  all.append(head, ...room.sessions.map(row));
  return all;
};
const classColumns = { roomName: "Class", rooms: "Rooms", players: "Players", ticks: "Steps", skippedTicks: "Skipped",
  tickP99Ms: "Step p99, ms", latenessP99Ms: "Late p99, ms", hookErrors: "Failed hooks", joinsRefused: "Refused joins",
  messagesLimited: "Messages over the limit", breaches: "Breaches" };
const classTable = (classes) => {
  const all = document.createElement("table");
  const line = (tag, textOf) => {
    const row = document.createElement("tr");
    row.append(...Object.keys(classColumns).map((key) => make(tag, textOf(key), key !== "roomName" && "number")));
    return row;
  };
  const text = (value) => typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
  all.append(line("th", (key) => classColumns[key]), ...classes.map((one) => line("td", (key) => text(one[key]))));
  return all;
};
const counted = (counts) => Object.entries(counts).filter(([, count]) => count > 0).map(([name, count]) => name + " " + count).join(", ");
const show = async () => {
  const { health, limited, classes, rooms } = await call("GET", "api/state");
  find("login").hidden = true;
  find("state").hidden = false;
  find("message").textContent = "";
  find("drain").disabled = health.status !== "ok";
  const facts = { Status: health.status, Rooms: health.rooms, Sessions: health.sessions, Connections: health.connections, "Up, s": health.uptimeS };
  find("facts").replaceChildren(...Object.entries(facts).map(([name, value]) => make("span", name + ": " + value)));
  const drops = counted(health.drops);
  find("limited").textContent = counted(limited) && "Held back by limits: " + counted(limited);
  find("classes").replaceChildren(...(classes.length ? [classTable(classes)] : []));
  find("drops").textContent = drops ? "Dropped since the start: " + drops : "Nothing was dropped.";
  find("rooms").replaceChildren(...rooms.flatMap((room) =>
    [make("h2", room.roomName + " " + room.roomId + " (" + room.taken + " of " + room.maxPlayers + ")"), table(room)]));
};
const watch = async () => {
  clearTimeout(timer);
  try {
    await show();
  } catch (error) {
    find("message").textContent = error.message;
    if (error.status === 401) { find("login").hidden = false; find("state").hidden = true; return; }
  }
  timer = setTimeout(watch, 2000);
};
find("login").onsubmit = (event) => {
  event.preventDefault();
  token = find("token").value;
  sessionStorage.setItem("token", token);
  watch();
};
find("drain").onclick = () => act("Take nobody new, and stop when the last one has left?", "api/drain");
if (token) watch();
`;

/** The admin page: one file that sends requests only to the server's own commands. */
export const ADMIN_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paceline server</title>
<style>${STYLE}</style>
<h1>Paceline server</h1>
<form id="login"><label for="token">Token</label><input id="token" type="password" autocomplete="current-password"><button>Enter</button></form>
<p id="message" role="status"></p>
<main id="state" hidden>
<div id="facts"></div>
<p id="drops"></p>
<p id="limited"></p>
<div id="classes"></div>
<button id="drain">Drain and stop</button>
<div id="rooms"></div>
</main>
<script>${SCRIPT}</script>
</html>
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Content security policy of the page. It permits only the page's own script and style. */
export const ADMIN_PAGE_POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
