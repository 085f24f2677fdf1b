/** Numbers as the panel writes them: as many digits as help, and a dash for what is not known. */
export const inWords = {
  ms(value: number | undefined): string {
    if (value === undefined) return "–";
    return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  },
  bytes(value: number): string {
    return value < 1000 ? `${value.toFixed(0)} B` : `${(value / 1000).toFixed(1)} kB`;
  },
  rate(bytesPerSecond: number): string {
    return `${inWords.bytes(bytesPerSecond)}/s`;
  },
  percent(ratio: number): string {
    return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.1 ? 1 : 0)} %`;
  },
  /** Since the room's clock began. */
  time(atMs: number): string {
    const seconds = Math.floor(atMs / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  },
};
