// SPDX-License-Identifier: Apache-2.0
import { type Rest, Unavailable } from "../api";
import type {
  Access,
  Cluster,
  Endpoint,
  Finding,
  Flow,
  Host,
  JournalEntry,
  Port,
  Tenant,
  Topology,
} from "../model";
import { seesNetwork } from "../view/access";
import type { Listener, Source } from "./source";

const PERIOD_MILLIS = 1000;
/** Findings take the controller some work, and change seldom; so does the topology. */
const SELDOM = 10;
const FLOWS = 200;
const JOURNAL_ENTRIES = 200;

/** Events made of what is read again and again, for a controller without a stream. */
export class Polling implements Source {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stopping = new AbortController();
  private round = 0;
  private hasTopology = true;

  constructor(
    private readonly rest: Rest,
    private readonly access: Access,
    private readonly listener: Listener,
  ) {
    void this.run();
  }

  stop(): void {
    this.stopping.abort();
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    const started = performance.now();
    try {
      await this.readAll();
      this.listener.failed(undefined);
    } catch (error) {
      if (!this.stopping.signal.aborted) {
        this.listener.failed(error instanceof Error ? error.message : String(error));
      }
    }
    if (!this.stopping.signal.aborted) {
      const wait = Math.max(100, PERIOD_MILLIS - (performance.now() - started));
      this.timer = setTimeout(() => void this.run(), wait);
    }
  }

  private async readAll(): Promise<void> {
    const { receive } = this.listener;
    const read = <T>(path: string) => this.rest.read<T>(path, this.stopping.signal);
    const network = seesNetwork(this.access);
    const isSeldom = this.round++ % SELDOM === 0;
    const [tenants, endpoints, ports, hosts, flows, journal, findings, cluster, topology] =
      await Promise.all([
        read<{ tenants: Tenant[] }>("tenants"),
        read<{ endpoints: Endpoint[] }>("endpoints"),
        network ? read<{ ports: Port[] }>("ports") : { ports: [] },
        network ? read<{ hosts: Host[] }>("hosts") : { hosts: [] },
        read<{ flows: Flow[] }>(`flows?limit=${String(FLOWS)}`),
        read<{ entries: JournalEntry[] }>(`journal?limit=${String(JOURNAL_ENTRIES)}`),
        network && isSeldom ? read<{ findings: Finding[] }>("doctor") : undefined,
        network && isSeldom ? read<Cluster>("cluster") : undefined,
        network && isSeldom ? this.readTopology() : undefined,
      ]);
    if (this.stopping.signal.aborted) {
      return;
    }
    if (topology !== undefined) {
      receive("topology", topology);
    }
    if (findings !== undefined) {
      receive("findings", { rows: findings.findings });
    }
    if (cluster !== undefined) {
      receive("cluster", cluster);
    }
    receive("tenants", { rows: tenants.tenants });
    receive("hosts", { rows: hosts.hosts });
    receive("ports", { complete: true, rows: ports.ports, gone: [] });
    receive("endpoints", { complete: true, rows: endpoints.endpoints, gone: [] });
    receive("flows", { complete: true, rows: flows.flows, gone: [] });
    receive("journal", { complete: true, rows: journal.entries });
    receive("time", {
      at: new Date(this.rest.controllerTime()).toISOString(),
      storeFault: this.rest.storeFault,
    });
  }

  /** Undefined where the controller serves none. */
  private async readTopology(): Promise<Topology | undefined> {
    if (!this.hasTopology) {
      return undefined;
    }
    try {
      return await this.rest.read<Topology>("topology", this.stopping.signal);
    } catch (error) {
      if (error instanceof Unavailable && error.status === 404) {
        this.hasTopology = false;
        return undefined;
      }
      throw error;
    }
  }
}
