// SPDX-License-Identifier: Apache-2.0
// A network that is not there: what the stream would send of it, the same for the same seed.
import { rate } from "../../src/format";
import type { Changes } from "../../src/live/events";
import type {
  Endpoint,
  Explanation,
  Finding,
  Flow,
  Host,
  JournalEntry,
  Port,
  PortRef,
  Queues,
  Tenant,
  Topology,
} from "../../src/model";

/** How large a network is. */
export interface Size {
  pods: number;
  aggregationsOfPod: number;
  leavesOfPod: number;
  hostsOfLeaf: number;
  endpointsOfHost: number;
  cores: number;
  tenants: number;
}

/** 100 switches, 400 hosts, 4000 endpoints. */
export const LARGE: Size = {
  pods: 4,
  aggregationsOfPod: 4,
  leavesOfPod: 20,
  hostsOfLeaf: 5,
  endpointsOfHost: 10,
  cores: 4,
  tenants: 12,
};

/** Two spines and four leaves, to view. */
export const SMALL: Size = {
  pods: 1,
  aggregationsOfPod: 2,
  leavesOfPod: 4,
  hostsOfLeaf: 3,
  endpointsOfHost: 2,
  cores: 0,
  tenants: 4,
};

/** Nothing has connected yet. */
export const EMPTY: Size = { ...SMALL, pods: 0, tenants: 1 };

const LINK_BITS_PER_SECOND = 10e9;
const HOST_BITS_PER_SECOND = 1e9;
const CONGESTED_SHARE = 0.04;
const CHANGED_SHARE = 0.3;
const QUEUE_PACKETS = 100;
const THRESHOLD_PACKETS = 20;

/** A small generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const round = (value: number) => Math.round(value * 1000) / 1000;
const datapath = (number: number) => `of:${number.toString(16).padStart(16, "0")}`;
const portId = ({ datapath: of, number }: PortRef) => `${of}/${String(number)}`;

/** The network, which changes step by step. */
export class Fabric {
  readonly topology: Topology = { switches: [], links: [], attachments: [] };
  readonly tenants: Tenant[] = [];
  readonly hosts: Host[] = [];
  readonly findings: Finding[] = [];
  readonly ports = new Map<string, Port>();
  readonly endpoints = new Map<string, Endpoint>();
  readonly flows = new Map<number, Flow>();
  private readonly random: () => number;
  private readonly nextPort = new Map<string, number>();
  private readonly congested: string[] = [];
  private sequence = 0;
  private nextFlow = 1;

  constructor(
    private readonly size: Size,
    seed: number,
    private now: number,
  ) {
    this.random = randomFrom(seed);
    this.addTenants();
    this.addSwitches();
    this.chooseCongested();
    this.findings.push(...findingsOf(this.hosts));
  }

  /** What changes until an instant. */
  step(now: number): {
    ports: Changes<Port, string>;
    endpoints: Changes<Endpoint, string>;
    flows: Changes<Flow, number>;
    journal: JournalEntry[];
  } {
    this.now = now;
    for (const host of this.hosts) {
      if (host.connected) {
        host.lastSeen = new Date(now).toISOString();
      }
    }
    return {
      ports: this.stepPorts(),
      endpoints: this.stepEndpoints(),
      flows: this.stepFlows(),
      journal: this.random() < 0.5 ? [this.entry()] : [],
    };
  }

  /** The queues of ports that have an agent: those towards hosts have none. */
  queues(): Queues[] {
    return this.congested.map((port) => ({
      port,
      lengthsFrom: "port-agent",
      backlogPackets: Math.floor(this.random() * 45),
      errorPackets: 0,
      bufferPackets: QUEUE_PACKETS,
      thresholdPackets: THRESHOLD_PACKETS,
      ageMillis: 3,
    }));
  }

