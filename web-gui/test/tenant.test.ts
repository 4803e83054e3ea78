// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Rest, Unavailable } from "../src/api";
import { fieldOf, needsConfirmation } from "../src/edit/form";
import { membersOf, membersText } from "../src/edit/members";
import { createTenant, tenantBody } from "../src/edit/tenant";
import type { Member } from "../src/model";
import { memberText } from "../src/view/tenants";

const requests: [string, RequestInit][] = [];
let answer: () => Response;

beforeEach(() => {
  requests.length = 0;
  answer = () => new Response("{}", { status: 201 });
  vi.stubGlobal("fetch", (path: string, request: RequestInit) => {
    requests.push([path, request]);
    return Promise.resolve(answer());
  });
});

afterEach(() => vi.unstubAllGlobals());

const create = (values: Record<string, string>) =>
  createTenant(new Rest("/v1/"), new Map(Object.entries({ weight: "1", ...values })));

const refusal = (values: Record<string, string>) => create(values).catch((e: unknown) => e);

it("creates a tenant where there is none of its id, and replaces none", async () => {
  await create({
    id: "gold/1",
    weight: "2,5",
    ceilingBitsPerSecond: "4,1",
    members: "10.1.0.0/16",
  });
  const [[path, request]] = requests as [[string, RequestInit]];
  expect(path).toBe("/v1/tenants/gold%2F1");
  expect(request).toMatchObject({ method: "PUT", headers: { "If-None-Match": "*" } });
  expect(request.headers).not.toHaveProperty("If-Match");
  expect(JSON.parse(request.body as string)).toEqual({
    weight: 2.5,
    guaranteeBitsPerSecond: 0,
    ceilingBitsPerSecond: 4_100_000,
    receiveCeilingBitsPerSecond: 0,
    members: [{ ipPrefix: "10.1.0.0/16" }],
  });
});

it("reports an existing tenant at the id's field", async () => {
  answer = () => new Response(JSON.stringify({ detail: "Stale" }), { status: 412 });
  const refused = await refusal({ id: "gold" });
  expect(refused).toBeInstanceOf(Unavailable);
  expect(refused).toMatchObject({ problem: { field: "id" } });
  expect((refused as Unavailable).message).toContain("already");
});

it("leaves other refusals as the controller wrote them", async () => {
  const problem = { detail: "Too much", field: "guaranteeBitsPerSecond", remedy: "Request less" };
  answer = () => new Response(JSON.stringify(problem), { status: 409 });
  expect(await refusal({ id: "gold" })).toMatchObject({ problem });
});

it("has addresses refused only once that was confirmed", async () => {
  const type = "urn:sluice:problem:unconfirmed";
  const problem = { type, detail: "h2/vm0 would lose 10.0.0.2", field: "members[0]" };
  answer = () => new Response(JSON.stringify(problem), { status: 409 });
  const refused = (await refusal({ id: "gold" })) as Unavailable;
  expect(needsConfirmation(refused.problem)).toBe(true);
  expect(needsConfirmation({ detail: "Too much" })).toBe(false);
  answer = () => new Response("{}", { status: 201 });
  await createTenant(
    new Rest("/v1/"),
    new Map([
      ["id", "gold"],
      ["weight", "1"],
    ]),
    true,
  );
  expect(requests.map(([path]) => path)).toEqual([
    "/v1/tenants/gold",
    "/v1/tenants/gold?allowRefusedAddresses=true",
  ]);
});

it.each(["", ".", ".."])("does not take the id %j for part of an address", async (id) => {
  expect(await refusal({ id })).toMatchObject({ problem: { field: "id" } });
  expect(requests).toEqual([]);
});

