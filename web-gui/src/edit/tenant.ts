// SPDX-License-Identifier: Apache-2.0
import { pathOf, type Rest, Unavailable } from "../api";
import type { Member, Tenant } from "../model";
import { type Field, FormDialog, numberOf, refused } from "./form";
import { membersOf, membersText, misreadMember } from "./members";

/** People type rates in Mbit/s: ten to the power of this bit/s. */
const MEGABIT = 6;
const PRECONDITION_FAILED = 412;
const CHANGED_MEANWHILE =
  "Somebody else has changed this tenant since you opened it. Close this and open it again.";
/** The server would take the address of a tenant with such an id for another one. */
const NO_PART_OF_AN_ADDRESS = /^\.{0,2}$/;

/** What a tenant is due, as REST names it; without a tenant the defaults. */
function fieldsOf(tenant: Tenant | undefined): Field[] {
  const bound = (bitsPerSecond = 0) =>
    bitsPerSecond === 0 ? "" : String(bitsPerSecond / 10 ** MEGABIT);
  return [
    {
      name: "weight",
      label: "Weight",
      hint: "Its part of a congested port, against the others' weights",
      value: String(tenant?.weight ?? 1),
      required: true,
    },
    {
      name: "guaranteeBitsPerSecond",
      label: "Guarantee, Mbit/s",
      hint: "What it gets at least; empty for none",
      value: bound(tenant?.guaranteeBitsPerSecond),
      required: false,
    },
    {
      name: "ceilingBitsPerSecond",
      label: "Ceiling, Mbit/s",
      hint: "What it gets at most; empty for none",
      value: bound(tenant?.ceilingBitsPerSecond),
      required: false,
    },
    {
      name: "receiveCeilingBitsPerSecond",
      label: "Receive ceiling, Mbit/s",
      hint: "What the network brings each of its endpoints at most; empty for none",
      value: bound(tenant?.receiveCeilingBitsPerSecond),
      required: false,
    },
    {
      name: "members",
      label: "Members",
      hint: "Such as 10.1.0.0/16, 02:00:00:00:01:01, h1/vm0=2 (weight 2)",
      value: membersText(tenant?.members ?? []),
      required: false,
    },
  ];
}

/**
 * What was typed, as REST takes it.
 *
 * @param members the members of a tenant that there is; left out if the same were typed
 * @throws Unavailable if one of these was typed that would be read as another one
 */
export function tenantBody(
  values: ReadonlyMap<string, string>,
  members?: readonly Member[],
): Record<string, unknown> {
  const number = (name: string, exponent = 0) => numberOf(values.get(name) ?? "", name, exponent);
  const rate = (name: string) => number(name, MEGABIT) ?? 0;
  const weight = number("weight");
  if (weight === null) {
    throw refused("weight", "Weight is missing."); // null would be the default
  }
  return {
    weight,
    guaranteeBitsPerSecond: rate("guaranteeBitsPerSecond"),
    ceilingBitsPerSecond: rate("ceilingBitsPerSecond"),
    receiveCeilingBitsPerSecond: rate("receiveCeilingBitsPerSecond"),
    ...changedMembers(values.get("members") ?? "", members),
  };
}

function changedMembers(typed: string, members?: readonly Member[]): Record<string, unknown> {
  if (members !== undefined && typed === membersText(members)) {
    return {};
  }
  const misread = misreadMember(typed, members ?? []);
  if (misread !== undefined) {
    throw refused(
      "members",
      `${misread} would be read as something else. Change these members by REST.`,
    );
  }
  return { members: membersOf(typed) };
}

/** Where a tenant is changed, with what it entails allowed or not. */
function target(path: string, isConfirmed: boolean): string {
  return isConfirmed ? `${path}?allowRefusedAddresses=true` : path;
}

/** Does it; a tenant that is not as it was taken to be is refused in other words. */
async function unlessStale(
  change: Promise<unknown>,
  inOtherWords: Unavailable = new Unavailable(CHANGED_MEANWHILE, PRECONDITION_FAILED),
): Promise<void> {
  try {
    await change;
  } catch (error) {
    throw error instanceof Unavailable && error.status === PRECONDITION_FAILED
      ? inOtherWords
      : error;
  }
}

/** Lets an operator add a tenant. */
export function addTenant(rest: Rest): void {
  const id = {
    name: "id",
    label: "Id",
    hint: "Such as gold; it cannot be changed later",
    value: "",
    required: true,
  };
  new FormDialog(
    "Add a tenant",
    "In force within a second.",
    [id, ...fieldsOf(undefined)],
    "Add",
    (values, isConfirmed) => createTenant(rest, values, isConfirmed),
  );
}

/** Creates what was typed; a tenant that there is stays as it is. */
export async function createTenant(
  rest: Rest,
  values: ReadonlyMap<string, string>,
  isConfirmed = false,
): Promise<void> {
  const id = values.get("id") ?? "";
  if (NO_PART_OF_AN_ADDRESS.test(id)) {
    throw refused("id", "A tenant needs an id, such as gold.");
  }
  await unlessStale(
    rest.create(target(`tenants/${encodeURIComponent(id)}`, isConfirmed), tenantBody(values)),
    refused("id", "There is a tenant of this id already. Use another id, or edit that one."),
  );
}

/** Lets an operator change what a tenant is due, and who belongs to it. */
export async function editTenant(rest: Rest, id: string): Promise<void> {
  const path = `tenants/${pathOf(id)}`;
  const { value: tenant, tag } = await rest.readTagged<Tenant>(path);
  new FormDialog(
    `Tenant ${id}`,
    "In force within a second.",
    fieldsOf(tenant),
    "Change",
    async (values, isConfirmed) =>
      unlessStale(
        rest.change("PATCH", target(path, isConfirmed), tenantBody(values, tenant.members), tag),
      ),
  );
}

/** Lets an operator remove a tenant, once it was confirmed. */
export async function removeTenant(rest: Rest, id: string): Promise<void> {
  const path = `tenants/${pathOf(id)}`;
  const { value: tenant, tag } = await rest.readTagged<Tenant>(path);
  const members = tenant.members.length === 0 ? "none" : membersText(tenant.members);
  new FormDialog(
    `Remove tenant ${id}`,
    `Its endpoints become those of tenant default. Members: ${members}`,
    [],
    "Remove",
    (_values, isConfirmed) =>
      unlessStale(rest.change("DELETE", target(path, isConfirmed), undefined, tag)),
  );
}
