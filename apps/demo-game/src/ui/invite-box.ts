import { button, element, setText } from "./element.js";

const COPIED = "Copied. Send it to a friend.";

/** Shows a link to this race, to copy or to share, and its QR code for a phone. */
export class InviteBox {
  readonly root: HTMLElement;
  readonly #link: HTMLInputElement;
  readonly #code = element("div", { class: "invite-code" });
  readonly #status = element("p", { class: "invite-status", attributes: { role: "status" } });

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
        attributes: { hidden: "", role: "dialog", "aria-label": "Invite others to this race" },
      },
      [
        element("b", { text: title }),
        this.#code,
        this.#link,
        element("div", { class: "invite-actions" }, actions),
        this.#status,
      ],
    );
    // Keys that are typed in the box must not drive the car.
    this.root.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.hide();
    });
  }

  toggle(url: string): void {
    if (this.root.hidden) this.#show(url);
    else this.hide();
  }

  hide(): void {
    this.root.hidden = true;
    if (this.root.contains(document.activeElement)) (document.activeElement as HTMLElement).blur();
  }

  #show(url: string): void {
    this.#link.value = url;
    setText(this.#status, "");
    this.root.hidden = false;
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
