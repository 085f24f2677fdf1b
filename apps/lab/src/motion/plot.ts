/** A curve of the plot: error against bytes per second. */
export interface PlotCurve {
  readonly name: string;
  readonly points: readonly { readonly wireBytesPerSecond: number; readonly positionErrorP95M: number }[];
}

const WIDTH = 760;
const HEIGHT = 460;
const LEFT = 80;
const TOP = 48;
const RIGHT = 190;
const BOTTOM = 60;
const COLOURS = ["#1b7f4b", "#c8452d", "#3566b8", "#8a5ab5", "#777777"] as const;

/** Returns an SVG of the curves, with logarithmic axes. */
export function plotSvg(title: string, curves: readonly PlotCurve[]): string {
  const points = curves.flatMap((curve) => curve.points);
  const x = axis(
    points.map((point) => point.wireBytesPerSecond),
    [LEFT, WIDTH - RIGHT],
  );
  const y = axis(
    points.map((point) => point.positionErrorP95M),
    [HEIGHT - BOTTOM, TOP],
  );
  const lines = curves.map((curve, index) => {
    const colour = COLOURS[index % COLOURS.length]!;
    const places = curve.points.map((point) => [
      x.at(point.wireBytesPerSecond),
      y.at(point.positionErrorP95M),
    ]);
    const path = places.map(([px, py]) => `${px!.toFixed(1)},${py!.toFixed(1)}`).join(" ");
    const dots = places.map(
      ([px, py]) => `<circle cx="${px!.toFixed(1)}" cy="${py!.toFixed(1)}" r="4" fill="${colour}"/>`,
    );
    const key = TOP + 16 + index * 22;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}
<circle cx="${WIDTH - RIGHT + 20}" cy="${key - 4}" r="4" fill="${colour}"/><text x="${WIDTH - RIGHT + 32}" y="${key}">${curve.name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${LEFT}" y="26" font-size="16">${title}</text>
${x.ticks.map((tick) => `<line x1="${x.at(tick)}" y1="${TOP}" x2="${x.at(tick)}" y2="${HEIGHT - BOTTOM}" stroke="#e3e3e3"/><text x="${x.at(tick)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${tick}</text>`).join("\n")}
${y.ticks.map((tick) => `<line x1="${LEFT}" y1="${y.at(tick)}" x2="${WIDTH - RIGHT}" y2="${y.at(tick)}" stroke="#e3e3e3"/><text x="${LEFT - 8}" y="${y.at(tick) + 4}" text-anchor="end">${tick}</text>`).join("\n")}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 16}" text-anchor="middle">bytes per second on the wire, per entity and receiver</text>
<text transform="translate(20 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">position error, 95th percentile (m)</text>
${lines.join("\n")}
</svg>
`;
}

interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function axis(values: readonly number[], [start, end]: readonly [number, number]): Axis {
  const steps = [1, 2, 5];
  const all = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) =>
    steps.map((step) => Number((step * 10 ** power).toPrecision(1))),
  );
  const least = Math.min(...values);
  const most = Math.max(...values);
  const low = all.filter((tick) => tick <= least).at(-1) ?? least;
  const high = all.find((tick) => tick >= most) ?? most;
  const scale = (end - start) / (Math.log(high) - Math.log(low));
  return {
    ticks: all.filter((tick) => tick >= low && tick <= high),
    at: (value) => Number((start + (Math.log(value) - Math.log(low)) * scale).toFixed(1)),
  };
}
