// SPDX-License-Identifier: Apache-2.0
// Figures for people to read.

/** A size and its name. */
type Unit = [number, string];

const BITS: Unit[] = [
  [1e12, "Tbit/s"],
  [1e9, "Gbit/s"],
  [1e6, "Mbit/s"],
  [1e3, "kbit/s"],
];

const BYTES: Unit[] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

/** A rate with three significant digits and its unit; a dash for none. */
export function rate(bitsPerSecond: number | null): string {
  if (bitsPerSecond === null) {
    return "–";
  }
  return bitsPerSecond === 0 ? "0" : inUnits(bitsPerSecond, BITS, [1, "bit/s"]);
}

/** A rate of a greater one, with one unit where it is the same. */
export function rateOf(bitsPerSecond: number, most: number): string {
  const [part, whole] = [rate(bitsPerSecond), rate(most)];
  const unit = whole.slice(whole.indexOf(" "));
  return `${part.endsWith(unit) ? part.slice(0, -unit.length) : part} of ${whole}`;
}

/** A share of 0 to 1 in percent: to a tenth below 10, whole above; more is noise. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) {
    return "< 0.1 %";
  }
  return `${String(Number(value.toFixed(value < 10 ? 1 : 0)))} %`;
}

/** A count, in groups of three digits. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Three significant digits without needless zeros or exponent. */
export function significant(value: number): string {
  if (value === 0) {
    return "0";
  }
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(Math.min(digits, 6))));
}

/** How long ago something was: whole seconds, minutes, hours or days. */
export function ago(then: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(then)) / 1000));
  if (Number.isNaN(seconds)) {
    return "–";
  }
  if (seconds < 2) {
    return "now";
  }
  if (seconds < 120) {
    return `${String(seconds)} s ago`;
  }
  if (seconds < 7200) {
    return `${String(Math.floor(seconds / 60))} min ago`;
  }
  if (seconds < 172_800) {
    return `${String(Math.floor(seconds / 3600))} h ago`;
  }
  return `${String(Math.floor(seconds / 86_400))} days ago`;
}

/** A number of bytes with three significant digits and its unit. */
export function bytes(count: number): string {
  return inUnits(count, BYTES, [1, "B"]);
}

/** In the first of these units that it reaches, the largest first; else in the smallest. */
function inUnits(value: number, larger: readonly Unit[], smallest: Unit): string {
  const [size, name] = larger.find(([least]) => value >= least) ?? smallest;
  return `${significant(value / size)} ${name}`;
}

/** How far away an instant is: to the millisecond below 1 s, to a tenth below 10 s; behind, how long it is past. */
export function until(instant: string, now: number): string {
  const millis = Date.parse(instant) - now;
  if (Number.isNaN(millis)) {
    return "–";
  }
  if (millis < 0) {
    return ago(instant, now);
  }
  if (millis < 1000) {
    return `in ${String(Math.round(millis))} ms`;
  }
  return `in ${millis < 10_000 ? (millis / 1000).toFixed(1) : significant(Math.floor(millis / 1000))} s`;
}

/** The time of day of an instant, in this place, to the millisecond. */
export function timeOfDay(instant: string): string {
  const millis = Date.parse(instant);
  return Number.isNaN(millis)
    ? instant
    : `${clockTime(millis)}.${String(new Date(millis).getMilliseconds()).padStart(3, "0")}`;
}

/** The time of day, in this place, to the second. */
export function clockTime(millis: number): string {
  const date = new Date(millis);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((n) => String(n).padStart(2, "0"))
    .join(":");
}

/** An address as RFC 5952 writes it; browsers write hosts so, and IPv4 is left as it is. */
export function address(text: string): string {
  if (!text.includes(":")) {
    return text;
  }
  try {
    return new URL(`http://[${text}]`).hostname.slice(1, -1);
  } catch {
    return text;
  }
}
