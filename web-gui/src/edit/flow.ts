// SPDX-License-Identifier: Apache-2.0
import type { Rest } from "../api";
import { FormDialog, numberOf, type Field } from "./form";

const FIELDS: readonly Field[] = [
  {
    name: "source",
    label: "Source address",
    hint: "Of the endpoint that sends",
    value: "",
    required: true,
  },
  {
    name: "sourcePort",
    label: "Source port",
    hint: "Empty: any, the next connection that fits",
    value: "",
    required: false,
  },
  { name: "destination", label: "Destination address", hint: "", value: "", required: true },
  {
    name: "destinationPort",
    label: "Destination port",
    hint: "Empty: any",
    value: "",
    required: false,
  },
  {
    name: "sizeBytes",
    label: "Size, bytes",
    hint: "Payload, from the connection's first byte on",
    value: "",
    required: true,
  },
  {
    name: "dueInMillis",
    label: "Due in, ms",
    hint: "From now until the last byte must have arrived",
    value: "",
    required: true,
  },
];

/** Lets somebody register a deadline: the answer is a promise, or the earliest that could be met. */
export function registerDeadline(rest: Rest): void {
  const register = (force: boolean) => async (values: ReadonlyMap<string, string>) => {
    const body: Record<string, unknown> = force ? { force } : {};
    for (const { name } of FIELDS) {
      const text = values.get(name) ?? "";
      const isAddress = name === "source" || name === "destination";
      const value = isAddress ? text || null : numberOf(text, name);
      if (value !== null) {
        body[name] = value;
      }
    }
    await rest.change("POST", "flows", body);
  };
  new FormDialog(
    "Register a deadline",
    "The controller promises it, or refuses it with the earliest deadline that it could promise.",
    FIELDS,
    "Register",
    register(false),
    { text: "Register without promise", submit: register(true) },
  );
}
