// SPDX-License-Identifier: Apache-2.0
import { rate, significant } from "../format";
import type { Endpoint, Member, Tenant } from "../model";

/** Weights as parts of the greatest, for bars. */
export function weightShare(tenant: Tenant, all: readonly Tenant[]): number {
  const greatest = Math.max(...all.map((one) => one.weight));
  return greatest > 0 ? tenant.weight / greatest : 0;
}

export function memberText(member: Member): string {
  const name = member.ipPrefix ?? member.mac ?? `${member.host ?? "?"}/${member.interface ?? "?"}`;
  return member.weight === undefined ? name : `${name} (weight ${significant(member.weight)})`;
}

/** A guarantee or ceiling; 0 stands for none. */
export function boundText(mbps: number): string {
  return mbps === 0 ? "none" : rate(mbps);
}

/** What the endpoints of each tenant do together. */
export interface TenantTotals {
  endpoints: number;
  heldBack: number;
  deliveredMbps: number;
}

export function totalsByTenant(endpoints: Iterable<Endpoint>): Map<string, TenantTotals> {
  const totals = new Map<string, TenantTotals>();
  for (const { tenant, heldBack, deliveredMbps } of endpoints) {
    const total = totals.get(tenant) ?? { endpoints: 0, heldBack: 0, deliveredMbps: 0 };
    total.endpoints++;
    total.heldBack += Number(heldBack);
    total.deliveredMbps += deliveredMbps;
    totals.set(tenant, total);
  }
  return totals;
}