  /** As the controller would explain it. */
  why(id: string): Explanation | undefined {
    const endpoint = this.endpoints.get(id);
    const weight = this.tenants.find((tenant) => tenant.id === endpoint?.tenant)?.weight ?? 1;
    if (endpoint === undefined) {
      return undefined;
    }
    const [limit] = endpoint.limits;
    const port = limit === undefined ? undefined : this.ports.get(limit.port);
    if (limit === undefined || port === undefined) {
      return {
        endpoint: id,
        tenant: endpoint.tenant,
        weight,
        cause: "nothing",
        summary: "Nothing holds it back: it gets what it sends.",
        lines: [],
        ports: [],
        journal: [],
      };
    }
    const users = [...this.endpoints.values()]
      .filter((other) => other !== endpoint && other.limits[0]?.port === port.id)
      .map((other) => ({
        endpoint: other.id,
        tenant: other.tenant,
        weight: this.tenants.find((tenant) => tenant.id === other.tenant)?.weight ?? 1,
        deliveredBitsPerSecond: other.deliveredBitsPerSecond ?? 0,
      }));
    return {
      endpoint: id,
      tenant: endpoint.tenant,
      weight,
      cause: "port",
      summary: `Its share of ${port.id}, ${rate(limit.rateBitsPerSecond)}, holds it back.`,
      lines: [
        `${port.id} carries ${rate(port.loadBitsPerSecond)} of ${rate(port.capacityBitsPerSecond)}, ` +
          `${(100 * port.ceShare).toFixed(1)} % of its packets are marked.`,
        `The two-time-scale law gives weight 1 ${rate(port.unitShareBitsPerSecond)} there.`,
        `Twice the weight would come to ${rate(1.8 * limit.rateBitsPerSecond)}.`,
      ],
      ports: [
        {
          port: port.id,
          capacityBitsPerSecond: port.capacityBitsPerSecond,
          loadBitsPerSecond: port.loadBitsPerSecond,
          ceShare: port.ceShare,
          unitShareBitsPerSecond: port.unitShareBitsPerSecond,
          binding: true,
          limitBitsPerSecond: limit.rateBitsPerSecond,
          deliveredBitsPerSecond: endpoint.deliveredBitsPerSecond ?? 0,
          dueBitsPerSecond: limit.rateBitsPerSecond,
          dueOfTwiceTheWeightBitsPerSecond: Math.round(1.8 * limit.rateBitsPerSecond),
          users: users.slice(0, 16),
          furtherUsers: Math.max(0, users.length - 16),
          furtherBitsPerSecond: Math.round(
            users
              .slice(16)
              .reduce((sum, { deliveredBitsPerSecond }) => sum + deliveredBitsPerSecond, 0),
          ),
        },
      ],
      journal: [this.entry(port.id)],
    };
  }

  private addTenants(): void {
    const names = ["acme", "blue", "copper", "delta", "east", "fjord", "gold", "helix"];
    for (let i = 0; i < this.size.tenants; i++) {
      const id = i === 0 ? "default" : `${names[(i - 1) % 8] ?? ""}${i > 8 ? String(i) : ""}`;
      this.tenants.push({
        id,
        weight: i === 0 ? 1 : 1 + (i % 4),
        guaranteeBitsPerSecond: i % 5 === 2 ? 50e6 : 0,
        ceilingBitsPerSecond: i % 7 === 3 ? 400e6 : 0,
        receiveCeilingBitsPerSecond: 0,
        ecn: "clear",
        members: i === 0 ? [] : [{ ipPrefix: `10.${String(i)}.0.0/16` }],
      });
    }
  }

  private addSwitches(): void {
    const { pods, aggregationsOfPod, leavesOfPod, cores } = this.size;
    let number = 1;
    const make = (name: string, layer: number) => {
      const id = datapath(number++);
      this.topology.switches.push({ datapath: id, name, available: true, layer });
      return id;
    };
    const coreIds = pods === 0 ? [] : names(cores).map((i) => make(`core${String(i)}`, 2));
    for (const pod of names(pods)) {
      const prefix = pods === 1 ? "" : `p${String(pod)}`;
      const spine = pods === 1 ? "spine" : "agg";
      const above = names(aggregationsOfPod).map((i) => make(`${prefix}${spine}${String(i)}`, 1));
      for (const aggregation of above) {
        for (const core of coreIds) {
          this.link(aggregation, core);
        }
      }
      for (const i of names(leavesOfPod)) {
        const leaf = make(`${prefix}leaf${String(i)}`, 0);
        for (const aggregation of above) {
          this.link(leaf, aggregation);
        }
        this.addHosts(leaf);
      }
    }
  }

