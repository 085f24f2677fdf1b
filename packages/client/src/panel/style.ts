/** The panel's own styles: in a shadow root, so that the game's do not reach in and these not out. */
export const PANEL_STYLE = `
:host { all: initial; --paper: #fbfbfc; --card: #fff; --ink: #16181d; --dim: #5d6470; --line: #dfe2e8; --accent: #0b62d6;
  --good: #0d7a43; --good-paper: #dcf5e7; --fair: #8a5a00; --fair-paper: #fdf0d2; --bad: #b3261e; --bad-paper: #fce2e0;
  color-scheme: light; }
@media (prefers-color-scheme: dark) { :host(:not([data-theme="light"])) { --paper: #14171e; --card: #1c2029; --ink: #eceef2;
  --dim: #a0a7b4; --line: #303643; --accent: #7db3ff; --good: #6fdc9f; --good-paper: #173b29; --fair: #f2c76a; --fair-paper: #40330f;
  --bad: #ff9a92; --bad-paper: #4a1d1a; color-scheme: dark; } }
:host([data-theme="dark"]) { --paper: #14171e; --card: #1c2029; --ink: #eceef2; --dim: #a0a7b4; --line: #303643;
  --accent: #7db3ff; --good: #6fdc9f; --good-paper: #173b29; --fair: #f2c76a; --fair-paper: #40330f; --bad: #ff9a92;
  --bad-paper: #4a1d1a; color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
aside { position: fixed; z-index: 2147483000; top: 0; right: 0; bottom: 0; width: min(420px, 100vw); display: flex; flex-direction: column;
  background: var(--paper); color: var(--ink); border-left: 1px solid var(--line); box-shadow: -8px 0 32px rgb(0 0 0 / .25);
  font: 13px/1.45 system-ui, sans-serif; pointer-events: auto; user-select: text; }
.top { display: flex; align-items: center; gap: 8px; padding: 10px 14px; border-bottom: 1px solid var(--line); }
h2 { margin: 0; font-size: 15px; font-weight: 650; flex: 1; }
.body { overflow-y: auto; overscroll-behavior: contain; padding: 12px 14px 24px; display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); align-content: start; flex: 1; min-height: 0; }
button, select, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 4px 9px; min-height: 30px; }
button { cursor: pointer; }
button:hover { border-color: var(--dim); }
button.close { width: 30px; padding: 0; font-size: 15px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.cards { display: grid; gap: 10px; grid-template-columns: minmax(0, 1fr); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 12px; }
.card header { display: flex; align-items: center; gap: 8px; min-width: 0; }
.card b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; min-width: 0; }
.chip { flex: none; width: 11px; height: 11px; border-radius: 3px; }
.path { flex: none; padding: 0 8px; border-radius: 99px; font-size: 12px; font-weight: 600; }
.path[data-tone="good"] { color: var(--good); background: var(--good-paper); }
.path[data-tone="fair"] { color: var(--fair); background: var(--fair-paper); }
.path[data-tone="bad"] { color: var(--bad); background: var(--bad-paper); }
svg { flex: 1 1 60px; min-width: 40px; max-width: 140px; height: 24px; margin-left: auto; }
polyline { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(64px, 1fr)); gap: 6px 10px; margin: 8px 0; }
dt { color: var(--dim); font-size: 11px; }
dd { margin: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
p { margin: 0; }
.channel { font-size: 12px; }
.reason, .note { color: var(--dim); font-size: 12px; }
.alone { color: var(--dim); padding: 4px 2px; }
details { border-top: 1px solid var(--line); padding-top: 10px; }
summary { cursor: pointer; font-weight: 600; margin-bottom: 8px; }
.simulator { display: grid; gap: 10px; }
.fields select { width: 100%; }
.fields + .problem + button { margin-top: 10px; }
.row { display: flex; gap: 8px; }
.row select { flex: 1; min-width: 0; }
.fields { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px 12px; }
.fields label > span:first-child { display: block; color: var(--dim); font-size: 11px; }
.number { display: flex; align-items: center; gap: 6px; }
.number input { width: 100%; min-width: 0; }
.number small { color: var(--dim); min-width: 42px; }
.problem { color: var(--bad); }
.problem:empty { display: none; }
ol, ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 7px; }
ol { max-height: 300px; overflow-y: auto; overscroll-behavior: contain; }
li { display: grid; grid-template-columns: 44px 1fr; gap: 8px; }
li time { color: var(--dim); font-variant-numeric: tabular-nums; }
li b { font-weight: 600; }
li span { overflow-wrap: anywhere; }
li em, ul em { font-style: normal; color: var(--dim); display: block; font-size: 12px; }
ul li { grid-template-columns: 1fr; gap: 0; }
ul.drops li { grid-template-columns: 1fr auto; }
textarea { width: 100%; height: 140px; font: 11px/1.4 ui-monospace, monospace; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; }
@media (max-width: 600px) {
  aside { top: auto; left: 0; width: 100%; height: min(62vh, 62dvh); border-left: 0; border-top: 1px solid var(--line);
    border-radius: 14px 14px 0 0; box-shadow: 0 -8px 32px rgb(0 0 0 / .3); padding-bottom: env(safe-area-inset-bottom); }
  button, select, input { min-height: 38px; font-size: 16px; }
  button.close { width: 38px; }
}
`;
