// SPDX-License-Identifier: Apache-2.0

/** The last values of many series, by name; series that are no longer fed are forgotten. */
export class History {
  private readonly series = new Map<string, number[]>();

  constructor(private readonly length: number) {}

  /** Takes one value for each series that there is now. */
  add(values: ReadonlyMap<string, number>): void {
    for (const name of this.series.keys()) {
      if (!values.has(name)) {
        this.series.delete(name);
      }
    }
    for (const [name, value] of values) {
      const known = this.series.get(name) ?? [];
      known.push(value);
      if (known.length > this.length) {
        known.shift();
      }
      this.series.set(name, known);
    }
  }

  of(name: string): readonly number[] {
    return this.series.get(name) ?? [];
  }
}

/**
 * The path of a line through the values, newest at the right edge, for an SVG of this size.
 *
 * @param length how many values fill the width
 * @param top the value at the upper edge; greater ones are cut off there
 */
export function linePath(
  values: readonly number[],
  length: number,
  top: number,
  width: number,
  height: number,
): string {
  if (values.length < 2 || top <= 0) {
    return "";
  }
  const step = width / (length - 1);
  const start = width - step * (values.length - 1);
  return values
    .map((value, i) => {
      const y = height * (1 - Math.min(1, Math.max(0, value / top)));
      return `${i === 0 ? "M" : "L"}${(start + i * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
