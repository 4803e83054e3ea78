// SPDX-License-Identifier: Apache-2.0
import type { Context, Panel } from "./context";
import { byId, setClass, setText } from "./dom";
import { Inspector } from "./inspect/inspector";
import { freshness, type Contact } from "./live/freshness";
import { QueueReader } from "./live/queues";
import { DeadlinesPanel } from "./panels/deadlines";
import { EndpointsPanel } from "./panels/endpoints";
import { HostsPanel } from "./panels/hosts";
import { JournalPanel } from "./panels/journal";
import { NetworkPanel } from "./panels/network";
import { PortsPanel } from "./panels/ports";
import { SummaryPanel } from "./panels/summary";
import { TenantsPanel } from "./panels/tenants";
import { fragmentOf, placeOf, VIEWS, type Place, type Target, type View } from "./router";
import { seesNetwork } from "./view/access";

const OF_NETWORK: readonly View[] = ["network", "ports", "hosts"];

/** The whole page: one view at a time, and beside it the details of what was chosen. */
export class Page {
  private readonly summary: Panel;
  private readonly panels: Record<View, Panel>;
  private readonly inspector: Inspector;
  private place: Place = { view: "network", target: undefined };
  /** What had the focus when details were opened. */
  private opener: Element | null = null;

  constructor(private readonly context: Context) {
    const queues = new QueueReader(context.rest, () => undefined);
    this.summary = new SummaryPanel(context);
    this.panels = {
      network: new NetworkPanel(context),
      ports: new PortsPanel(context, queues),
      endpoints: new EndpointsPanel(context),
      tenants: new TenantsPanel(context),
      deadlines: new DeadlinesPanel(context),
      hosts: new HostsPanel(context),
      journal: new JournalPanel(context),
    };
    this.inspector = new Inspector(context, queues, () => this.close());
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("main").focus();
    });
    window.addEventListener("hashchange", () => this.goToFragment(true));
  }

  /** Shows what the fragment of the address names; what the user may see is known by now. */
  start(): void {
    const { access } = this.context.state;
    for (const view of OF_NETWORK) {
      byId(`to-${view}`).hidden = !seesNetwork(access);
    }
    setText(byId("role"), access.role === "tenant" ? access.tenants.join(", ") : access.role);
    this.goToFragment(false);
  }

  /** Shows something's details beside the view that there is. */
  open(target: Target): void {
    this.opener = document.activeElement;
    location.hash = fragmentOf({ view: this.place.view, target });
  }

  update(): void {
    this.summary.update();
    this.panels[this.place.view].update();
    this.inspector.update();
  }

  /** Shows the connection to the controller: stale values must not appear live. */
  showContact(contact: Contact): void {
    const { state, text } = freshness(contact, performance.now(), this.context.state);
    const label = byId("state");
    if (label.className !== state) {
      // Once, and not every second.
      setText(byId("announcer"), state === "live" ? "Live" : text);
    }
    setText(label, text);
    setClass(label, state);
    document.body.classList.toggle("waiting", state === "waiting");
    document.body.classList.toggle("stale", state === "stale");
  }

  private close(): void {
    location.hash = fragmentOf({ view: this.place.view, target: undefined });
    if (this.opener?.isConnected === true) {
      (this.opener as HTMLElement | SVGElement).focus();
    }
    this.opener = null;
  }

  private goToFragment(takeFocus: boolean): void {
    const isOfNetwork = seesNetwork(this.context.state.access);
    const place = placeOf(location.hash, isOfNetwork ? "network" : "endpoints");
    if (!isOfNetwork && OF_NETWORK.includes(place.view)) {
      place.view = "endpoints";
    }
    this.place = place;
    for (const view of VIEWS) {
      byId(view).hidden = view !== place.view;
      const link = byId(`to-${view}`);
      if (view === place.view) {
        link.setAttribute("aria-current", "page");
      } else {
        link.removeAttribute("aria-current");
      }
    }
    this.update();
    this.inspector.show(place.target, takeFocus && place.target !== undefined);
  }
}
