// SPDX-License-Identifier: Apache-2.0
// Figures for people to read.

/** A size and its name. */
type Unit = [number, string];

const MEGABITS: Unit[] = [
  [1e6, "Tbit/s"],
  [1e3, "Gbit/s"],
  [1, "Mbit/s"],
  [1e-3, "kbit/s"],
];

const BYTES: Unit[] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];

/** A rate with three significant digits and its unit; a dash for none. */
export function rate(mbps: number | null): string {
  if (mbps === null) {
    return "–";
  }
  return mbps === 0 ? "0" : inUnits(mbps, MEGABITS, [1e-6, "bit/s"]);
}

/** A share of 0 to 1 in percent. */
export function percent(share: number): string {
  return `${significant(share * 100)} %`;
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

/** How far away an instant is: milliseconds below 10 s, then seconds; behind, how long it is past. */
export function until(instant: string, now: number): string {
  const millis = Date.parse(instant) - now;
  if (Number.isNaN(millis)) {
    return "–";
  }
  if (millis < 0) {
    return ago(instant, now);
  }
  return millis < 10_000
    ? `in ${String(Math.round(millis))} ms`
    : `in ${significant(Math.floor(millis / 1000))} s`;
}

/** The time of day of an instant, in this place, to the millisecond. */
export function timeOfDay(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) {
    return instant;
  }
  const two = (n: number) => String(n).padStart(2, "0");
  const millis = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`;
}
