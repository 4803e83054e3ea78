// SPDX-License-Identifier: Apache-2.0
import type { Point } from "./layout";

/** A direction of an arrow key. */
const DIRECTIONS: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** What is aside of the way counts more than what is along it. */
const ASIDE = 2.5;

/**
 * The nearest of the places in the direction of an arrow key.
 *
 * @returns its index; undefined: it is no arrow key, or there is nothing
 */
export function nextTo(from: Point, key: string, places: readonly Point[]): number | undefined {
  const direction = DIRECTIONS[key];
  if (direction === undefined) {
    return undefined;
  }
  let best: number | undefined;
  let least = Infinity;
  places.forEach((place, i) => {
    const [dx, dy] = [place.x - from.x, place.y - from.y];
    const along = dx * direction.x + dy * direction.y;
    const aside = Math.abs(dx * direction.y) + Math.abs(dy * direction.x);
    const distance = along + ASIDE * aside;
    if (along > 1 && distance < least) {
      least = distance;
      best = i;
    }
  });
  return best;
}

/** How far a point is from a line. */
export function distanceTo(point: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / square;
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(point.x - from.x - part * dx, point.y - from.y - part * dy);
}
