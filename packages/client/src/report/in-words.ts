export function percent(ratio: number, places = 0): string {
  return `${(ratio * 100).toFixed(places)} %`;
}

/** Returns a measured value, and in brackets the band in force. */
export function measuredInWords(name: string, value: string | undefined, band?: string): string {
  if (value === undefined) return `${name} unknown`;
  return band === undefined ? `${name} ${value}` : `${name} ${value} (${band})`;
}
