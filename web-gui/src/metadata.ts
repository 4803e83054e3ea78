// SPDX-License-Identifier: Apache-2.0
// Members by what hosts know of interfaces, as they are typed: namespace:shop+label:app:web.
import type { Member } from "./model";

type Metadata = Pick<Member, "domain" | "namespace" | "labels" | "network" | "vlan" | "bridge">;

const KINDS = /^(domain|namespace|label|network|vlan|bridge):/;

/** Empty where a member is named in another way. */
export function metadataText(member: Metadata): string {
  const word = (kind: string, value: string | number | undefined) =>
    value === undefined ? [] : [`${kind}:${String(value)}`];
  const labels = Object.entries(member.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...word("domain", member.domain),
    ...word("namespace", member.namespace),
    ...labels.flatMap(([key, value]) => word("label", `${key}:${value}`)),
    ...word("network", member.network),
    ...word("vlan", member.vlan),
    ...word("bridge", member.bridge),
  ].join("+");
}

/** Undefined where the text is of another kind, or for the controller to refuse. */
export function metadataOf(text: string): Metadata | undefined {
  const metadata: Metadata = {};
  for (const word of text.split("+")) {
    const kind = KINDS.exec(word)?.[1];
    if (kind === undefined) {
      return undefined;
    }
    const value = word.slice(kind.length + 1);
    if (kind === "label") {
      const colon = value.lastIndexOf(":");
      metadata.labels = {
        ...metadata.labels,
        [value.slice(0, Math.max(colon, 0))]: value.slice(colon + 1),
      };
    } else if (kind === "vlan") {
      metadata.vlan = Number(value);
    } else {
      metadata[kind as "domain" | "namespace" | "network" | "bridge"] = value;
    }
  }
  // What would be written otherwise was given twice or is no number.
  return metadataText(metadata).length === text.length ? metadata : undefined;
}
