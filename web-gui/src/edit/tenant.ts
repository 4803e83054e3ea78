// SPDX-License-Identifier: Apache-2.0
import { pathOf, type Rest, Unavailable } from "../api";
import type { Tenant } from "../model";
import { FormDialog, numberOf } from "./form";

const PRECONDITION_FAILED = 412;
const CHANGED_MEANWHILE =
  "Somebody else has changed this tenant since you opened it. Close this and open it again.";

/** Lets an operator change what a tenant is due. */
export async function editTenant(rest: Rest, id: string): Promise<void> {
  const path = `tenants/${pathOf(id)}`;
  const { value: tenant, tag } = await rest.readTagged<Tenant>(path);
  const bound = (mbps: number) => (mbps === 0 ? "" : String(mbps));
  new FormDialog(
    `Tenant ${id}`,
    "In force within a second. Members are changed by REST, shell or network configuration.",
    [
      {
        name: "weight",
        label: "Weight",
        hint: "Its part of a congested port, against the others' weights",
        value: String(tenant.weight),
        required: true,
      },
      {
        name: "guaranteeMbps",
        label: "Guarantee, Mbit/s",
        hint: "What it gets at least; empty for none",
        value: bound(tenant.guaranteeMbps),
        required: false,
      },
      {
        name: "ceilingMbps",
        label: "Ceiling, Mbit/s",
        hint: "What it gets at most; empty for none",
        value: bound(tenant.ceilingMbps),
        required: false,
      },
      {
        name: "receiveCeilingMbps",
        label: "Receive ceiling, Mbit/s",
        hint: "What the network brings each of its endpoints at most; empty for none",
        value: bound(tenant.receiveCeilingMbps),
        required: false,
      },
    ],
    "Change",
    async (values) => {
      const changes = {
        // An empty one is for the controller to refuse: null would be the default.
        weight: numberOf(values.get("weight") ?? "") ?? "",
        guaranteeMbps: numberOf(values.get("guaranteeMbps") ?? "") ?? 0,
        ceilingMbps: numberOf(values.get("ceilingMbps") ?? "") ?? 0,
        receiveCeilingMbps: numberOf(values.get("receiveCeilingMbps") ?? "") ?? 0,
      };
      try {
        await rest.change("PATCH", path, changes, tag);
      } catch (error) {
        if (error instanceof Unavailable && error.status === PRECONDITION_FAILED) {
          throw new Unavailable(CHANGED_MEANWHILE, PRECONDITION_FAILED);
        }
        throw error;
      }
    },
  );
}