  private addHosts(leaf: string): void {
    for (let i = 0; i < this.size.hostsOfLeaf; i++) {
      const number = this.hosts.length + 1;
      const id = `h${String(number)}`;
      const port = this.port(leaf, HOST_BITS_PER_SECOND);
      this.topology.attachments.push({ host: id, port });
      this.hosts.push({
        id,
        connected: number % 97 !== 5,
        stopped: false,
        agentVersion: "1.2.3",
        uplink: "eth1",
        uplinkCapacityBitsPerSecond: HOST_BITS_PER_SECOND,
        switchPorts: [],
        endpointCount: this.size.endpointsOfHost,
        lastSeen: new Date(this.now).toISOString(),
        missingFeatures: number % 60 === 7 ? ["tcx: programs are attached by tc instead"] : [],
        residualDroppedPackets: 0,
        residualExceededBy: [],
      });
      for (let j = 0; j < this.size.endpointsOfHost; j++) {
        this.addEndpoint(id, j, portId(port));
      }
    }
  }

  private addEndpoint(host: string, index: number, attachment: string): void {
    const number = this.endpoints.size + 1;
    const name = `vm${String(index)}`;
    const ofTenant = this.tenants[1 + (number % Math.max(1, this.size.tenants - 1))];
    const [high, low] = [Math.floor(number / 250), 1 + (number % 250)];
    this.endpoints.set(`${host}/${name}`, {
      id: `${host}/${name}`,
      host,
      interface: name,
      mac: `02:00:00:00:${hexByte(high)}:${hexByte(low)}`,
      ips: [
        `10.${String(1 + (number % 11))}.${String(high)}.${String(low)}`,
        `fd00:0:0:0:0:0:0:${number.toString(16)}`,
      ],
      refusedIps: [],
      tenant: ofTenant?.id ?? "default",
      attachment,
      limitBitsPerSecond: null,
      limits: [],
      deliveredBitsPerSecond: Math.round(this.random() ** 3 * 100e6),
      backlogBytes: 0,
      droppedPackets: 0,
      heldBack: false,
    });
  }

  private link(below: string, above: string): void {
    const [source, target] = [
      this.port(below, LINK_BITS_PER_SECOND),
      this.port(above, LINK_BITS_PER_SECOND),
    ];
    this.topology.links.push({ source, target }, { source: target, target: source });
  }

  private port(of: string, capacityBitsPerSecond: number): PortRef {
    const number = this.nextPort.get(of) ?? 1;
    this.nextPort.set(of, number + 1);
    const ref = { datapath: of, number };
    this.ports.set(portId(ref), {
      id: portId(ref),
      name: null,
      capacityBitsPerSecond,
      capacitySource: "switch",
      congested: false,
      estimated: false,
      marksFrom: "hosts",
      ceShare: 0,
      loadBitsPerSecond: Math.round(this.random() ** 2 * 0.85 * capacityBitsPerSecond),
      unitShareBitsPerSecond: null,
      activeEndpoints: 0,
      activeWeight: 0,
      floorScale: 1,
      scaledTenants: [],
      countersFrom: "fast",
    });
    return ref;
  }

  /** Some ports towards hosts, each with some endpoints that want more than there is. */
  private chooseCongested(): void {
    const towardsHosts = this.topology.attachments.map(({ port }) => portId(port));
    const wanted = Math.ceil(towardsHosts.length * CONGESTED_SHARE);
    const all = [...this.endpoints.values()];
    for (let i = 0; i < wanted; i++) {
      const id = towardsHosts[Math.floor(this.random() * towardsHosts.length)] ?? "";
      const port = this.ports.get(id);
      if (port === undefined || port.congested) {
        continue;
      }
      this.congested.push(id);
      const users = new Set(
        Array.from({ length: 6 }, () => Math.floor(this.random() * all.length)),
      );
      const weight = [...users].length;
      const unit = port.capacityBitsPerSecond / weight;
      Object.assign(port, {
        congested: true,
        ceShare: 0.08,
        unitShareBitsPerSecond: Math.round(unit),
        activeEndpoints: weight,
        activeWeight: weight,
        loadBitsPerSecond: port.capacityBitsPerSecond,
      });
      for (const index of users) {
        const endpoint = all[index];
        if (endpoint !== undefined) {
          endpoint.limits = [{ port: id, rateBitsPerSecond: Math.round(unit), ceShare: 0.08 }];
          endpoint.limitBitsPerSecond = Math.round(unit);
          endpoint.deliveredBitsPerSecond = Math.round(unit);
          endpoint.heldBack = true;
          endpoint.backlogBytes = 30_000;
        }
      }
    }
  }

