/** Names of the colours that the page offers, and of the spare ones of `liveriesOf`. */
const COLOR_NAMES: Readonly<Record<string, string>> = {
  "#e5484d": "Red",
  "#f2b632": "Yellow",
  "#2f80ed": "Blue",
  "#27ae60": "Green",
  "#9b51e0": "Purple",
  "#ff7ab6": "Pink",
  "#14b8c4": "Teal",
  "#f2f4f8": "White",
  "#ff8a3d": "Orange",
  "#8d5a3b": "Brown",
  "#1b2a6b": "Navy",
  "#b8e04a": "Lime",
  "#7a1f2b": "Maroon",
  "#9fd8ff": "Sky blue",
  "#5c6470": "Grey",
  "#d9b3ff": "Lilac",
};

export function colorName(color: string): string {
  return COLOR_NAMES[color] ?? `Colour ${color}`;
}

/** Says that a driver's car has another colour than the wanted one; undefined if it has the wanted one. */
export function colorNews(wanted: string, painted: string): { title: string; text: string } | undefined {
  if (wanted === painted) return undefined;
  const [other, own] = [colorName(wanted), colorName(painted)];
  return {
    title: `Your car is ${own.toLowerCase()} in this race`,
    text: `Another car has a colour like your ${other.toLowerCase()}.`,
  };
}
