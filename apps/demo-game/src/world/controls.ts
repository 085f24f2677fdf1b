import { element, setText } from "../ui/element.js";
import { schemes, type WorldChoice } from "./world-kinds.js";

/** A slider over a few values. */
export function slider<Value extends number>(
  label: string,
  values: readonly Value[],
  start: Value,
  textOf: (value: Value) => string,
  onChoose: (value: Value) => void,
): HTMLElement {
  const output = element("output", { text: textOf(start) });
  const input = element("input", {
    attributes: { type: "range", min: "0", max: String(values.length - 1), step: "1", "aria-label": label },
  });
  input.value = String(values.indexOf(start));
  input.addEventListener("input", () => {
    const value = values[Number(input.value)]!;
    setText(output, textOf(value));
    input.setAttribute("aria-valuetext", textOf(value));
    onChoose(value);
  });
  return element("label", { class: "control" }, [element("span", { text: label }), input, output]);
}

/** A choice of how the ground is divided. */
export function schemeChoice(start: string, onChoose: (scheme: WorldChoice["scheme"]) => void): HTMLElement {
  const select = element(
    "select",
    { attributes: { "aria-label": "Cells" } },
    schemes.map((scheme) => element("option", { text: scheme, attributes: { value: scheme } })),
  );
  select.value = start;
  select.addEventListener("change", () => onChoose(schemes.find((scheme) => scheme === select.value)!));
  return element("label", { class: "control" }, [element("span", { text: "Cells" }), select]);
}
