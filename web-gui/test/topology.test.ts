// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { HOST_WIDTH, labelPlace, layout, SWITCH_WIDTH } from "../src/topology/layout";
import { distanceTo, nextTo } from "../src/topology/moves";
import { State } from "../src/live/state";
import {
  hostsClass,
  hostsText,
  linkClass,
  linkLabel,
  statesOfHosts,
  together,
} from "../src/view/topology";
import { endpoint, host, port, S1, S2, twoSwitches } from "./builders";
import { Fabric, LARGE, SMALL } from "./recorded/fabric";

const small = new Fabric(SMALL, 1, 0).topology;

describe("layout", () => {
  const drawing = layout(small, () => true);
  const at = (name: string) => {
    const id = small.switches.find((each) => each.name === name)?.datapath;
    return drawing.switches.find((each) => each.id === id) ?? { x: 0, y: 0 };
  };

  it("puts spines in a row above leaves, and hosts below their leaf", () => {
    expect(at("spine1").y).toBe(at("spine2").y);
    expect(at("leaf1").y).toBe(at("leaf4").y);
    expect(at("spine1").y).toBeLessThan(at("leaf1").y);
    const leaf = small.switches.find(({ name }) => name === "leaf2")?.datapath;
    const hosts = drawing.hosts.filter(({ id }) => id === leaf);
    expect(hosts.map(({ hosts: [name] }) => name)).toEqual(["h4", "h5", "h6"]);
    expect(hosts.every(({ y }) => y > at("leaf2").y)).toBe(true);
    expect(hosts[1]?.x).toBeCloseTo(at("leaf2").x);
  });

  it("puts the labels of both directions beside the switches of a row, not over each other", () => {
    const [left, right] = [
      { x: 0, y: 10 },
      { x: 200, y: 10 },
    ];
    const middle = { x: 100, y: 10 };
    const there = labelPlace({ from: left, to: middle });
    const back = labelPlace({ from: right, to: middle });
    expect(there).toMatchObject({ anchor: "start" });
    expect(back).toMatchObject({ anchor: "end" });
    expect(there.x).toBeGreaterThan(left.x + SWITCH_WIDTH / 2);
    expect(back.x).toBeLessThan(right.x - SWITCH_WIDTH / 2);
    expect(there.y).toBeLessThan(10);
    expect(back.y).toBeGreaterThan(10);
    expect(labelPlace({ from: left, to: { x: 10, y: 60 } })).toMatchObject({ anchor: "middle" });
  });

  it("has no overlaps, and stays inside", () => {
    for (const topology of [small, new Fabric(LARGE, 1, 0).topology]) {
      const { switches, hosts, width, height } = layout(topology, () => false);
      const boxes = [
        ...switches.map(({ x, y }) => ({ x, y, width: SWITCH_WIDTH })),
        ...hosts.map(({ x, y }) => ({ x, y, width: HOST_WIDTH })),
      ];
      const seen = new Set<string>();
      for (const { x, y, width: w } of boxes) {
        expect(x - w / 2).toBeGreaterThanOrEqual(0);
        expect(x + w / 2).toBeLessThanOrEqual(width);
        expect(y).toBeLessThan(height);
        seen.add(`${String(Math.round(x))} ${String(Math.round(y))}`);
      }
      expect(seen.size).toBe(boxes.length);
      for (const y of new Set(boxes.map((box) => box.y))) {
        const row = boxes.filter((box) => box.y === y).sort((a, b) => a.x - b.x);
        row.slice(1).forEach(({ x, width: w }, i) => {
          expect(x - (row[i]?.x ?? 0)).toBeGreaterThanOrEqual(w);
        });
      }
    }
  });

  it("draws a link as two halves that meet, one for each direction", () => {
    const { links } = layout(twoSwitches(), () => true);
    const there = links.find((link) => link.port === `${S1}/5`);
    const back = links.find((link) => link.port === `${S2}/5`);
    expect(there?.to).toEqual(back?.to);
  });

  it("draws parallel links beside each other", () => {
    const topology = twoSwitches();
    topology.links.push(
      { source: { datapath: S1, number: 6 }, target: { datapath: S2, number: 6 } },
      { source: { datapath: S2, number: 6 }, target: { datapath: S1, number: 6 } },
    );
    const { links } = layout(topology, () => true);
    const to = (id: string) => links.find((link) => link.port === id)?.to;
    expect(to(`${S1}/5`)).not.toEqual(to(`${S1}/6`));
    expect(to(`${S1}/6`)).toEqual(to(`${S2}/6`));
  });

  it("puts leaves below the spines of their pod", () => {
    const topology = new Fabric(LARGE, 1, 0).topology;
    // In an order that says nothing.
    topology.switches.reverse();
    const names = new Map(topology.switches.map(({ datapath, name }) => [datapath, name]));
    const { switches } = layout(topology, () => false);
    const aggregations = switches
      .map((each) => ({ name: names.get(each.id) ?? "", x: each.x }))
      .filter(({ name }) => name.includes("agg"))
      .sort((a, b) => a.x - b.x)
      .map(({ name }) => name.slice(0, 2));
    const changes = aggregations.filter((pod, i) => i > 0 && pod !== aggregations[i - 1]);
    expect(changes).toHaveLength(3);
  });

  it("draws an unconnected switch, and ignores links to unknown ones", () => {
    const topology = twoSwitches();
    topology.switches.push({ datapath: "of:3", name: "", available: false, layer: null });
    topology.links.push({
      source: { datapath: S1, number: 9 },
      target: { datapath: "of:4", number: 1 },
    });
    const { switches, links } = layout(topology, () => true);
    expect(switches).toHaveLength(3);
    expect(links.some((link) => link.port === `${S1}/9`)).toBe(false);
  });
});

