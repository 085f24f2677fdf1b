/** Formats numbers for the panel: with the digits that matter, and a dash if unknown. */
export const inWords = {
  ms(this: void, value: number | undefined): string {
    if (value === undefined) return "–";
    return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  },
  metres(this: void, value: number | undefined): string {
    if (value === undefined) return "–";
    return `${value.toFixed(value < 10 ? 2 : 0)} m`;
  },
  bytes(this: void, value: number): string {
    if (value < 1000) return `${value.toFixed(0)} B`;
    return value < 1_000_000 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`;
  },
  rate(this: void, bytesPerSecond: number): string {
    return `${inWords.bytes(bytesPerSecond)}/s`;
  },
  percent(this: void, ratio: number): string {
    return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.1 ? 1 : 0)} %`;
  },
  time(this: void, atMs: number): string {
    const seconds = Math.floor(atMs / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  },
};
