// SPDX-License-Identifier: Apache-2.0
import { element, KeyedList, setClass, setText, type View } from "./dom";
import { ago, bytes, percent, rate, significant, timeOfDay, until } from "./format";
import { History } from "./history";
import type { Endpoint, Flow, Host, JournalEntry, Port, Snapshot, Tenant } from "./model";
import {
  arrivedShare,
  byConcern,
  byTenant,
  byUrgency,
  carriedText,
  flowSeverity,
  flowStateText,
  flowText,
  limitedByText,
  loadShare,
  memberText,
  portSeverity,
  portText,
  seesNetwork,
  sendsText,
  summary,
  tenantColours,
  weightShare,
  type Figure,
} from "./view";
import { WhyPanel } from "./why";
import { barCell, lineCell, tableView, textCell } from "./widgets";

const HISTORY_SECONDS = 60;

/** The whole page below its header. */
export class Page {
  /** Why one endpoint gets what it gets, if somebody asks. */
  readonly why = new WhyPanel(section("why"));
  private readonly loads = new History(HISTORY_SECONDS);
  private readonly rates = new History(HISTORY_SECONDS);
  private colours = new Map<string, string>();
  private now = 0;
  private snapshot: Snapshot = {
    access: { role: "viewer", tenants: [], registersDeadlines: false },
    tenants: [],
    endpoints: [],
    ports: [],
    hosts: [],
    flows: [],
    journal: [],
  };

  private readonly figures = new KeyedList<Figure>(section("summary"), (f) => f.label, figureView);
  private readonly ports = this.portTable();
  private readonly endpoints = this.endpointTable();
  private readonly flows = this.flowTable();
  private readonly tenants = this.tenantTable();
  private readonly hosts = this.hostTable();
  private readonly journal = journalTable();

  show(snapshot: Snapshot, now: number): void {
    this.snapshot = snapshot;
    this.now = now;
    this.colours = tenantColours(snapshot.tenants);
    this.loads.add(new Map(snapshot.ports.map((p) => [p.id, p.loadMbps])));
    this.rates.add(new Map(snapshot.endpoints.map((e) => [e.id, e.deliveredMbps])));
    for (const id of ["ports", "hosts"]) {
      section(id).hidden = !seesNetwork(snapshot.access);
    }
    this.figures.update(summary(snapshot));
    this.ports(byConcern(snapshot.ports));
    this.endpoints(byTenant(snapshot.endpoints));
    this.flows(byUrgency(snapshot.flows));
    this.tenants(snapshot.tenants);
    this.hosts(snapshot.hosts);
    this.journal(snapshot.journal);
  }

  private portTable() {
    return tableView<Port>(section("ports"), "Ports", "No switch port is known.", (p) => p.id, [
      { header: "Port", cell: textCell((p) => p.id, "mono") },
      {
        header: "Load",
        classes: "wide",
        cell: barCell(
          loadShare,
          (p) => `${rate(p.loadMbps)} of ${rate(p.capacityMbps)}`,
          (p) => portSeverity(p),
        ),
      },
      {
        header: "Last minute",
        cell: lineCell(
          (p) => this.loads.of(p.id),
          HISTORY_SECONDS,
          (p) => p.capacityMbps,
        ),
      },
      { header: "CE share", classes: "number", cell: textCell((p) => percent(p.ceShare)) },
      { header: "Unit share", classes: "number", cell: textCell((p) => rate(p.unitShareMbps)) },
      { header: "State", classes: "wide", cell: textCell(portText) },
    ]);
  }

  private endpointTable() {
    const capacity = (e: Endpoint) =>
      this.snapshot.hosts.find((host) => host.id === e.host)?.uplinkCapacityMbps ?? 0;
    return tableView<Endpoint>(
      section("endpoints"),
      "Endpoints",
      "No agent has reported an endpoint.",
      (e) => e.id,
      [
        { header: "Endpoint", cell: () => this.whyButton() },
        {
          header: "Tenant",
          cell: () => this.tenantChip((e) => e.tenant),
        },
        { header: "Addresses", cell: textCell((e) => e.ips.join(", "), "mono") },
        { header: "Attached to", cell: textCell((e) => e.attachment ?? "–", "mono") },
        {
          header: "Sends",
          classes: "wide",
          cell: barCell(
            (e) => (capacity(e) === 0 ? 0 : Math.min(1, e.deliveredMbps / capacity(e))),
            sendsText,
            (e) => this.colours.get(e.tenant) ?? "tenant-default",
          ),
        },
        { header: "At congested ports", cell: textCell(limitedByText) },
        {
          header: "Last minute",
          cell: lineCell((e) => this.rates.of(e.id), HISTORY_SECONDS, capacity),
        },
      ],
    );
  }

