// SPDX-License-Identifier: Apache-2.0
import type { Member } from "../model";
import { numberOf } from "./form";

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;
const PREFIX = /^[0-9a-f.:]+(\/\d+)?$/i;

/** A member as the controller takes it; what cannot be read goes as it is, for it to refuse. */
type TypedMember = Omit<Member, "weight"> & { weight?: number | string };

/** Members as they are typed: 10.1.0.0/16, 02:00:00:00:01:01, h1/vm0=2. */
export function membersText(members: readonly Member[]): string {
  return members
    .map(({ ipPrefix, mac, host, interface: name, weight }) => {
      const member = ipPrefix ?? mac ?? `${host ?? ""}/${name ?? ""}`;
      return weight === undefined ? member : `${member}=${String(weight)}`;
    })
    .join(", ");
}

export function membersOf(text: string): TypedMember[] {
  return text
    .split(/[\s,]+/)
    .filter((typed) => typed !== "")
    .map(memberOf);
}

function memberOf(typed: string): TypedMember {
  const [name = "", weight] = typed.split(/=(.*)/s);
  const weighed = weight === undefined ? {} : { weight: numberOf(weight) ?? "" };
  if (MAC.test(name)) {
    return { mac: name, ...weighed };
  }
  const slash = name.indexOf("/");
  return PREFIX.test(name) || slash < 0
    ? { ipPrefix: name, ...weighed }
    : { host: name.slice(0, slash), interface: name.slice(slash + 1), ...weighed };
}
