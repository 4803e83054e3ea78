// SPDX-License-Identifier: Apache-2.0
import { element, setText } from "./dom";
import { timeOfDay } from "./format";
import type { Explanation } from "./model";

/** Shows why one endpoint gets no more than it does, until it is closed. */
export class WhyPanel {
  private readonly heading = element("h2");
  private readonly summary = element("p", "why-summary");
  private readonly lines = element("ul", "why-lines");
  private readonly journal = element("ul", "why-journal");
  private readonly closeButton = element("button", "quiet-button", "Close");
  private endpoint: string | undefined;
  private opener: HTMLElement | undefined;

  constructor(private readonly section: HTMLElement) {
    this.closeButton.type = "button";
    this.closeButton.addEventListener("click", () => this.close());
    this.summary.setAttribute("role", "status");
    section.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.close();
      }
    });
    section.replaceChildren(
      element("div", "why-head", this.heading, this.closeButton),
      this.summary,
      this.lines,
      this.journal,
    );
  }

  /** The endpoint that is asked about; undefined: none. */
  asked(): string | undefined {
    return this.endpoint;
  }

  /** Asks about an endpoint; the focus comes here, and goes back when this is closed. */
  open(endpoint: string, opener: HTMLElement): void {
    this.endpoint = endpoint;
    this.opener = opener;
    setText(this.heading, `Why: ${endpoint}`);
    setText(this.summary, "Asking the controller");
    this.lines.replaceChildren();
    this.journal.replaceChildren();
    this.section.hidden = false;
    this.closeButton.focus();
  }

  close(): void {
    this.endpoint = undefined;
    this.section.hidden = true;
    this.opener?.focus();
    this.opener = undefined;
  }

  show(why: Explanation): void {
    if (why.endpoint !== this.endpoint) {
      return;
    }
    setText(this.summary, why.summary);
    showLines(this.lines, why.lines);
    showLines(
      this.journal,
      why.journal.map((entry) => `${timeOfDay(entry.time)} ${entry.decision}: ${entry.evidence}`),
    );
  }

  /** Shows what was answered in the place of an explanation. */
  fail(message: string): void {
    setText(this.summary, message);
    this.lines.replaceChildren();
    this.journal.replaceChildren();
  }
}

function showLines(list: HTMLElement, lines: readonly string[]): void {
  while (list.children.length > lines.length) {
    list.lastElementChild?.remove();
  }
  lines.forEach((line, i) => {
    setText(list.children[i] ?? list.appendChild(element("li")), line);
  });
}
