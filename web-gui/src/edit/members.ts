// SPDX-License-Identifier: Apache-2.0
import { metadataOf, metadataText } from "../metadata";
import type { Member } from "../model";
import { numberOf, refused } from "./form";

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;
/** An address has dots or colons: cafe/1 is an interface of a host. */
const PREFIX = /^(?=[^/]*[.:])[0-9a-f.:]+(\/\d+)?$/i;

/** A member as the controller takes it; what cannot be read goes as it is, for it to refuse. */
type TypedMember = Omit<Member, "weight"> & { weight?: number };

/** Members as they are typed: 10.1.0.0/16, 02:00:00:00:01:01, h1/vm0=2, namespace:shop+label:app:web. */
export function membersText(members: readonly Member[]): string {
  return members.map(memberText).join(", ");
}

/** The first of these members that typed text names, though it would be read as something else. */
export function misreadMember(typed: string, members: readonly Member[]): string | undefined {
  return members
    .filter((member) => !isReadAs(memberText(member), member))
    .map(nameOf)
    .find((name) => typed.includes(name));
}

function memberText(member: Member): string {
  const name = nameOf(member);
  // What follows the last = is the weight, also where the name has one.
  const weight = member.weight ?? (name.includes("=") ? 1 : undefined);
  return weight === undefined ? name : `${name}=${String(weight)}`;
}

function nameOf(member: Member): string {
  const { ipPrefix, mac, host, interface: name } = member;
  const metadata = metadataText(member);
  return metadata === "" ? (ipPrefix ?? mac ?? `${host ?? ""}/${name ?? ""}`) : metadata;
}

function isReadAs(typed: string, member: Member): boolean {
  const [read, ...others] = membersOf(typed);
  return (
    others.length === 0 &&
    read !== undefined &&
    read.ipPrefix === member.ipPrefix &&
    read.mac === member.mac &&
    read.host === member.host &&
    read.interface === member.interface &&
    metadataText(read) === metadataText(member) &&
    (read.weight ?? 1) === (member.weight ?? 1)
  );
}

export function membersOf(text: string): TypedMember[] {
  return text
    .split(/[\s,]+/)
    .filter((typed) => typed !== "")
    .map(memberOf);
}

function weightOf(typed: string, member: string): number {
  const weight = numberOf(typed, "members");
  if (weight === null) {
    throw refused("members", `The weight of ${member} is missing.`);
  }
  return weight;
}

function memberOf(typed: string): TypedMember {
  const equals = typed.lastIndexOf("=");
  const name = equals < 0 ? typed : typed.slice(0, equals);
  const weighed = equals < 0 ? {} : { weight: weightOf(typed.slice(equals + 1), name) };
  if (MAC.test(name)) {
    return { mac: name, ...weighed };
  }
  const metadata = metadataOf(name);
  if (metadata !== undefined) {
    return { ...metadata, ...weighed };
  }
  const slash = name.indexOf("/");
  return PREFIX.test(name) || slash < 0
    ? { ipPrefix: name, ...weighed }
    : { host: name.slice(0, slash), interface: name.slice(slash + 1), ...weighed };
}
