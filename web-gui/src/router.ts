// SPDX-License-Identifier: Apache-2.0

/** Something with details of its own. */
export interface Target {
  kind: TargetKind;
  id: string;
}

const TARGET_KINDS = ["endpoint", "port", "switch", "host", "flow"] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export const VIEWS = [
  "network",
  "ports",
  "endpoints",
  "tenants",
  "deadlines",
  "hosts",
  "journal",
] as const;
export type View = (typeof VIEWS)[number];

/** What the page shows: one of its views, and perhaps something's details. */
export interface Place {
  view: View;
  target: Target | undefined;
}

/** The place that a fragment such as `#ports/port/of:0000000000000001/5` names. */
export function placeOf(fragment: string, fallback: View): Place {
  const [name = "", kind = "", ...id] = fragment.replace(/^#/, "").split("/").map(decoded);
  const view = VIEWS.find((each) => each === name) ?? fallback;
  const known = TARGET_KINDS.find((each) => each === kind);
  return {
    view,
    target: known === undefined || id.length === 0 ? undefined : { kind: known, id: id.join("/") },
  };
}

/** The fragment that names a place. */
export function fragmentOf({ view, target }: Place): string {
  return target === undefined
    ? `#${view}`
    : `#${view}/${target.kind}/${target.id.split("/").map(encodeURIComponent).join("/")}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
