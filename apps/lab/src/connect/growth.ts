/**
 * Returns the growth of a series over its second half, by a straight line (least squares), so that a single
 * outlier matters
 * little. In the first half, caches and allocators reach their size.
 */
export function lateGrowth(samples: readonly number[]): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const middle = (late.length - 1) / 2;
  const level = late.reduce((sum, value) => sum + value, 0) / late.length;
  const rise = late.reduce((sum, value, index) => sum + (index - middle) * (value - level), 0);
  const run = late.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return run === 0 ? 0 : (rise / run) * (late.length - 1);
}
