import { isOnlyForThisMachine } from "../net/invitation.js";
import { button, element, setText } from "./element.js";

const COPIED = "Copied. Send it to a friend.";
const COMMAND = "npm start -- --host 0.0.0.0";

/** Shows a link to this race, to copy or to share, and its QR code for a phone. */
export class InviteBox {
  readonly root: HTMLElement;
  readonly #link: HTMLInputElement;
  readonly #code = element("div", { class: "invite-code" });
  readonly #note = element("p", { class: "invite-note" }, [
    "Only this computer can open this link. To invite others, start with ",
    element("code", { text: COMMAND }),
    ", open the address that it prints for your network, and invite from there.",
  ]);
  readonly #status = element("p", { class: "invite-status", attributes: { role: "status" } });
  #focusedBefore: Element | null = null;

  constructor() {
    this.#link = element("input", {
      class: "invite-link",
      attributes: { type: "text", readonly: "", "aria-label": "Link to this race" },
    });
    this.#link.addEventListener("focus", () => this.#link.select());
    const actions = [button("Copy link", "invite-button", () => void this.#copy())];
    if (typeof navigator.share === "function")
      actions.push(button("Share…", "invite-button", () => void this.#share()));
    actions.push(button("Close", "invite-button", () => this.hide()));
    const title = "Race me";
    this.root = element(
      "section",
      {
        class: "invite",
        attributes: {
          hidden: "",
          role: "dialog",
          tabindex: "-1",
          "aria-label": "Invite others to this race",
        },
      },
      [
        element("b", { text: title }),
        this.#note,
        this.#code,
        this.#link,
        element("div", { class: "invite-actions" }, actions),
        this.#status,
      ],
    );
    // Keys that are typed in the box must not drive the car.
    this.root.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Escape" && event.code !== "KeyI") return;
      event.preventDefault();
      this.hide();
    });
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  toggle(url: string): void {
    if (this.root.hidden) this.#show(url);
    else this.hide();
  }

  hide(): void {
    if (!this.isOpen) return;
    const hadFocus = this.root.contains(document.activeElement);
    this.root.hidden = true;
    if (!hadFocus) return;
    (document.activeElement as HTMLElement).blur();
    if (this.#focusedBefore instanceof HTMLElement) this.#focusedBefore.focus();
  }

  #show(url: string): void {
    this.#link.value = url;
    setText(this.#status, "");
    this.#note.hidden = !isOnlyForThisMachine(url);
    this.root.hidden = false;
    this.#focusedBefore = document.activeElement;
    this.root.focus();
    void this.#draw(url);
  }

  async #draw(url: string): Promise<void> {
    const { renderSVG } = await import("uqr");
    const svg = new DOMParser().parseFromString(
      renderSVG(url, { border: 2 }),
      "image/svg+xml",
    ).documentElement;
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "QR code of the link");
    if (this.#link.value === url) this.#code.replaceChildren(document.importNode(svg, true));
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#link.value);
      setText(this.#status, COPIED);
    } catch {
      // The page has no permission or is not secure, so the player copies by hand.
      this.#link.focus();
      setText(this.#status, "This browser does not let the page copy: the link is selected, copy it.");
    }
  }

  async #share(): Promise<void> {
    try {
      await navigator.share({ title: "Paceline Ring", text: "Race me", url: this.#link.value });
    } catch {
      // The player has closed the system's dialogue.
    }
  }
}
