// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Rest } from "../src/api";
import { Polling } from "../src/live/poll";
import type { Access } from "../src/model";

const ANSWERS: Record<string, unknown> = {
  "/v1/tenants": { tenants: [1] },
  "/v1/endpoints": { endpoints: [2] },
  "/v1/ports": { ports: [3] },
  "/v1/hosts": { hosts: [4] },
  "/v1/flows?limit=200": { flows: [6] },
  "/v1/journal?limit=200": { entries: [5] },
  "/v1/doctor": { findings: [7] },
  "/v1/cluster": { leader: "c1", storeFault: null, nodes: [8] },
};

/** Reads once, and returns what came of it. */
async function readOnce(role: Access["role"], answers: Record<string, unknown>) {
  const paths: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    paths.push(path);
    return Promise.resolve(
      path in answers
        ? new Response(JSON.stringify(answers[path]))
        : new Response('{"detail": "There is nothing here"}', { status: 404 }),
    );
  });
  const kinds: string[] = [];
  const problems: (string | undefined)[] = [];
  const access = { role, tenants: [], registersDeadlines: false };
  const polling = new Polling(new Rest("/v1/"), access, {
    receive: (kind) => void kinds.push(kind),
    failed: (problem) => void problems.push(problem),
  });
  await vi.advanceTimersByTimeAsync(50);
  polling.stop();
  return { paths, kinds, problems };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("makes the same events as a stream, the clock last", async () => {
  const { kinds, problems } = await readOnce("viewer", ANSWERS);
  expect(problems).toEqual([undefined]);
  expect(kinds).toEqual([
    ...[
      "findings",
      "cluster",
      "tenants",
      "hosts",
      "ports",
      "endpoints",
      "flows",
      "journal",
      "time",
    ],
  ]);
});

it("reads only what a tenant's user may see", async () => {
  const { paths, problems } = await readOnce("tenant", ANSWERS);
  expect(paths).toEqual([
    ...["/v1/tenants", "/v1/endpoints", "/v1/flows?limit=200", "/v1/journal?limit=200"],
  ]);
  expect(problems).toEqual([undefined]);
});

it("reports resources that cannot be read", async () => {
  const others = { ...ANSWERS };
  delete others["/v1/ports"];
  const { kinds, problems } = await readOnce("viewer", others);
  expect([kinds, problems]).toEqual([[], ["There is nothing here"]]);
});
