// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { compareKeys, State } from "../../src/live/state";
import type { Access, ClusterNode } from "../../src/model";
import { Names } from "../../src/names";
import { changesTenants, registersDeadlines, seesNetwork } from "../../src/view/access";
import {
  agentSeverity,
  agentText,
  carriedText,
  clockText,
  findingsByConcern,
  hostsByConcern,
  nodeSeverity,
  nodeText,
} from "../../src/view/hosts";
import { aboutText, entryMatches, isOfTopic } from "../../src/view/journal";
import { summary } from "../../src/view/summary";
import {
  amissText,
  boundText,
  memberText,
  totalsByTenant,
  weightShare,
} from "../../src/view/tenants";
import { endpoint, entry, flow, host, port, S1, tenant, twoSwitches } from "../builders";

const names = new Names(twoSwitches(), () => null);

it("lets each role see and change what is its own", () => {
  const admin = { role: "admin", tenants: [], registersDeadlines: true } as const;
  const viewer = { role: "viewer", tenants: [], registersDeadlines: false } as const;
  const user = { role: "tenant", tenants: ["gold"], registersDeadlines: true } as const;
  const rights = [admin, viewer, user].map(({ tenants, ...others }) => {
    const access: Access = { tenants: [...tenants], ...others };
    return [seesNetwork(access), changesTenants(access), registersDeadlines(access)];
  });
  expect(rights).toEqual([
    [true, true, true],
    [true, false, false],
    [false, false, true],
  ]);
});

it("measures weights by the greatest, and names members and bounds as operators do", () => {
  const all = [tenant("a", 1), tenant("b", 4)];
  expect(all.map((t) => weightShare(t, all))).toEqual([0.25, 1]);
  expect(memberText({ ipPrefix: "10.0.0.0/8" })).toBe("10.0.0.0/8");
  expect(memberText({ mac: "02:00:00:00:01:01" })).toBe("02:00:00:00:01:01");
  expect(memberText({ host: "h1", interface: "vm0", weight: 2.5 })).toBe("h1/vm0 (weight 2.5)");
  expect([boundText(0), boundText(50e6)]).toEqual(["none", "50 Mbit/s"]);
});

it("adds up what a tenant's endpoints do", () => {
  const totals = totalsByTenant([
    endpoint("h1/vm0", { deliveredBitsPerSecond: 2e6, heldBack: true }),
    endpoint("h2/vm0", { deliveredBitsPerSecond: 3e6 }),
    endpoint("h3/vm0", { tenant: "t2" }),
  ]);
  expect(totals.get("t1")).toEqual({ endpoints: 2, heldBack: 1, deliveredBitsPerSecond: 5e6 });
  expect(totals.get("t2")?.endpoints).toBe(1);
});

it("names why a tenant does not have what it is due", () => {
  const endpoints = [
    endpoint("h1/vm0", { refusedIps: ["10.0.0.2"] }),
    endpoint("h3/vm0", { tenant: "t2" }),
  ];
  const ports = [port({ floorScale: 0.75, scaledTenants: ["t1"] }), port({ id: `${S1}/6` })];
  expect(amissText("t1", endpoints, ports, names)).toBe(
    "h1/vm0: 10.0.0.2 refused; 75 % of its guarantee at s1:5 -> switch 2",
  );
  expect(amissText("t2", endpoints, ports, names)).toBe("");
});

