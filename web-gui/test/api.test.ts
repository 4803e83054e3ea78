// SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, it, vi } from "vitest";
import { problemText, readExplanation, readSnapshot, restRoot, Unavailable } from "../src/api";

afterEach(() => vi.unstubAllGlobals());

const signal = new AbortController().signal;

it.each([
  ["/onos/sluice/ui/", "/onos/sluice/v1/"],
  ["/onos/sluice/ui", "/onos/sluice/v1/"],
  ["/onos/sluice/ui/index.html", "/onos/sluice/v1/"],
  ["/", "/v1/"],
])("finds the REST interface from %s at %s", (page, root) => {
  expect(restRoot(page)).toBe(root);
});

it("shows the sentence of a problem document", () => {
  expect(problemText(503, { detail: "Not running", remedy: "Activate it" })).toBe(
    "Not running. Activate it.",
  );
  expect(problemText(502, undefined)).toBe("The controller answered with status 502.");
});

const viewer = { role: "viewer", tenants: [], registersDeadlines: false };

it("reads everything at once", async () => {
  const answers: Record<string, unknown> = {
    "/v1/access": viewer,
    "/v1/tenants": { tenants: [1] },
    "/v1/endpoints": { endpoints: [2] },
    "/v1/ports": { ports: [3] },
    "/v1/hosts": { hosts: [4] },
    "/v1/flows?limit=50": { flows: [6] },
    "/v1/journal?limit=50": { entries: [5] },
  };
  vi.stubGlobal("fetch", (path: string) =>
    Promise.resolve(new Response(JSON.stringify(answers[path]))),
  );
  expect(await readSnapshot("/v1/", signal)).toEqual({
    access: viewer,
    tenants: [1],
    endpoints: [2],
    ports: [3],
    hosts: [4],
    flows: [6],
    journal: [5],
  });
});

it("reads for a tenant's user what that may see alone", async () => {
  const access = { role: "tenant", tenants: ["gold"], registersDeadlines: false };
  const answers: Record<string, unknown> = {
    "/v1/access": access,
    "/v1/tenants": { tenants: [1] },
    "/v1/endpoints": { endpoints: [2] },
    "/v1/flows?limit=50": { flows: [6] },
    "/v1/journal?limit=50": { entries: [5] },
  };
  vi.stubGlobal("fetch", (path: string) =>
    Promise.resolve(
      path in answers
        ? new Response(JSON.stringify(answers[path]))
        : new Response('{"detail": "Forbidden"}', { status: 403 }),
    ),
  );
  expect(await readSnapshot("/v1/", signal)).toEqual({
    access,
    tenants: [1],
    endpoints: [2],
    ports: [],
    hosts: [],
    flows: [6],
    journal: [5],
  });
});

it("reports why it cannot read", async () => {
  vi.stubGlobal("fetch", () =>
    Promise.resolve(new Response('{"detail": "Not running"}', { status: 503 })),
  );
  await expect(readSnapshot("/v1/", signal)).rejects.toThrow(new Unavailable("Not running"));
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("refused")));
  await expect(readSnapshot("/v1/", signal)).rejects.toThrow("does not answer");
});

it("asks why for one endpoint, and shows why there is no answer", async () => {
  const why = { endpoint: "h1/vm 0", cause: "nothing", summary: "", lines: [], journal: [] };
  vi.stubGlobal("fetch", (path: string) =>
    Promise.resolve(
      path === "/v1/endpoints/h1/vm%200/why"
        ? new Response(JSON.stringify(why))
        : new Response(JSON.stringify({ detail: "There is no such endpoint" }), { status: 404 }),
    ),
  );
  expect(await readExplanation("/v1/", "h1/vm 0", signal)).toEqual(why);
  await expect(readExplanation("/v1/", "h2/vm0", signal)).rejects.toThrow(
    new Unavailable("There is no such endpoint"),
  );
});
