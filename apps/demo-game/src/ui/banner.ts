import { button, element, setText } from "./element.js";

export type BannerTone = "problem" | "good" | "plain";

/** One line at the top of the page, for changes of the connection. */
export class Banner {
  readonly root: HTMLElement;
  readonly #text: HTMLElement;
  readonly #actions: HTMLElement;
  #hideTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#text = element("span");
    this.#actions = element("span", { class: "banner-actions" });
    this.root = element("div", { class: "banner", attributes: { role: "status", hidden: "" } }, [
      this.#text,
      this.#actions,
    ]);
  }

  show(text: string, tone: BannerTone, hideAfterMs?: number): void {
    clearTimeout(this.#hideTimer);
    setText(this.#text, text);
    this.#actions.replaceChildren();
    this.root.className = `banner ${tone}`;
    this.root.hidden = false;
    if (hideAfterMs !== undefined) this.#hideTimer = setTimeout(() => this.hide(), hideAfterMs);
  }

  offer(label: string, onClick: () => void): void {
    this.#actions.append(button(label, "banner-button", onClick));
  }

  hide(): void {
    clearTimeout(this.#hideTimer);
    this.root.hidden = true;
  }
}
