/** docs/STATE-MACHINES.md: the transitions come from the built client package. */
import path from "node:path";
import { format, resolveConfig } from "prettier";

const TARGET = path.resolve(import.meta.dirname, "../../docs/STATE-MACHINES.md");

/** @typedef {Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>} Transitions */

/** Meaning of the states and events of a room's connection; the document fails if one is missing here. */
const MEANINGS = /** @type {Readonly<Record<string, string>>} */ ({
  joining: `a seat was asked for, or its link is opening; no welcome yet. The client waits 20 s for each answer
  (to a match request, an upgrade, and the welcome), in which its own loop ran, and 60 s for all of them. While an
  upgrade hangs for 4 s, it asks over HTTP if the server runs at all, and only then replaces the upgrade by a request.
  The server waits 20 s for the first packet of a newcomer`,
  joined: "the link to the server is up",
  dropped: "the link is down; attempts to come back are on their way",
  left: "over, for good",
  welcomed: "the server says `welcome`: a new seat",
  linkDown: "the link closed, or was silent for too long",
  resumed: "the server says `resumed`: the same session goes on",
  refused: "coming (back) is pointless: refused, removed, or no path for 60 s",
  leave: "the game calls `room.leave()`",
});

/** @param {string} word @returns {string} */
function meaningOf(word) {
  const meaning = MEANINGS[word];
  if (meaning === undefined) throw new Error(`state-machines.mjs does not say what ${word} means`);
  return meaning;
}

