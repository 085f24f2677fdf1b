/** The machine's monotonic clock, ms: the same one for all processes, whatever namespace they are in. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
