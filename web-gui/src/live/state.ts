// SPDX-License-Identifier: Apache-2.0
import type {
  Access,
  ClusterNode,
  Endpoint,
  Finding,
  Flow,
  Host,
  JournalEntry,
  Port,
  Tenant,
  Topology,
} from "../model";
import type { Changes, Contents, Kind } from "./events";

const JOURNAL_ENTRIES = 500;

/** All that is known of the network, kept current by events. */
export class State {
  access: Access = { role: "viewer", tenants: [], registersDeadlines: false };
  /** Undefined: the controller serves none, or not to this user. */
  topology: Topology | undefined;
  tenants: Tenant[] = [];
  hosts: Host[] = [];
  findings: Finding[] = [];
  /** Of the controllers' cluster. */
  nodes: ClusterNode[] = [];
  leader: string | null = null;
  /** Why the cluster's store does not answer this node: what it shows is old; null: it does. */
  storeFault: string | null = null;
  readonly ports = new Rows<Port, string>((port) => port.id);
  readonly endpoints = new Rows<Endpoint, string>((endpoint) => endpoint.id);
  readonly flows = new Rows<Flow, number>((flow) => flow.id);
  /** Newest first. */
  journal: JournalEntry[] = [];
  /** The controller's clock at its last report, in milliseconds; 0: none yet. */
  at = 0;

  /** Takes an event. */
  apply<K extends Kind>(kind: K, content: Contents[K]): void {
    this.appliers[kind](content);
  }

  private readonly appliers: { [K in Kind]: (content: Contents[K]) => void } = {
    access: (access) => (this.access = access),
    topology: (topology) => (this.topology = topology),
    tenants: ({ rows }) => (this.tenants = rows),
    hosts: ({ rows }) => (this.hosts = rows),
    findings: ({ rows }) => (this.findings = rows),
    cluster: ({ leader, nodes }) => {
      this.leader = leader;
      this.nodes = nodes;
    },
    ports: (changes) => this.ports.apply(changes),
    endpoints: (changes) => this.endpoints.apply(changes),
    flows: (changes) => this.flows.apply(changes),
    journal: ({ complete, rows }) => this.addToJournal(complete ? [] : this.journal, rows),
    time: ({ at, storeFault }) => {
      this.at = Date.parse(at);
      this.storeFault = storeFault;
    },
  };

  /** A resumed stream may repeat entries. */
  private addToJournal(before: readonly JournalEntry[], entries: readonly JournalEntry[]): void {
    const known = new Set(before.map(({ sequence }) => sequence));
    const added = entries.filter(({ sequence }) => !known.has(sequence));
    this.journal = [...added, ...before]
      .sort((a, b) => b.sequence - a.sequence)
      .slice(0, JOURNAL_ENTRIES);
  }
}

/** Things by key, in the order of their names. */
export class Rows<T, K extends string | number> {
  private readonly rows = new Map<K, T>();
  private ranks: Map<K, number> | undefined;

  constructor(private readonly key: (row: T) => K) {}

  get size(): number {
    return this.rows.size;
  }

  get(key: K): T | undefined {
    return this.rows.get(key);
  }

  values(): Iterable<T> {
    return this.rows.values();
  }

  /** The place of a row in the order of keys; comparing thousands of names for every view is slow. */
  rank(row: T): number {
    this.ranks ??= new Map([...this.rows.keys()].sort(compareKeys).map((key, i) => [key, i]));
    return this.ranks.get(this.key(row)) ?? 0;
  }

  apply(changes: Changes<T, K>): void {
    const before = this.rows.size;
    if (changes.complete) {
      const there = new Set(changes.rows.map(this.key));
      for (const key of this.rows.keys()) {
        if (!there.has(key)) {
          this.rows.delete(key);
        }
      }
    }
    const kept = this.rows.size;
    for (const row of changes.rows) {
      this.rows.set(this.key(row), row);
    }
    const added = this.rows.size;
    for (const key of changes.gone) {
      this.rows.delete(key);
    }
    if (kept !== before || added !== kept || this.rows.size !== added) {
      this.ranks = undefined;
    }
  }
}

const collator = new Intl.Collator("en", { numeric: true });

/** The order of names for people: numbers in them by value. */
export function compareKeys(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : collator.compare(String(a), String(b));
}
