/** Functions that run in the page and look for faults of its layout. */

/** In the page: returns the parts of the interface that overlap or leave the window. */
export function overlaps(): string[] {
  const parts = [
    ".place-card, .watched, .standings, .badge, .minimap, .speed-card, .lights, .results, .message, .wrong-way",
    ".chat-form, .chat-lines:has(.fresh), .drift, .toast, .tool, .touch-pad, .start-card, .no-canvas",
  ].join(", ");
  const found = [...document.querySelectorAll<HTMLElement>(parts)];
  const panel = document.querySelector("[data-paceline-panel]")?.shadowRoot?.querySelector("aside");
  if (panel) found.push(panel);
  const shown = found.flatMap((element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    if (
      width === 0 ||
      height === 0 ||
      !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
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
  return problems;
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
