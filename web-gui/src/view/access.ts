// SPDX-License-Identifier: Apache-2.0
import type { Access } from "../model";

/** Whether the user sees ports and hosts, and not only what is a tenant's own. */
export function seesNetwork(access: Access): boolean {
  return access.role !== "tenant";
}

/** Whether the user may change tenants. */
export function changesTenants(access: Access): boolean {
  return access.role === "admin";
}

/** Whether the user may take hosts out of service. */
export function retiresHosts(access: Access): boolean {
  return access.role === "admin";
}

/** Whether the user may register deadlines, and withdraw them. */
export function registersDeadlines(access: Access): boolean {
  return access.role === "admin" || access.registersDeadlines;
}
