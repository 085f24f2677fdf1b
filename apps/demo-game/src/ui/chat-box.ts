import { MAX_CHAT_LENGTH, readText } from "../race/race-messages.js";
import { hasTouch } from "../input/touch.js";
import { element } from "./element.js";

const MAX_LINES = 40;
const FRESH_MS = 9_000;

/** The chat, bottom left. All messages are inserted as text, never as markup. */
export class ChatBox {
  readonly root: HTMLElement;
  readonly #lines = element("div", {
    class: "chat-lines",
    attributes: { role: "log", "aria-live": "polite" },
  });
  readonly #input: HTMLInputElement;

  constructor(onSay: (text: string) => void) {
    this.#input = element("input", {
      class: "chat-input",
      attributes: {
        type: "text",
        maxlength: String(MAX_CHAT_LENGTH),
        placeholder: hasTouch() ? "Say something" : "Say something (Enter)",
        autocomplete: "off",
        "aria-label": "Chat message",
      },
    });
    const form = element("form", { class: "chat-form" }, [this.#input]);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = readText(this.#input.value, MAX_CHAT_LENGTH);
      this.#input.value = "";
      this.#input.blur();
      if (text !== undefined) onSay(text);
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.code !== "Escape") return;
      this.#input.value = "";
      this.#input.blur();
    });
    this.root = element("div", { class: "chat" }, [this.#lines, form]);
    this.#input.addEventListener("focus", () => this.root.classList.add("open"));
    this.#input.addEventListener("blur", () => this.root.classList.remove("open"));
  }

  focus(): void {
    this.root.classList.add("open");
    this.#input.focus();
  }

  add(name: string, color: string, text: string): void {
    const who = element("b", { text: name, attributes: { dir: "auto" } });
    who.style.color = color;
    const line = element("p", { class: "fresh" }, [who, " ", element("bdi", { text })]);
    this.#lines.append(line);
    while (this.#lines.childElementCount > MAX_LINES) this.#lines.firstElementChild?.remove();
    this.#lines.scrollTop = this.#lines.scrollHeight;
    setTimeout(() => line.classList.remove("fresh"), FRESH_MS);
  }
}