it("goes to the nearest place in an arrow's direction", () => {
  const places = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
    { x: 30, y: 1 },
    { x: 5, y: 20 },
  ];
  const from = { x: 0, y: 0 };
  expect(nextTo(from, "ArrowRight", places)).toBe(1);
  expect(nextTo(from, "ArrowDown", places)).toBe(3);
  expect(nextTo(from, "ArrowLeft", places)).toBeUndefined();
  expect(nextTo(from, "Enter", places)).toBeUndefined();
});

it("measures how far a click is from a link, and not from the line beyond it", () => {
  const [from, to] = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
  ];
  expect(distanceTo({ x: 5, y: 3 }, from, to)).toBe(3);
  expect(distanceTo({ x: 14, y: 3 }, from, to)).toBe(5);
  expect(distanceTo({ x: 3, y: 4 }, from, from)).toBe(5);
});

it("classes links by load, and by whether they are under control", () => {
  const classes = [
    port({ loadBitsPerSecond: 5e6 }),
    port({ loadBitsPerSecond: 25e6 }),
    port({ loadBitsPerSecond: 45e6 }),
  ];
  expect(classes.map(linkClass)).toEqual(["idle", "loaded", "busy"]);
  expect(linkClass(port({ congested: true }))).toBe("congested");
  expect(linkClass(undefined)).toBe("unknown");
  const hot = port({ congested: true, loadBitsPerSecond: 49e6, ceShare: 0.123 });
  expect(linkLabel(hot)).toBe("98 %, CE 12 %");
  expect(linkLabel({ ...hot, congested: false })).toBe("98 %");
});

it("sums up hosts: flooding is worse than held back, and no agent is worst", () => {
  const state = new State();
  state.apply("hosts", { rows: [host("h1"), host("h2"), host("h3", { connected: false })] });
  const rows = [
    endpoint("h1/vm0", { heldBack: true, deliveredBitsPerSecond: 5e6 }),
    endpoint("h1/vm1", { deliveredBitsPerSecond: 2e6 }),
    endpoint("h2/vm0", { heldBack: true, deliveredBitsPerSecond: 5e6 }),
  ];
  state.apply("endpoints", { complete: true, rows, gone: [] });
  const states = statesOfHosts(state, (id) => (id === "h2/vm0" ? 5000 : 0));
  const of = (...ids: string[]) => together(ids.map((id) => states.get(id)));
  expect(of("h1")).toEqual({
    endpoints: 2,
    heldBack: 1,
    flooding: 0,
    deliveredBitsPerSecond: 7e6,
    connected: true,
  });
  expect(["h1", "h2", "h3"].map((id) => hostsClass(of(id)))).toEqual(["held", "floods", "lost"]);
  expect(hostsText("2 hosts", of("h1", "h2"))).toBe(
    "2 hosts: 3 endpoints, 2 held back, 1 of them flooding",
  );
});
