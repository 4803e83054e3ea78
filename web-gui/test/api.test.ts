// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";
import { problemText, Rest, restRoot, Unavailable } from "../src/api";
import { numberOf } from "../src/edit/form";
import { explanation } from "./builders";

afterEach(() => vi.unstubAllGlobals());

it.each([
  ["/onos/sluice/ui/", "/onos/sluice/v1/"],
  ["/onos/sluice/ui", "/onos/sluice/v1/"],
  ["/onos/sluice/ui/index.html", "/onos/sluice/v1/"],
  ["/sluice/ui/", "/sluice/v1/"],
  ["/", "/v1/"],
])("finds the REST interface from %s at %s", (page, root) => {
  expect(restRoot(page)).toBe(root);
});

it("shows the sentence of a problem document", () => {
  expect(problemText(503, { detail: "Not running", remedy: "Activate it" })).toBe(
    "Not running. Activate it.",
  );
  const unpromised = { type: "urn:sluice:problem:cannot-be-met", detail: "No sooner than 80.2 ms" };
  const remedy = "Request earliestMillis or later, or set force";
  expect(problemText(409, { ...unpromised, earliestMillis: 80.2, remedy })).toBe(
    "No sooner than 80.2 ms. Register it due in 81 ms or later, or without promise.",
  );
  expect(problemText(409, { ...unpromised, earliestMillis: null, remedy })).not.toContain("force");
  const unconfirmed = { type: "urn:sluice:problem:unconfirmed", detail: "h1/vm0 loses 10.0.0.2" };
  expect(problemText(409, { ...unconfirmed, remedy: "Set ?allowRefusedAddresses=true" })).toBe(
    "h1/vm0 loses 10.0.0.2. Press the button once more to do it all the same.",
  );
  expect(problemText(502, undefined)).toBe("The controller answered with status 502.");
  expect(problemText(403, undefined)).toContain("This user may not");
});

it("reads an endpoint's explanation, and shows a problem's reason", async () => {
  const why = explanation({ endpoint: "h1/vm 0" });
  vi.stubGlobal("fetch", (path: string) =>
    Promise.resolve(
      path === "/v1/endpoints/h1/vm%200/why"
        ? new Response(JSON.stringify(why))
        : new Response(JSON.stringify({ detail: "There is no such endpoint" }), { status: 404 }),
    ),
  );
  const rest = new Rest("/v1/");
  expect(await rest.readExplanation("h1/vm 0")).toEqual(why);
  await expect(rest.readExplanation("h2/vm0")).rejects.toThrow("There is no such endpoint");
});

it("reports that the controller does not answer", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("refused")));
  await expect(new Rest("/v1/").read("ports")).rejects.toThrow("does not answer");
});

it("changes the state that was read, and no other", async () => {
  const requests: RequestInit[] = [];
  vi.stubGlobal("fetch", (_: string, request: RequestInit) => {
    requests.push(request);
    return Promise.resolve(new Response("{}", { headers: { ETag: '"7"' } }));
  });
  const rest = new Rest("/v1/");
  const { tag } = await rest.readTagged("tenants/gold");
  await rest.change("PATCH", "tenants/gold", { weight: 2 }, tag);
  expect(requests[1]).toMatchObject({
    method: "PATCH",
    body: '{"weight":2}',
    headers: {
      "If-Match": '"7"',
      "Content-Type": "application/json",
      "X-Requested-With": "sluice",
    },
  });
});

it("names the field that is refused", async () => {
  const problem = { detail: "Too much", field: "guaranteeBitsPerSecond", remedy: "Request less" };
  vi.stubGlobal("fetch", () =>
    Promise.resolve(new Response(JSON.stringify(problem), { status: 409 })),
  );
  const refusal = await new Rest("/v1/")
    .change("PATCH", "tenants/gold", {})
    .catch((e: unknown) => e);
  expect(refusal).toBeInstanceOf(Unavailable);
  expect(refusal).toMatchObject({ status: 409, problem, message: "Too much. Request less." });
});

it("probes a refused stream without reading it", async () => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 404 })));
  expect((await new Rest("/v1/").probe("stream")).status).toBe(404);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("event: time")));
  expect(await new Rest("/v1/").probe("stream")).toEqual({ status: 200, why: "" });
});

it("sends invalid numbers for the controller to refuse", () => {
  const read = (text: string) => numberOf(text, "weight");
  expect(["", "2", "2,5", ".5", "-1", "0"].map(read)).toEqual([null, 2, 2.5, 0.5, -1, 0]);
  for (const typed of ["1e3", "two", "0x10", "Infinity", "1 000", "2.5.1"]) {
    expect(() => read(typed)).toThrow(`${typed} is no plain number. Use digits`);
  }
});
