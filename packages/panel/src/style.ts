/** Style sheet of the panel. The shadow root keeps the styles of game and panel apart. */
export const PANEL_STYLE = `
:host {all:initial;--paper:#fbfbfc;--card:#fff;--ink:#16181d;--dim:#5d6470;--line:#dfe2e8;--accent:#0b62d6;--good:#0d7a43;--good-paper:#dcf5e7;--fair:#8a5a00;--fair-paper:#fdf0d2;--bad:#b3261e;--bad-paper:#fce2e0;color-scheme:light;scrollbar-color:var(--dim) transparent}
:host([data-theme="dark"]) {--paper:#14171e;--card:#1c2029;--ink:#eceef2;--dim:#a0a7b4;--line:#303643;--accent:#7db3ff;--good:#6fdc9f;--good-paper:#173b29;--fair:#f2c76a;--fair-paper:#40330f;--bad:#ff9a92;--bad-paper:#4a1d1a;color-scheme:dark}
* {box-sizing:border-box}
[hidden] {display:none !important}
aside {position:fixed;z-index:2147483000;top:0;right:0;bottom:var(--paceline-panel-bottom,0px);width:min(420px,100vw);display:flex;flex-direction:column;background:var(--paper);color:var(--ink);border-left:1px solid var(--line);box-shadow:-8px 0 32px rgb(0 0 0 / .25);font:13px/1.45 system-ui,sans-serif;pointer-events:auto;user-select:text}
.top {display:flex;align-items:center;gap:8px;padding:10px 14px;border-bottom:1px solid var(--line)}
h2 {margin:0;font-size:15px;font-weight:650;flex:1}
.body {overflow-y:auto;overscroll-behavior:contain;padding:0 14px 20px;display:grid;gap:10px;grid-template-columns:minmax(0,1fr);align-content:start;flex:1;min-height:0}
button,select,input {font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:3px 8px;min-height:30px;min-width:0}
button {cursor:pointer;white-space:nowrap} button:hover {border-color:var(--dim)}
button.close {width:30px;padding:0;font-size:15px}
:focus-visible {outline:2px solid var(--accent);outline-offset:1px}
.num {font-variant-numeric:tabular-nums;white-space:nowrap}
.numbers {display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:8px}
.numbers b {display:block;font-size:20px;line-height:1.2;font-weight:650}
.numbers small {display:block;color:var(--dim);font-size:11px;line-height:1.25}
.pinned {position:sticky;top:0;z-index:1;display:grid;gap:6px;padding:8px 0;background:var(--paper);border-bottom:1px solid var(--line)}
.row {display:flex;gap:6px;min-width:0}
.row .row,.row select,.row label {flex:1;min-width:0}
.row select {width:100%}
figure {margin:0}
.timeline {display:block;width:100%;height:188px}
.legend {display:flex;flex-wrap:wrap;gap:2px 10px;margin:2px 0 0 64px;color:var(--dim);font-size:11px}
.legend i {display:inline-block;width:8px;height:8px;border-radius:2px;margin-right:4px}
.peers {display:grid;gap:2px;border-top:1px solid var(--line);padding-top:6px}
details.peer {border:0;padding:0}
.peer summary {display:grid;grid-template-columns:11px minmax(0,1fr) auto 58px 74px;align-items:center;gap:8px;margin:0;padding:3px 4px;border-radius:6px;font-weight:400;list-style:none}
.peer summary::-webkit-details-marker {display:none}
.peer summary:hover {background:var(--card)}
.peer summary .num {text-align:right;font-size:12px}
.peer b {grid-column:2;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:600}
.peer .path {grid-column:3}
.card {background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px 10px;margin:2px 0 6px}
.card button {margin-top:8px}
.chip {width:11px;height:11px;border-radius:3px}
.path {padding:0 8px;border-radius:99px;font-size:12px;font-weight:600}
.path[data-tone="good"] {color:var(--good);background:var(--good-paper)}
.path[data-tone="fair"] {color:var(--fair);background:var(--fair-paper)}
.path[data-tone="bad"] {color:var(--bad);background:var(--bad-paper)}
dl {display:grid;grid-template-columns:repeat(auto-fit,minmax(64px,1fr));gap:4px 10px;margin:0 0 6px}
dt {color:var(--dim);font-size:11px}
dd {margin:0;font-variant-numeric:tabular-nums;white-space:nowrap}
p {margin:0} p:empty {display:none}
h3 {margin:8px 0 4px;font-size:12px;font-weight:600;color:var(--dim)}
.channel {font-size:12px}
.reason,.note {color:var(--dim);font-size:12px}
.alone {color:var(--dim);padding:2px 4px}
details {border-top:1px solid var(--line);padding-top:8px}
summary {cursor:pointer;font-weight:600}
details[open] > summary {margin-bottom:6px}
.simulator {display:grid;gap:10px}
.fields {display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:8px 12px}
.fields label > span:first-child {display:block;color:var(--dim);font-size:11px}
.fields select {width:100%}
.number {display:flex;align-items:center;gap:6px}
.number input {width:100%;min-width:0}
.number small {color:var(--dim);min-width:42px}
.problem {color:var(--bad)}
.content {display:grid;gap:8px}
.kind {padding:4px 0 0}
.kind summary {font-weight:400}
table {width:100%;border-collapse:collapse;font-size:12px;font-variant-numeric:tabular-nums}
th,td {text-align:left;padding:1px 6px 1px 0;font-weight:400;overflow-wrap:anywhere}
th[scope="col"] {color:var(--dim)}
.message {display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:6px}
.message .note {grid-column:1 / -1}
.tree {display:grid;gap:10px}
.tree svg {width:100%;height:auto}
.tree .ask {font-size:11px;fill:var(--dim);stroke:var(--paper);stroke-width:4;paint-order:stroke}
.tree path {fill:none;stroke:var(--line);stroke-width:1.5}
.tree path.lit {stroke:var(--accent);stroke-width:2.5}
.answer {height:100%;display:grid;place-items:center;text-align:center;padding:1px 4px;font-size:11px;line-height:1.15;color:var(--dim);background:var(--card);border:1px solid var(--line);border-radius:7px;overflow:hidden}
.answer.lit {color:var(--ink);border:2px solid var(--accent);font-weight:600}
ol,ul {list-style:none;margin:0;padding:0;display:grid;gap:7px}
ol {max-height:300px;overflow-y:auto;overscroll-behavior:contain}
li {display:grid;grid-template-columns:44px 1fr;gap:8px}
li time {color:var(--dim);font-variant-numeric:tabular-nums}
li b {font-weight:600}
li span {overflow-wrap:anywhere}
li em,ul em {font-style:normal;color:var(--dim);display:block;font-size:12px}
ul li {grid-template-columns:1fr;gap:0}
ul.drops li {grid-template-columns:1fr auto}
textarea {width:100%;height:140px;font:11px/1.4 ui-monospace,monospace;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px}
@media (max-width:700px),(max-height:500px) {
  .pinned {position:sticky;top:0;z-index:1;display:grid;gap:6px;padding:8px 0;background:var(--paper);border-bottom:1px solid var(--line)}
  .numbers small {font-size:10px}
}
@media (max-width:700px) {
  aside {top:auto;left:0;width:100%;height:min(46dvh,100dvh - 84px - var(--paceline-panel-bottom,0px));border-left:0;border-top:1px solid var(--line);border-radius:14px 14px 0 0;box-shadow:0 -8px 32px rgb(0 0 0 / .3);padding-bottom:env(safe-area-inset-bottom)}
}
@media (pointer:coarse) {
  button,select,input {min-height:44px;font-size:16px}
  button.close {width:44px}
  summary,.peer summary {min-height:44px;align-content:center}
}
`;
