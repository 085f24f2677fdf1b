/**
 * Returns the machine's monotonic clock, ms. All processes share it, also those in other network namespaces.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
