/** Returns the number with at most three decimal places. */
export function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

export function percent(ratio: number, places = 0): string {
  return `${(ratio * 100).toFixed(places)} %`;
}

/** Returns a measured value, and in brackets the band in force. */
export function measuredInWords(name: string, value: string | undefined, band?: string): string {
  if (value === undefined) return `${name} unknown`;
  return band === undefined ? `${name} ${value}` : `${name} ${value} (${band})`;
}
