/**
 * Colours that all circuits share; each circuit has its own for ground and trees. ui/style.css has the
 * colours of the page.
 */
export const palette = {
  water: "#5fb3d4",
  waterEdge: "#d8c894",
  asphalt: "#454a54",
  asphaltEdge: "#3c414a",
  /** The tyre lanes, wide and narrow: opaque, so that overlaps stay invisible. */
  rubber: ["#3e434d", "#383d45"],
  line: "#f4f4f0",
  kerbRed: "#d8433b",
  kerbWhite: "#f6f3ee",
  gravel: "#dcc592",
  gravelDot: "#c4aa74",
  wall: "#f2f0ea",
  wallStripe: "#d8433b",
  board: "#22304f",
  boardText: "#ffffff",
  stand: "#c9ced6",
  standRoof: "#e9ecf1",
  crowd: ["#d8433b", "#f2b632", "#3f7fd6", "#ffffff", "#35a36b", "#8b5bd1", "#2a2f3a"],
  shadow: "rgba(15, 25, 20, 0.28)",
  tyreMark: "18, 19, 24",
  direct: "#3ecf7a",
  relayed: "#f2b632",
} as const;
