type Child = Node | string;

interface Attributes {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly id?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Makes an element. Inserts text as text, never as markup, because other players wrote much of it. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { class: className, text, title, id, attributes = {} }: Attributes = {},
  children: readonly Child[] = [],
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (className !== undefined) node.className = className;
  if (text !== undefined) node.textContent = text;
  if (title !== undefined) node.title = title;
  if (id !== undefined) node.id = id;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Sets an element's text, if it has changed: a write costs layout in every frame. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function button(
  text: string,
  className: string,
  onClick: () => void,
  title?: string,
): HTMLButtonElement {
  const node = element("button", { class: className, text, attributes: { type: "button" } });
  if (title !== undefined) node.title = title;
  node.addEventListener("click", () => {
    onClick();
    // A focused button would take the space bar, which is the handbrake.
    node.blur();
  });
  return node;
}
