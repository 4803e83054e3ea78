// SPDX-License-Identifier: Apache-2.0
import { metadataText } from "../metadata";
import { address, percent, rate, significant } from "../format";
import type { Endpoint, Member, Port, Tenant } from "../model";
import type { Names } from "../names";

/** Weights as parts of the greatest, for bars. */
export function weightShare(tenant: Tenant, all: readonly Tenant[]): number {
  const greatest = Math.max(...all.map((one) => one.weight));
  return greatest > 0 ? tenant.weight / greatest : 0;
}

export function memberText(member: Member): string {
  const name =
    metadataText(member) ||
    (member.ipPrefix ?? member.mac ?? `${member.host ?? "?"}/${member.interface ?? "?"}`);
  return member.weight === undefined ? name : `${name} (weight ${significant(member.weight)})`;
}

/** A guarantee or ceiling; 0 stands for none. */
export function boundText(bitsPerSecond: number): string {
  return bitsPerSecond === 0 ? "none" : rate(bitsPerSecond);
}

/** Why a tenant does not have what it is due, whatever else there is. */
export function amissText(
  tenant: string,
  endpoints: Iterable<Endpoint>,
  ports: Iterable<Port>,
  names: Names,
): string {
  const amiss = [];
  for (const endpoint of endpoints) {
    if (endpoint.tenant === tenant && endpoint.refusedIps.length > 0) {
      amiss.push(`${endpoint.id}: ${endpoint.refusedIps.map(address).join(", ")} refused`);
    }
  }
  for (const { id, floorScale, scaledTenants } of ports) {
    if (scaledTenants.includes(tenant)) {
      amiss.push(`${percent(floorScale)} of its guarantee at ${names.ofPort(id)}`);
    }
  }
  return amiss.join("; ");
}

/** What the endpoints of each tenant do together. */
export interface TenantTotals {
  endpoints: number;
  heldBack: number;
  /** Null: no agent of any of them reports. */
  deliveredBitsPerSecond: number | null;
}

export function totalsByTenant(endpoints: Iterable<Endpoint>): Map<string, TenantTotals> {
  const totals = new Map<string, TenantTotals>();
  for (const { tenant, heldBack, deliveredBitsPerSecond } of endpoints) {
    const total: TenantTotals = totals.get(tenant) ?? {
      endpoints: 0,
      heldBack: 0,
      deliveredBitsPerSecond: null,
    };
    total.endpoints++;
    total.heldBack += Number(heldBack);
    if (deliveredBitsPerSecond !== null) {
      total.deliveredBitsPerSecond = (total.deliveredBitsPerSecond ?? 0) + deliveredBitsPerSecond;
    }
    totals.set(tenant, total);
  }
  return totals;
}
