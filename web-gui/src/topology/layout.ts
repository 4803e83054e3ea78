// SPDX-License-Identifier: Apache-2.0
// Where switches, links and hosts go in the drawing. The controller gives the layers, so what is left to do
// is the order within each: every switch moves to the mean of its neighbours' places, up and down in turns.
import { compareKeys } from "../live/state";
import type { Switch, Topology } from "../model";
import { portId } from "../names";

export const SWITCH_WIDTH = 76;
export const SWITCH_HEIGHT = 30;
export const HOST_WIDTH = 64;
export const HOST_HEIGHT = 22;
const GAP = 18;
const HOST_GAP = 8;
const LAYER_GAP = 84;
/** Rows of one wrapped layer are nearer to each other than layers are. */
const ROW_GAP = 34;
const HOSTS_BELOW = 26;
const PARALLEL_GAP = 7;
const LABEL_PART = 0.85;
const LABEL_ASIDE = 9;
const LABEL_GAP = 6;
const HOSTS_IN_ROW = 6;
const ROW_WIDTH = 1900;
const SWEEPS = 6;

/** A place in the drawing, its middle. */
export interface Point {
  x: number;
  y: number;
}

/** A switch in its place. */
export interface PlacedSwitch extends Point {
  id: string;
  available: boolean;
}

/** Hosts below their switch: each by itself, or all of them together. */
export interface PlacedHosts extends Point {
  /** The switch. */
  id: string;
  /** One, or all of the switch; the drawing of several says how many they are. */
  hosts: string[];
  width: number;
  /** The switch's ports towards them. */
  ports: string[];
}

/** The way out of one port to the middle of its link: both halves make the link. */
export interface PlacedLink {
  port: string;
  /** Where it is drawn from, to the middle of the link. */
  from: Point;
  to: Point;
}

/** The whole drawing. */
export interface Layout {
  width: number;
  height: number;
  switches: PlacedSwitch[];
  hosts: PlacedHosts[];
  links: PlacedLink[];
}

/** A switch with what is needed to place it. */
interface Node {
  id: string;
  available: boolean;
  layer: number;
  neighbours: Node[];
  /** Hosts behind it, and its ports towards them. */
  hosts: Map<string, string[]>;
  isExpanded: boolean;
  width: number;
  /** Its place among its layer, for the order. */
  order: number;
  x: number;
  y: number;
}

/**
 * Lays out a topology.
 *
 * @param isExpanded whether the hosts of a switch are drawn one by one
 */
export function layout(topology: Topology, isExpanded: (datapath: string) => boolean): Layout {
  const nodes = nodesOf(topology, isExpanded);
  const layers = layersOf(nodes);
  orderLayers(layers);
  const { width, height } = place(layers);
  return {
    width,
    height,
    switches: nodes.map(({ id, available, x, y }) => ({ id, available, x, y })),
    hosts: nodes.flatMap(hostsOf),
    links: [...linksBetween(topology, nodes), ...linksToHosts(nodes)],
  };
}

function nodesOf(topology: Topology, isExpanded: (datapath: string) => boolean): Node[] {
  const byName = (a: Switch, b: Switch) => compareKeys(a.name || a.datapath, b.name || b.datapath);
  const nodes = [...topology.switches]
    .sort(byName)
    .map(({ datapath, available, layer }, i): Node => ({
      id: datapath,
      available,
      // Below all others, apart from them.
      layer: layer ?? -1,
      neighbours: [],
      hosts: new Map(),
      isExpanded: isExpanded(datapath),
      width: SWITCH_WIDTH,
      order: i,
      x: 0,
      y: 0,
    }));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { source, target } of topology.links) {
    const [from, to] = [byId.get(source.datapath), byId.get(target.datapath)];
    if (from !== undefined && to !== undefined && !from.neighbours.includes(to)) {
      from.neighbours.push(to);
    }
  }
  for (const { host, port } of topology.attachments) {
    const node = byId.get(port.datapath);
    if (node !== undefined && host !== null) {
      const ports = node.hosts.get(host) ?? [];
      node.hosts.set(host, [...ports, portId(port)]);
    }
  }
  for (const node of nodes) {
    const inRow = node.isExpanded ? Math.min(HOSTS_IN_ROW, node.hosts.size) : 1;
    node.width = Math.max(SWITCH_WIDTH, inRow * (HOST_WIDTH + HOST_GAP) - HOST_GAP);
  }
  return nodes;
}

/** The highest layer first. */
function layersOf(nodes: readonly Node[]): Node[][] {
  const layers = new Map<number, Node[]>();
  for (const node of nodes) {
    layers.set(node.layer, [...(layers.get(node.layer) ?? []), node]);
  }
  return [...layers].sort(([a], [b]) => b - a).map(([, layer]) => layer);
}

/** Orders each layer so that links cross little: by the mean of the neighbours' places, sweep after sweep. */
function orderLayers(layers: readonly Node[][]): void {
  const number = (layer: readonly Node[]) =>
    layer.forEach((node, i) => (node.order = (i + 0.5) / layer.length));
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of sweep % 2 === 0 ? [...layers].reverse() : layers) {
      const mean = new Map(
        layer.map((node) => {
          const others = node.neighbours.filter((other) => other.layer !== node.layer);
          const sum = others.reduce((total, other) => total + other.order, 0);
          return [node, others.length === 0 ? node.order : sum / others.length];
        }),
      );
      // Equal means keep their order: names decide, as at the beginning.
      layer.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
      number(layer);
    }
  }
}

