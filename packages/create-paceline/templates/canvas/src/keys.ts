const held = new Set<string>();
addEventListener("keydown", ({ key }) => held.add(key));
addEventListener("keyup", ({ key }) => held.delete(key));
addEventListener("blur", () => held.clear());

const axis = (minus: string, plus: string): number => Number(held.has(plus)) - Number(held.has(minus));

/** Where the player wants to go: -1, 0 or 1 to the right and down. */
export const wish = {
  get x(): number {
    return axis("ArrowLeft", "ArrowRight");
  },
  get y(): number {
    return axis("ArrowUp", "ArrowDown");
  },
};
