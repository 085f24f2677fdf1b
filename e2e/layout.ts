/** Functions that run in the page and look for faults of its layout. */

/** In the page: returns the parts of the interface that overlap or leave the window. */
export function overlaps(): string[] {
  const parts = [
    ".place-card, .watched, .standings, .badge, .minimap, .speed-card, .lights, .results, .message, .wrong-way",
    ".chat-form, .chat-lines:has(.fresh), .drift, .toast, .invite, .tool, .touch-pad, .start-card, .no-canvas",
  ].join(", ");
  const found = [...document.querySelectorAll<HTMLElement>(parts)];
  const panel = document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelector("aside");
  if (panel) found.push(panel);
  const shown = found.flatMap((element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    if (
      width === 0 ||
      height === 0 ||
      !element.checkVisibility({ opacityProperty: !element.matches(".drift"), visibilityProperty: true })
    )
      return [];
    const name = `${element.className || element.tagName} “${(element.textContent ?? "").slice(0, 18)}”`;
    return [{ element, name, left, top, right, bottom }];
  });
  const problems: string[] = [];
  shown.forEach((one, index) => {
    // A start screen that is longer than the window scrolls.
    const isCut =
      one.left < -0.5 || one.right > innerWidth + 0.5 || one.bottom > innerHeight + 0.5 || one.top < -0.5;
    if (isCut && !one.element.matches(".start-card")) problems.push(`${one.name} is cut off`);
    for (const other of shown.slice(index + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const [x, y] = [
        Math.min(one.right, other.right) - Math.max(one.left, other.left),
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
      ];
      if (x > 0.5 && y > 0.5)
        problems.push(`${one.name} lies on ${other.name} by ${x.toFixed(0)}x${y.toFixed(0)}`);
    }
  });
  const { paceline } = window as unknown as { readonly paceline?: { readonly game: CarHandle } };
  if (!paceline) return problems;
  const { x, y, radiusPx } = paceline.game.carOnScreen;
  for (const { element, name, left, top, right, bottom } of shown) {
    // The result ends the driving, and the smallest phones have no room beside the car.
    const mayCover = !element.matches(".toast, .message, .invite, .badge, .lights") || innerWidth < 350;
    const [dx, dy] = [Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0)];
    if (!mayCover && Math.hypot(dx, dy) < radiusPx) problems.push(`${name} lies on the own car`);
  }
  return problems;
}

interface CarHandle {
  readonly carOnScreen: { readonly x: number; readonly y: number; readonly radiusPx: number };
}

/** In the page: returns the faults of the speed, with three digits, in its card: broken, or out of the padding. */
export function speedFaults(): string[] {
  const card = document.querySelector<HTMLElement>(".speed-card");
  const digits = card?.querySelector<HTMLElement>(".speed b");
  const unit = card?.querySelector<HTMLElement>(".speed small");
  if (!card || !digits || !unit || !card.checkVisibility()) return [];
  const shown = digits.textContent;
  const widthOf = (text: string): number => {
    digits.textContent = text;
    return card.getBoundingClientRect().width;
  };
  const narrowPx = widthOf("7");
  const widePx = widthOf("188");
  const { paddingLeft, paddingRight } = getComputedStyle(card);
  const [outer, first, last] = [card, digits, unit].map((element) => element.getBoundingClientRect()) as [
    DOMRect,
    DOMRect,
    DOMRect,
  ];
  const lines = unit.getClientRects().length;
  digits.textContent = shown;
  const faults: string[] = [];
  if (lines !== 1 || last.top > first.bottom)
    faults.push(`the unit is in ${lines} lines, or below the digits`);
  if (first.left < outer.left + parseFloat(paddingLeft) - 0.5) faults.push("the digits leave the card");
  if (last.right > outer.right - parseFloat(paddingRight) + 0.5) faults.push("the unit leaves the card");
  if (last.left < first.right - 0.5) faults.push("the unit lies on the digits");
  if (Math.abs(widePx - narrowPx) > 0.5) faults.push(`the card grows from ${narrowPx} to ${widePx} px`);
  return faults;
}

/** In the page: makes the shown message as long as the longest news, and shows it twice. */
export function lengthenToasts(): void {
  const toast = document.querySelector<HTMLElement>(".toast");
  const text = toast?.querySelector("span");
  if (!toast || !text || toast.parentElement!.childElementCount > 1) return;
  text.textContent =
    "The relay took over in 142 ms. Largest step outside your picture: 0.21 m; 0.04 m in the 2 s before. " +
    "The path through TURN was back after 12.5 s.";
  toast.after(toast.cloneNode(true));
}

/** In the page: returns the buttons and fields that are too small for a thumb. */
export function smallTargets(): string[] {
  return [
    ...document.querySelectorAll<HTMLElement>("button, select, input:not([type=radio]), .swatch"),
  ].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    const isShown = element.checkVisibility() && width > 0 && !element.matches(".link");
    return isShown && (width < 43.5 || height < 43.5) ? [`${element.className}: ${width}x${height}`] : [];
  });
}

/** In the page: returns the texts and tooltips that name a key, which a touch screen does not have. */
export function namedKeys(): string[] {
  const texts = document.body.innerText.split("\n");
  const hints = [...document.querySelectorAll("[title], [placeholder]")].flatMap((element) => [
    element.getAttribute("title") ?? "",
    element.getAttribute("placeholder") ?? "",
  ]);
  const key = /\((?:[A-Z]|Enter|Esc|Tab)\)|\b(?:press|key|keys|keyboard|Space bar|Escape)\b|[↑↓←→]/;
  return [...texts, ...hints].filter((text) => key.test(text));
}
