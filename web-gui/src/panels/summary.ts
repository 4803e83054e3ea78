// SPDX-License-Identifier: Apache-2.0
import type { Context, Panel } from "../context";
import { byId, element, KeyedList, setAttribute, setClass, setText, type View } from "../dom";
import { summary, type Figure } from "../view/summary";

/** What is the matter, in a few figures, each a link to more. */
export class SummaryPanel implements Panel {
  private readonly figures = new KeyedList<Figure>(byId("summary"), (f) => f.label, figureView);

  constructor(private readonly context: Context) {}

  update(): void {
    this.figures.update(summary(this.context.state));
  }
}

function figureView(): View<Figure> {
  const value = element("span", "value");
  const label = element("span", "label");
  const root = element("a", "figure", value, " ", label);
  return {
    root,
    update: (figure) => {
      setAttribute(root, "href", `#${figure.view}`);
      setText(value, figure.value);
      setText(label, figure.label);
      setClass(root, `figure ${figure.severity}`);
    },
  };
}
