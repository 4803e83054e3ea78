// SPDX-License-Identifier: Apache-2.0
import type { Context } from "../context";
import { element, setText, showLines } from "../dom";
import { rate } from "../format";
import type { Endpoint } from "../model";
import {
  addressesText,
  concernText,
  dropsText,
  isReported,
  lowestLimit,
  getsText,
  NOT_KNOWN,
  waitsText,
} from "../view/endpoints";
import { entryText } from "../view/journal";
import { competitors } from "../view/ports";
import { CompetitorsTable } from "./competitors";
import type { Details } from "./details";
import { Facts } from "./facts";
import { PolledResource } from "./resource";

const NAMED_PORTS = 3;

/** An endpoint: what it gets, why no more, and beside which others. */
export class EndpointDetails implements Details {
  readonly root: HTMLElement;
  private readonly facts = new Facts();
  private readonly summary = element("p", "why-summary");
  private readonly lines = element("ul", "why-lines");
  private readonly portHeading = element("h3");
  private readonly users;
  private readonly journalHeading = element("h3", "", "Decisions about it");
  private readonly journal = element("ul", "why-journal");
  private readonly resource;
  private id = "";

  constructor(private readonly context: Context) {
    this.users = new CompetitorsTable(context);
    this.resource = new PolledResource(
      (endpoint) => context.rest.readExplanation(endpoint),
      () => this.update(this.id),
    );
    this.root = element(
      "div",
      "",
      element("h3", "", "Why"),
      this.summary,
      this.lines,
      this.portHeading,
      this.users.root,
      element("h3", "", "Now"),
      this.facts.root,
      this.journalHeading,
      this.journal,
    );
  }

  heading(id: string): string {
    return `Endpoint ${id}`;
  }

  update(id: string): void {
    this.id = id;
    this.resource.select(id);
    this.showFacts(id);
    const { value: why, problem } = this.resource;
    const { names } = this.context;
    setText(this.summary, names.inText(problem ?? why?.summary ?? "Loading from the controller"));
    showLines(this.lines, why?.lines.map((line) => names.inText(line)) ?? []);
    const [port] = why?.ports ?? [];
    const there = why === undefined || port === undefined ? undefined : competitors(port.port, why);
    this.portHeading.hidden = there === undefined;
    this.users.root.hidden = there === undefined;
    if (port !== undefined && there !== undefined) {
      setText(this.portHeading, `Who sends through ${names.ofPort(port.port)}`);
      this.users.update(there);
    }
    const entries = why?.journal ?? [];
    this.journalHeading.hidden = entries.length === 0;
    showLines(
      this.journal,
      entries.map((entry) => entryText(entry, names)),
    );
  }

  close(): void {
    this.resource.select(undefined);
  }

  private showFacts(id: string): void {
    const { state, names, recorder } = this.context;
    const endpoint = state.endpoints.get(id);
    if (endpoint === undefined) {
      this.facts.update([["State", "no longer reported"]]);
      return;
    }
    const drops = recorder.dropsPerSecond(id);
    const limits = endpoint.limits
      .slice(0, NAMED_PORTS)
      .map((at) => [`Limit at ${names.ofPort(at.port)}`, rate(at.rateBitsPerSecond)] as const);
    this.facts.update([
      ["Tenant", endpoint.tenant],
      ["Gets through", getsText(endpoint)],
      ["Lowest limit", limitText(endpoint)],
      ...limits,
      ["State", concernText(endpoint, drops) || "gets what it sends"],
      ["Waits at its host", waitsText(endpoint)],
      ["Dropped by its host", dropsText(endpoint, drops)],
      ["Addresses", addressesText(endpoint)],
      ["MAC", endpoint.mac],
      ["Behind", endpoint.attachment === null ? NOT_KNOWN : names.ofPort(endpoint.attachment)],
    ]);
  }
}

function limitText(endpoint: Endpoint): string {
  const limit = lowestLimit(endpoint);
  return isReported(endpoint) ? (limit === null ? "none" : rate(limit)) : NOT_KNOWN;
}
