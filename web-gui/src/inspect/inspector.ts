// SPDX-License-Identifier: Apache-2.0
import type { Context } from "../context";
import { button, byId, element, setText } from "../dom";
import type { QueueReader } from "../live/queues";
import type { Target, TargetKind } from "../router";
import type { Details } from "./details";
import { EndpointDetails } from "./endpoint";
import { FlowDetails } from "./flow";
import { HostDetails } from "./host";
import { PortDetails } from "./port";
import { SwitchDetails } from "./switch";

/** The part of the page that shows one thing in detail, until it is closed. */
export class Inspector {
  private readonly section = byId("details");
  private readonly heading = element("h2");
  private readonly body = element("div");
  private readonly closeButton: HTMLButtonElement;
  private readonly details: Record<TargetKind, Details>;
  private target: Target | undefined;

  constructor(context: Context, queues: QueueReader, close: () => void) {
    this.details = {
      endpoint: new EndpointDetails(context),
      port: new PortDetails(context, queues),
      switch: new SwitchDetails(context),
      host: new HostDetails(context),
      flow: new FlowDetails(context),
    };
    this.closeButton = button("plain-button", "Close", close);
    this.heading.tabIndex = -1;
    this.section.append(element("div", "card-head", this.heading, this.closeButton), this.body);
    this.section.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        close();
      }
    });
  }

  /** Shows something, or nothing; the focus comes here if the user selected it. */
  show(target: Target | undefined, takeFocus: boolean): void {
    const before = this.target;
    this.target = target;
    this.section.hidden = target === undefined;
    document.body.classList.toggle("inspecting", target !== undefined);
    if (before !== undefined && before.kind !== target?.kind) {
      this.details[before.kind].close();
    }
    if (target === undefined) {
      return;
    }
    this.body.replaceChildren(this.details[target.kind].root);
    this.update();
    if (takeFocus) {
      this.section.scrollTop = 0;
      this.heading.focus({ preventScroll: window.innerWidth > 1100 });
    }
  }

  update(): void {
    if (this.target !== undefined) {
      const { kind, id } = this.target;
      setText(this.heading, this.details[kind].heading(id));
      this.details[kind].update(id);
    }
  }
}