  private flowTable() {
    return tableView<Flow>(
      section("flows"),
      "Deadlines",
      "No flow with a deadline is registered.",
      (f) => String(f.id),
      [
        { header: "Flow", cell: textCell(flowText, "mono") },
        { header: "Tenant", cell: () => this.tenantChip((f) => f.tenant) },
        {
          header: "Arrived",
          classes: "wide",
          cell: barCell(
            arrivedShare,
            (f) => `${bytes(f.sizeBytes - f.remainingBytes)} of ${bytes(f.sizeBytes)}`,
            flowSeverity,
          ),
        },
        { header: "Due", cell: textCell((f) => until(f.deadline, this.now)) },
        { header: "State", cell: textCell(flowStateText) },
      ],
    );
  }

  private tenantTable() {
    return tableView<Tenant>(section("tenants"), "Tenants", "There is no tenant.", (t) => t.id, [
      { header: "Tenant", cell: () => this.tenantChip((t) => t.id) },
      {
        header: "Weight",
        classes: "wide",
        cell: barCell(
          (t) => weightShare(t, this.snapshot.tenants),
          (t) => significant(t.weight),
          (t) => this.colours.get(t.id) ?? "tenant-default",
        ),
      },
      {
        header: "Guarantee",
        classes: "number",
        cell: textCell((t) => (t.guaranteeMbps === 0 ? "none" : rate(t.guaranteeMbps))),
      },
      {
        header: "Ceiling",
        classes: "number",
        cell: textCell((t) => (t.ceilingMbps === 0 ? "none" : rate(t.ceilingMbps))),
      },
      {
        header: "Receive ceiling",
        classes: "number",
        cell: textCell((t) => (t.receiveCeilingMbps === 0 ? "none" : rate(t.receiveCeilingMbps))),
      },
      { header: "ECN", cell: textCell((t) => t.ecn) },
      {
        header: "Members",
        classes: "wide",
        cell: textCell((t) => t.members.map(memberText).join(", ") || "–", "mono"),
      },
    ]);
  }

  private hostTable() {
    return tableView<Host>(section("hosts"), "Hosts", "No agent has connected yet.", (h) => h.id, [
      {
        header: "Host",
        cell: () => {
          const dot = element("span");
          const name = element("span", "mono");
          return {
            root: element("span", "", dot, name),
            update: (host) => {
              setClass(dot, host.connected ? "dot up" : "dot down");
              dot.title = host.connected ? "connected" : "not connected";
              setText(name, host.id);
            },
          };
        },
      },
      { header: "Last report", cell: textCell((h) => ago(h.lastSeen, this.now)) },
      { header: "Agent", cell: textCell((h) => h.agentVersion) },
      {
        header: "Uplink",
        cell: textCell(carriedText),
      },
      { header: "Endpoints", classes: "number", cell: textCell((h) => String(h.endpointCount)) },
      {
        header: "Missing features",
        classes: "wide",
        cell: textCell((h) => h.missingFeatures.join("; ") || "nothing"),
      },
    ]);
  }

  /** An endpoint's name, which asks why it gets what it gets. */
  private whyButton(): View<Endpoint> {
    const root = element("button", "mono link-button");
    root.type = "button";
    let shown = "";
    root.addEventListener("click", () => this.why.open(shown, root));
    return {
      root,
      update: (endpoint) => {
        shown = endpoint.id;
        setText(root, endpoint.id);
        root.title = `Why does ${endpoint.id} get no more?`;
      },
    };
  }

  private tenantChip<T>(tenant: (item: T) => string): View<T> {
    const root = element("span");
    return {
      root,
      update: (item) => {
        setClass(root, `chip ${this.colours.get(tenant(item)) ?? "tenant-default"}`);
        setText(root, tenant(item));
      },
    };
  }
}

function journalTable() {
  return tableView<JournalEntry>(
    section("journal"),
    "Journal",
    "Nothing has been decided yet.",
    (e) => String(e.sequence),
    [
      { header: "Time", cell: textCell((e) => timeOfDay(e.time), "mono") },
      { header: "Kind", cell: textCell((e) => e.kind, "kind") },
      { header: "About", cell: textCell((e) => e.endpoint ?? e.port ?? "–", "mono") },
      { header: "Decision", classes: "wide", cell: textCell((e) => e.decision) },
      { header: "Evidence", classes: "wide quiet-text", cell: textCell((e) => e.evidence) },
    ],
  );
}

function figureView(): View<Figure> {
  const value = element("span", "value");
  const label = element("span", "label");
  const root = element("div", "figure", value, label);
  return {
    root,
    update: (figure) => {
      setText(value, figure.value);
      setText(label, figure.label);
      setClass(root, `figure ${figure.severity}`);
    },
  };
}

function section(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`the page has no section ${id}`);
  }
  return found;
}
