interface Parts {
  readonly class?: string;
  readonly text?: string;
  readonly title?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * Makes an element. `text` becomes text, never markup, because names and reasons may come from other players.
 */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { class: className, text, title, attributes = {} }: Parts = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (className !== undefined) node.className = className;
  if (text !== undefined) node.textContent = text;
  if (title !== undefined) node.title = title;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function makeSvg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/** Sets the text only if it differs: this keeps the user's selection and avoids a layout. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function makeButton(
  text: string,
  onClick: () => void,
  parts: Omit<Parts, "text"> = {},
): HTMLButtonElement {
  const node = make("button", { ...parts, text, attributes: { type: "button", ...parts.attributes } });
  node.addEventListener("click", (event) => {
    onClick();
    // After a pointer click, the game gets the keys back. A click by keyboard keeps the focus.
    if (event.detail > 0) node.blur();
  });
  return node;
}

/** Makes a collapsible section with a heading. */
export function makeSection(title: string, isOpen: boolean, children: readonly Node[]): HTMLDetailsElement {
  const node = make("details", {}, [make("summary", { text: title }), ...children]);
  node.open = isOpen;
  return node;
}

/** Rows that lists show, as JSON. */
const shownRows = new WeakMap<Element, string>();

/** Fills a list with a row for each item, unless it shows these items already. */
export function showRows<Item>(
  list: Element,
  items: readonly Item[],
  row: (item: Item) => readonly (Node | string)[],
): void {
  const key = JSON.stringify(items);
  if (key === shownRows.get(list)) return;
  shownRows.set(list, key);
  list.replaceChildren(...items.map((item) => make("li", {}, row(item))));
}

/** Fills a field with choices and keeps the user's, unless it has these choices already. */
export function showChoices(
  field: HTMLSelectElement,
  choices: readonly (readonly [value: string, text: string])[],
): void {
  const key = JSON.stringify(choices);
  if (key === shownRows.get(field)) return;
  shownRows.set(field, key);
  const { value } = field;
  field.replaceChildren(
    ...choices.map(([each, text]) => make("option", { text, attributes: { value: each } })),
  );
  field.value = choices.some(([each]) => each === value) ? value : (choices[0]?.[0] ?? "");
}
