// SPDX-License-Identifier: Apache-2.0
// What the stream of the REST interface sends; openapi.json describes it.
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

/** Rows that have changed and keys that have gone; complete: all that there is. */
export interface Changes<T, K> {
  complete: boolean;
  rows: T[];
  gone: K[];
}

/** The content of each kind of event. */
export interface Contents {
  access: Access;
  topology: Topology;
  tenants: { rows: Tenant[] };
  hosts: { rows: Host[] };
  findings: { rows: Finding[] };
  cluster: Cluster;
  ports: Changes<Port, string>;
  endpoints: Changes<Endpoint, string>;
  flows: Changes<Flow, number>;
  /** Complete: what came before is another journal. */
  journal: { complete: boolean; rows: JournalEntry[] };
  /** Once a second: the controller's clock, and why the cluster's store does not answer it. */
  time: { at: string; storeFault: string | null };
}

export type Kind = keyof Contents;

/** Takes events of any kind. */
export type Receive = <K extends Kind>(kind: K, content: Contents[K]) => void;
