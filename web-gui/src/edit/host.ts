// SPDX-License-Identifier: Apache-2.0
import type { Rest } from "../api";
import { FormDialog } from "./form";

/** Lets an operator take a host out of service, once it was confirmed. */
export function retireHost(rest: Rest, id: string): void {
  new FormDialog(
    `Take host ${id} out of service`,
    "It, its endpoints and their addresses are forgotten until its agent connects again.",
    [],
    "Retire",
    async () => {
      await rest.change("DELETE", `hosts/${encodeURIComponent(id)}`, undefined);
    },
  );
}
