import { ChatBox } from "./chat-box.js";
import { hasTouch } from "../input/touch.js";
import { button, element } from "./element.js";
import { Hud } from "./hud.js";
import { InviteBox } from "./invite-box.js";
import { NetworkBadge } from "./network-badge.js";
import { ResultsBoard, StandingsBoard } from "./standings-board.js";
import { StartLights } from "./start-lights.js";
import { Toasts } from "./toasts.js";

export interface RaceScreenActions {
  readonly onInvite: () => void;
  readonly onShow: () => void;
  readonly onKillPath: () => void;
  readonly onPanel: () => void;
  readonly onCamera: () => void;
  readonly onSound: () => void;
  readonly onReset: () => void;
  readonly onSay: (text: string) => void;
}

/** The parts of the interface that are shown over the picture of the race. */
export class RaceScreen {
  readonly root: HTMLElement;
  readonly hud = new Hud();
  readonly standings = new StandingsBoard();
  readonly results = new ResultsBoard();
  readonly lights = new StartLights();
  readonly invite = new InviteBox();
  readonly toasts = new Toasts();
  readonly badge: NetworkBadge;
  readonly chat: ChatBox;
  readonly #sound: HTMLButtonElement;

  constructor(actions: RaceScreenActions) {
    this.badge = new NetworkBadge(actions.onPanel);
    this.chat = new ChatBox(actions.onSay);
    this.#sound = button("Sound off", "tool", actions.onSound, tip("Sound", "M"));
    const tools = element("nav", { class: "tools", attributes: { "aria-label": "Tools" } }, [
      button("Camera", "tool", actions.onCamera, tip("Chase or top-down view", "C")),
      this.#sound,
      button("Reset", "tool own", actions.onReset, tip("Back to the track", "R")),
      button("Invite", "tool", actions.onInvite, tip("A link to this race", "I")),
      button(
        "Kill a path",
        "tool own",
        actions.onKillPath,
        tip("The direct path to the nearest rival dies", "K"),
      ),
      button("Show", "tool", actions.onShow, tip("What the network does", "N")),
      button("Connections", "tool", actions.onPanel, tip("Who is reached how, and why", "P")),
    ]);
    this.root = element("div", { class: "race" }, [
      this.hud.root,
      this.standings.root,
      this.badge.root,
      tools,
      this.chat.root,
      this.lights.root,
      this.results.root,
      this.toasts.root,
      this.invite.root,
    ]);
  }

  isSoundButton(target: EventTarget | null): boolean {
    return target === this.#sound;
  }

  showSound(isOn: boolean): void {
    this.#sound.textContent = isOn ? "Sound on" : "Sound off";
    this.#sound.classList.toggle("on", isOn);
  }
}

/** Returns a button's tooltip. It names the key only on a device without a touch screen. */
function tip(text: string, key: string): string {
  return hasTouch() ? text : `${text} (${key})`;
}