it("shows what agents manage, and puts hosts and findings of concern first", () => {
  expect(carriedText(host("h1"), names)).toBe("up0, 50 Mbit/s");
  const portAgent = host("p1", { uplink: null, switchPorts: [`${S1}/5`, `${S1}/6`] });
  expect(carriedText(portAgent, names)).toBe("queue of s1:5 -> switch 2; queue of s1:6");
  const stopped = host("h4", { connected: false, stopped: true });
  expect([agentText(host("h1")), agentText(stopped)]).toEqual(["connected", "stopped"]);
  expect([agentSeverity(stopped), agentSeverity({ ...stopped, stopped: false })]).toEqual([
    "busy",
    "congested",
  ]);
  const hosts = [
    host("h10"),
    host("h9"),
    host("h2", { missingFeatures: ["tcx"] }),
    host("h3", { connected: false }),
  ];
  expect(hostsByConcern(hosts, compareKeys).map(({ id }) => id)).toEqual([
    ...["h3", "h2", "h9", "h10"],
  ]);
  const finding = (severity: "error" | "warning" | "note") => ({
    severity,
    about: "",
    what: "",
    remedy: "",
  });
  const findings = [finding("note"), finding("error"), finding("warning")];
  expect(findingsByConcern(findings).map(({ severity }) => severity)).toEqual([
    ...["error", "warning", "note"],
  ]);
});

it("finds journal entries by topic and by what they are about", () => {
  const share = entry({ port: `${S1}/5`, endpoint: "h1/vm0" });
  expect([isOfTopic(share, "all"), isOfTopic(share, "limits")]).toEqual([true, true]);
  expect(isOfTopic(share, "changes")).toBe(false);
  expect(aboutText(share, names)).toBe("h1/vm0 at s1:5 -> switch 2");
  expect(aboutText(entry({ tenant: "gold" }), names)).toBe("gold");
  expect(aboutText(entry(), names)).toBe("–");
  expect(entryMatches(share, ["s1:5", "unit"], names)).toBe(true);
  expect(entryMatches(share, ["s1:6"], names)).toBe(false);
});

it("sums up what needs attention", () => {
  const state = new State();
  const figures = () => summary(state).map((f) => `${f.label}: ${f.value} ${f.severity}`);
  expect(summary(state).every(({ severity }) => severity === "quiet")).toBe(true);
  const ports = [port({ congested: true, ceShare: 0.5 }), port({ id: `${S1}/1` })];
  state.apply("ports", { complete: true, rows: ports, gone: [] });
  const endpoints = [
    endpoint("h1/vm0", { heldBack: true }),
    endpoint("h2/vm0", { limitBitsPerSecond: 50e6 }),
  ];
  state.apply("endpoints", { complete: true, rows: endpoints, gone: [] });
  state.apply("hosts", { rows: [host("h1", { connected: false }), host("h2")] });
  const flows = [flow({ state: "met" }), flow({ id: 2, state: "missed" }), flow({ id: 3 })];
  state.apply("flows", { complete: true, rows: flows, gone: [] });
  const note = { severity: "note", about: "h1", what: "", remedy: "" } as const;
  state.apply("findings", { rows: [note] });
  expect(figures()).toEqual([
    "ports congested: 1 / 2 congested",
    "highest CE share: 50 % busy",
    "endpoints held back: 1 / 2 busy",
    "deadlines met lately: 1 / 2 congested",
    "hosts connected: 1 / 2 congested",
    "findings: 1 busy",
  ]);
  state.apply("access", { role: "tenant", tenants: ["t1"], registersDeadlines: false });
  expect(figures()).toEqual([
    "endpoints held back: 1 / 2 busy",
    "deadlines met lately: 1 / 2 congested",
  ]);
});

it("shows controllers that are silent, cannot be had, or have another time", () => {
  const node: ClusterNode = {
    ...{ name: "c1", local: true, silentSeconds: 0, version: "1.0.0" },
    ...{ state: "running", switches: [], clockOffMillis: -40, webFault: null },
  };
  expect([nodeText(node), nodeSeverity(node), clockText(node)]).toEqual(["runs", "quiet", "right"]);
  const broken = { ...node, clockOffMillis: 3_600_000, webFault: "REST is missing" };
  expect(nodeText(broken)).toBe("runs, but: REST is missing");
  expect([nodeSeverity(broken), clockText(broken)]).toEqual(["busy", "3600 s ahead"]);
  const silent: ClusterNode = { ...node, state: "silent", silentSeconds: 40 };
  expect([nodeText(silent), nodeSeverity(silent)]).toEqual(["silent for 40 s", "congested"]);
});
