import { element, setText } from "./element.js";

export interface ToastText {
  /** A toast replaces the one with the same key. */
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly tone: "lost" | "good" | "plain";
  /** True for news of a computer driver, which is shown after news of people. */
  readonly isComputer?: boolean;
}

interface Toast {
  readonly root: HTMLElement;
  readonly title: HTMLElement;
  readonly text: HTMLElement;
  isComputer: boolean;
  bornAtMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const LASTS_MS = 9000;
const MAX_SHOWN = 2;

/** Shows news of the network: those of people before those of computer drivers, the latest first. */
export class Toasts {
  readonly root = element("div", { class: "toasts", attributes: { role: "status" } });
  readonly #toasts = new Map<string, Toast>();

  show({ key, title, text, tone, isComputer = false }: ToastText): void {
    const toast = this.#toasts.get(key) ?? this.#make(key);
    setText(toast.title, title);
    setText(toast.text, text);
    toast.root.className = `toast ${tone}`;
    toast.isComputer = isComputer;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => this.#remove(key), LASTS_MS);
    this.#arrange();
  }

  clear(): void {
    for (const key of [...this.#toasts.keys()]) this.#remove(key);
  }

  #make(key: string): Toast {
    const title = element("b");
    const text = element("span");
    const root = element("div", { attributes: { "data-toast": key } }, [title, text]);
    const toast = { root, title, text, isComputer: false, bornAtMs: performance.now(), timer: undefined };
    this.#toasts.set(key, toast);
    return toast;
  }

  #remove(key: string): void {
    const toast = this.#toasts.get(key);
    clearTimeout(toast?.timer);
    toast?.root.remove();
    this.#toasts.delete(key);
    this.#arrange();
  }

  #arrange(): void {
    const sorted = [...this.#toasts.values()].sort(
      (a, b) => Number(a.isComputer) - Number(b.isComputer) || b.bornAtMs - a.bornAtMs,
    );
    this.root.replaceChildren(...sorted.slice(0, MAX_SHOWN).map(({ root }) => root));
  }
}