/** Wraps layers that are too wide into rows, centred. */
function place(layers: readonly Node[][]): { width: number; height: number } {
  const rowsOfLayers = layers.map(rowsOf);
  const width = Math.max(SWITCH_WIDTH, ...rowsOfLayers.flat().map(rowWidth)) + 2 * GAP;
  let y = GAP + SWITCH_HEIGHT / 2;
  rowsOfLayers.forEach((rows, i) => {
    for (const [j, row] of rows.entries()) {
      // What is left of the width goes between them, so that few are not crowded above many.
      const spare = (width - 2 * GAP - rowWidth(row)) / (row.length + 1);
      let x = GAP + spare;
      for (const node of row) {
        node.x = x + node.width / 2;
        node.y = y;
        x += node.width + GAP + spare;
      }
      const isLast = j === rows.length - 1;
      y += SWITCH_HEIGHT + hostsHeight(row) + (isLast ? 0 : ROW_GAP);
    }
    y += i === layers.length - 1 ? 0 : LAYER_GAP;
  });
  return { width, height: y - SWITCH_HEIGHT / 2 + GAP };
}

function rowsOf(layer: readonly Node[]): Node[][] {
  const rows = Math.ceil(rowWidth(layer) / ROW_WIDTH);
  const inRow = Math.ceil(layer.length / rows);
  return Array.from({ length: rows }, (_, i) => layer.slice(i * inRow, (i + 1) * inRow));
}

function rowWidth(row: readonly Node[]): number {
  return row.reduce((sum, node) => sum + node.width + GAP, -GAP);
}

function hostsHeight(row: readonly Node[]): number {
  const rows = row.map((node) =>
    node.isExpanded ? Math.ceil(node.hosts.size / HOSTS_IN_ROW) : Math.min(1, node.hosts.size),
  );
  const most = Math.max(0, ...rows);
  return most === 0 ? 0 : HOSTS_BELOW + most * (HOST_HEIGHT + HOST_GAP);
}

function hostsOf(node: Node): PlacedHosts[] {
  const top = node.y + SWITCH_HEIGHT / 2 + HOSTS_BELOW + HOST_HEIGHT / 2;
  const names = [...node.hosts.keys()].sort(compareKeys);
  if (!node.isExpanded) {
    const ports = [...node.hosts.values()].flat();
    const all = { id: node.id, hosts: names, ports, width: SWITCH_WIDTH, x: node.x, y: top };
    return names.length === 0 ? [] : [all];
  }
  const inRow = Math.min(HOSTS_IN_ROW, names.length);
  const step = HOST_WIDTH + HOST_GAP;
  return names.map((host, i) => ({
    id: node.id,
    hosts: [host],
    ports: node.hosts.get(host) ?? [],
    width: HOST_WIDTH,
    x: node.x + ((i % inRow) - (inRow - 1) / 2) * step,
    y: top + Math.floor(i / inRow) * (HOST_HEIGHT + HOST_GAP),
  }));
}

function linksBetween({ links }: Topology, nodes: readonly Node[]): PlacedLink[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const bundles = new Map<string, { from: Node; to: Node; ports: string[] }>();
  for (const { source, target } of links) {
    const [from, to] = [byId.get(source.datapath), byId.get(target.datapath)];
    if (from !== undefined && to !== undefined) {
      const key = `${from.id} ${to.id}`;
      const bundle = bundles.get(key) ?? { from, to, ports: [] };
      bundle.ports.push(portId(source));
      bundles.set(key, bundle);
    }
  }
  return [...bundles.values()].flatMap(({ from, to, ports }) =>
    ports.sort(compareKeys).map((port, i) => {
      // The same side for both directions, so that the halves of a link meet.
      const side = from.id < to.id ? 1 : -1;
      const offset = side * (i - (ports.length - 1) / 2) * PARALLEL_GAP;
      return { port, ...half(from, to, offset) };
    }),
  );
}

/** From a switch's edge to the middle between two, aside of the straight line. */
function half(from: Point, to: Point, offset: number): { from: Point; to: Point } {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const aside = { x: (-dy / length) * offset, y: (dx / length) * offset };
  return {
    from: { x: from.x + aside.x, y: from.y + aside.y },
    to: { x: from.x + dx / 2 + aside.x, y: from.y + dy / 2 + aside.y },
  };
}

/**
 * Where the label of a link's half begins, ends or has its middle: near the middle of the link, where no switch covers
 * it, and above the line. Of a link along a row it begins beside the switch, and the other direction's lies below the
 * line.
 */
export function labelPlace({ from, to }: { from: Point; to: Point }): Point & { anchor: string } {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  if (Math.abs(dx) < 2 * Math.abs(dy)) {
    const y = from.y + LABEL_PART * dy - LABEL_ASIDE;
    return { x: from.x + LABEL_PART * dx, y, anchor: "middle" };
  }
  const towards = Math.sign(dx);
  return {
    x: from.x + towards * (SWITCH_WIDTH / 2 + LABEL_GAP),
    y: from.y - towards * LABEL_ASIDE,
    anchor: towards > 0 ? "start" : "end",
  };
}

/** A host's link has one half, the port towards it; what it sends is not a port's. */
function linksToHosts(nodes: readonly Node[]): PlacedLink[] {
  return nodes
    .flatMap((node) => hostsOf(node).map((hosts) => ({ node, hosts })))
    .flatMap(({ node, hosts }) =>
      (node.isExpanded ? hosts.ports : hosts.ports.slice(0, 1)).map((port, i, all) => {
        const aside = (i - (all.length - 1) / 2) * PARALLEL_GAP;
        return {
          port,
          from: { x: node.x + aside, y: node.y },
          to: { x: hosts.x + aside, y: hosts.y },
        };
      }),
    );
}