/** @param {string[]} head @param {string[][]} rows @returns {string} */
function table(head, rows) {
  /** @param {string[]} cells */
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** @param {Transitions} transitions @returns {string[]} every event, in the order in which they appear */
function eventsOf(transitions) {
  return [...new Set(Object.values(transitions).flatMap((moves) => Object.keys(moves)))];
}

/** @param {Transitions} transitions @returns {string} */
function transitionTable(transitions) {
  const events = eventsOf(transitions);
  const rows = Object.entries(transitions).map(([state, moves]) => [
    `**${state}**`,
    ...events.map((event) => moves[event] ?? "–"),
  ]);
  return table(["", ...events], rows);
}

/** @param {Transitions} transitions @returns {string} */
function diagram(transitions) {
  const moves = Object.entries(transitions).flatMap(([from, targets]) =>
    Object.entries(targets).map(([event, to]) => `  ${from} --> ${to}: ${event}`),
  );
  const [first] = Object.keys(transitions);
  return ["```mermaid", "stateDiagram-v2", `  [*] --> ${first}`, ...moves, "```"].join("\n");
}

/** @param {string[]} words @returns {string} */
function meanings(words) {
  return words.map((word) => `- **${word}**: ${meaningOf(word)}.`).join("\n");
}

const LINKS = `## A link

A link goes one way: \`connecting\`, \`open\`, \`closed\`. It is never opened again; what comes back is a new link.

\`\`\`mermaid
stateDiagram-v2
  [*] --> connecting
  connecting --> open: the path is there
  connecting --> closed: it cannot be, or the owner gives up
  open --> closed: closed here, closed there, or broken
\`\`\`

## A link within a session

The session watches each of its links and decides what it is good for. It trusts its own pings, not the link's word:
ICE may never report that a path is dead.

| | the link opened | a ping of ours was answered | deadline for proof over | pings unanswered, nothing else heard | the link closed |
| --- | --- | --- | --- | --- | --- |
| **waiting** | probing (direct), usable (all others) | – | given up | – | gone |
| **probing** | – | usable | given up | – | gone |
| **usable** | – | usable | – | given up | gone |

- **waiting**: attached, not open yet.
- **probing**: open, pinged every 100 ms, carries nothing else.
- **usable**: the session may send its traffic over it. Of several it takes the one that it prefers: direct before
  relayed, newer before older. A newer one was opened because the older may be dead: if that was heard since, the newer one
  carries traffic only when the other side was heard over it, which may also refuse it.
- **given up**: closed by the session, whatever the link says of itself; then gone.

## A pair of participants

Every two participants of a room have a session of their own, from the moment they know of each other.

\`\`\`mermaid
stateDiagram-v2
  [*] --> relay
  relay --> probing: both have WebRTC and the plan wants it
  probing --> direct: a ping of ours was answered over the direct link
  probing --> relay: no proof within 10 s, or the link closed
  direct --> relay: three pings unanswered for 1 s, or the link closed
  direct --> relay: WebRTC is not wanted any more
  direct --> none: the same, while the link to the server is down
  relay --> none: the link to the server is down
  none --> relay: the session with the server was resumed
  direct --> direct: the link to the server is down or back
\`\`\`

- **relay**: packets go in envelopes over the links to the server. This always works first, so nobody waits for WebRTC.
- **probing**: as relay; meanwhile a direct link is negotiated and pinged.
- **direct**: packets go over data channels. The relayed link stays as the fallback.
- **none**: no path at all; reliable messages wait, states and events are not sent.

On every change the unacknowledged reliable messages go again over the new link, and the receiver drops what it has:
each arrives once and in order. Each side moves its own traffic when it has its own proof, so for a moment one may send
directly while the other still relays; packets are accepted on every link.

After a direct link failed, the participant with the greater number tries again after 1, 3, 10 and then every 30
seconds; a link that held for more than 15 seconds sets this back to the beginning.`;

const PAGE = `## The page around a room

The events of the browser's page, and how a room answers them:

| the page | the room |
| --- | --- |
| \`visibilitychange\`: hidden | tells the server; both wait a minute for a silent link. A Worker wakes its timers, which go on |
| visible again | tells the server, and pings |
| \`offline\` | pings at once and closes nothing: browsers are wrong at times. Silence of a second makes it try other links beside the present one, of five seconds is a drop |
| \`online\`, or another kind of network (\`navigator.connection\`) | a new link to the server at once, beside the old one, which ends when the new one works; direct paths that failed, and those that go through TURN, are tried again |
| \`pagehide\` into the back/forward cache, \`freeze\` | closes its sockets with the code \`suspended\` and tries nothing; the server keeps the seat for \`hiddenGraceMs\` |
| \`pageshow\` from there, \`resume\` | comes back with its token: \`onDrop\`, \`onReconnect({ resumed: true })\`, then all reliable messages of the meantime, each once and in order |
| \`pagehide\` for good | closes its sockets with the code \`unloaded\`. The others see it \`away\` at once, and its entities despawn after 2 s; its seat is free after \`unloadGraceMs\` (10 s) |
| reloaded | the same call of \`joinOrCreate\` or \`join\`, or \`joinById\`, takes the tab's own seat again: the same room, \`sessionId\` and \`myNumber\`; its entities are gone, and messages are numbered from the start again. The others see the peer leave and join. Several rooms of the page get their seats in the order of its joins |
| the tab is duplicated | a second player: a lock (Web Locks) says that the first page uses the seat; where a page has no locks (http:// other than loopback), the server knows it by its link |
| it crashes | Chromium closes its sockets, as \`pagehide\` would; else silence tells, after \`linkTimeoutMs\` |

The secret of the seat is in \`sessionStorage\`, which each tab has for itself. Where a page may not use it, a reloaded
page is another player, and the old seat is free after 10 s. The same holds for another user of the tab: a seat belongs to the
identity in the \`authToken\`.

A browser keeps no page with an open peer connection in its cache: with direct links \`pagehide\` is for good. Firefox keeps
none with a WebSocket either: going back reloads the page, and it takes its seat again.`;

/** @returns {Promise<string>} the whole document */
export async function stateMachinesMarkdown() {
  const { connectionTransitions } = await import("../../packages/client/dist/connection/connection-state.js");
  const text = `<!-- Written by \`pnpm docs\` from packages/client/src/connection/connection-state.ts and tools/docs/state-machines.mjs: change those files, not this one. -->

# State machines

The states of each part, and which may follow which. The bytes are in [WIRE-FORMAT.md](WIRE-FORMAT.md), the words in [GLOSSARY.md](GLOSSARY.md).

## A room's connection to its server

The state is \`room.state\`. A dash: the event means nothing in this state and is ignored. The table is the code's own;
a test walks every pair.

${transitionTable(connectionTransitions)}

${diagram(connectionTransitions)}

States:

${meanings(Object.keys(connectionTransitions))}

Events:

${meanings(eventsOf(connectionTransitions))}

Attempts to come back begin at once and then wait 0.25, 0.5, 1, 2 and always 3 seconds. While the server knows the
session, it is resumed and nothing is lost; otherwise a new seat in a room of the same kind is taken.

${PAGE}

${LINKS}
`;
  return format(text, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