it("parses each form of members, and shows them in the same form", () => {
  const text =
    "10.1.0.0/16, fd00::/8=2, 02:00:00:00:01:01, h1/vm0=0.5, domain:web1, network:blue+vlan:100+bridge:br0=2, namespace:shop+label:a/b:web+label:tier:";
  const members = membersOf(text);
  expect(members).toEqual([
    { ipPrefix: "10.1.0.0/16" },
    { ipPrefix: "fd00::/8", weight: 2 },
    { mac: "02:00:00:00:01:01" },
    { host: "h1", interface: "vm0", weight: 0.5 },
    { domain: "web1" },
    { network: "blue", vlan: 100, bridge: "br0", weight: 2 },
    { namespace: "shop", labels: { "a/b": "web", tier: "" } },
  ]);
  expect(membersText(members as never)).toBe(text);
  expect(members.map((member) => memberText(member as never)).slice(4)).toEqual([
    "domain:web1",
    "network:blue+vlan:100+bridge:br0 (weight 2)",
    "namespace:shop+label:a/b:web+label:tier:",
  ]);
  expect([membersOf(""), membersText([])]).toEqual([[], ""]);
});

it("refuses weights of members that are no plain numbers", () => {
  expect(membersOf("h1 vlan:x bridge:a+bridge:b")).toEqual(
    ["h1", "vlan:x", "bridge:a+bridge:b"].map((ipPrefix) => ({ ipPrefix })), // for the controller to refuse
  );
  expect(() => membersOf("h1/vm0=")).toThrow("The weight of h1/vm0 is missing.");
  expect(() => membersOf("h1/vm0=much")).toThrow("much is no plain number. Use digits");
});

it("parses a weight after the last = only", () => {
  const members = [
    { host: "h1", interface: "tap=2" },
    { host: "h1", interface: "tap=2", weight: 3 },
  ];
  expect(membersText(members)).toBe("h1/tap=2=1, h1/tap=2=3");
  expect(membersOf("h1/tap=2=1 h1/tap=2=3")).toEqual([{ ...members[0], weight: 1 }, members[1]]);
});

it("parses text without dots and colons as host and interface", () => {
  expect(membersOf("cafe/1 a.b/1 fd00::/8 10.0.0.1")).toEqual([
    { host: "cafe", interface: "1" },
    { ipPrefix: "a.b/1" },
    { ipPrefix: "fd00::/8" },
    { ipPrefix: "10.0.0.1" },
  ]);
});

it.each<[string, Member[]]>([
  [
    "10.1.0.0/16, h1/vm0=2",
    [{ ipPrefix: "10.1.0.0/16" }, { host: "h1", interface: "vm0", weight: 2 }],
  ],
  ["h1/a,b", [{ host: "h1", interface: "a,b" }]],
])("leaves out members that stay: %s", (text, members) => {
  const body = tenantBody(new Map(Object.entries({ weight: "3", members: text })), members);
  expect(body).toMatchObject({ weight: 3 });
  expect(body).not.toHaveProperty("members");
});

it.each<[string, Member]>([
  ["h1/a,b=2", { host: "h1", interface: "a,b" }],
  ["10.0/1, h2/vm0", { host: "10.0", interface: "1" }],
])("refuses at the field a member that would become another one: %s", (text, member) => {
  const members = [{ ipPrefix: "10.1.0.0/16" }, member];
  const body = (typed: string) =>
    tenantBody(
      new Map([
        ["weight", "1"],
        ["members", typed],
      ]),
      members,
    );
  let refused: unknown;
  try {
    body(text);
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ problem: { field: "members" } });
  // It can be taken out, and others changed.
  expect(body("10.2.0.0/16")).toMatchObject({ members: [{ ipPrefix: "10.2.0.0/16" }] });
});

it("refuses an empty weight, which would be the default", () => {
  expect(() => tenantBody(new Map([["weight", ""]]))).toThrow("Weight is missing.");
});

it("finds the field of a refused value", () => {
  expect(["members[0].weight", "members/0/mac", "weight"].map(fieldOf)).toEqual([
    ...["members", "members", "weight"],
  ]);
});