  private stepPorts(): Changes<Port, string> {
    const rows = [...this.ports.values()].filter(() => this.random() < CHANGED_SHARE);
    for (const port of rows) {
      const part = port.congested ? 0.97 + 0.03 * this.random() : undefined;
      const walk = port.loadBitsPerSecond * (0.95 + 0.1 * this.random());
      port.loadBitsPerSecond = Math.round(
        part === undefined
          ? Math.min(walk, 0.9 * port.capacityBitsPerSecond)
          : part * port.capacityBitsPerSecond,
      );
      port.ceShare = port.congested ? round(0.05 + 0.08 * this.random()) : 0;
    }
    return { complete: false, rows, gone: [] };
  }

  private stepEndpoints(): Changes<Endpoint, string> {
    const rows = [...this.endpoints.values()].filter(() => this.random() < CHANGED_SHARE);
    rows.forEach((endpoint) => {
      const limit = endpoint.limits[0]?.rateBitsPerSecond;
      endpoint.deliveredBitsPerSecond = Math.round(
        limit === undefined
          ? Math.max(10_000, (endpoint.deliveredBitsPerSecond ?? 0) * (0.9 + 0.2 * this.random()))
          : limit * (0.95 + 0.05 * this.random()),
      );
      if (endpoint.heldBack && endpoint.mac.endsWith("1")) {
        endpoint.droppedPackets = (endpoint.droppedPackets ?? 0) + 20_000;
      }
    });
    return { complete: false, rows, gone: [] };
  }

  private stepFlows(): Changes<Flow, number> {
    const rows: Flow[] = [];
    for (const flow of this.flows.values()) {
      if (flow.state !== "sending") {
        continue;
      }
      flow.remainingBytes = Math.max(0, flow.remainingBytes - flow.sizeBytes * 0.03);
      if (flow.remainingBytes === 0) {
        flow.state = "met";
      } else if (Date.parse(flow.deadline) < this.now) {
        flow.state = "missed";
      }
      rows.push(flow);
    }
    if (this.endpoints.size > 0 && this.random() < 0.15) {
      const id = this.nextFlow++;
      const flow: Flow = {
        id,
        source: `10.1.0.${String(1 + (id % 200))}`,
        sourcePort: 0,
        destination: "10.2.0.9",
        destinationPort: 5001,
        tenant: this.tenants[1 + (id % (this.tenants.length - 1))]?.id ?? "default",
        sizeBytes: 4_000_000,
        remainingBytes: 4_000_000,
        deadline: new Date(this.now + 3_000 + 9_000 * this.random()).toISOString(),
        promised: id % 4 !== 0,
        promiseLost: false,
        state: "sending",
      };
      this.flows.set(id, flow);
      rows.push(flow);
    }
    const gone: number[] = [];
    for (const flow of this.flows.values()) {
      if (this.now - Date.parse(flow.deadline) > 240_000) {
        gone.push(flow.id);
        this.flows.delete(flow.id);
      }
    }
    return { complete: false, rows, gone };
  }

  private entry(about?: string): JournalEntry {
    const port = about ?? this.congested[Math.floor(this.random() * this.congested.length)] ?? null;
    return {
      sequence: ++this.sequence,
      time: new Date(this.now).toISOString(),
      kind: port === null ? "setting" : "unit-share",
      law: port === null ? "" : "sluice",
      port,
      endpoint: null,
      tenant: null,
      decision: port === null ? "law sluice" : "unit share 166.7 Mbit/s",
      evidence: port === null ? "by onos" : `load 998 of 1000 Mbit/s at ${port}, CE share 0.08`,
    };
  }
}

function names(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

function findingsOf(hosts: readonly Host[]): Finding[] {
  return hosts
    .filter(({ connected }) => !connected)
    .map(({ id }) => ({
      severity: "error",
      about: id,
      what: "its agent has not been connected for 14 min",
      remedy: "systemctl status sluice-agent; journalctl -u sluice-agent -n 20",
    }));
}
