// SPDX-License-Identifier: Apache-2.0
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "../dom";
import { clockTime } from "../format";
import { CHART_SECONDS } from "../live/recorder";

/** One line of a chart. */
export interface Line {
  label: string;
  /** A class of the page that has the line's colour. */
  colour: string;
  isDashed?: boolean;
  values: (number | null)[];
}

const HEIGHT = 240;
const FONT = "12px system-ui, sans-serif";

/** Lines over time. The drawing is uPlot's; colours are the page's, light or dark. */
export class TimeChart {
  readonly root = element("div", "chart");
  private readonly probe = element("span", "colour-probe");
  private plot: uPlot | undefined;
  private seconds = CHART_SECONDS;
  /** What the plot was made for: other lines or another scheme need another one. */
  private madeFor = "";
  private readonly resized = new ResizeObserver(() => this.fit());
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");

  /**
   * A chart.
   *
   * @param label what it shows, for those who do not see it
   * @param text how values are written
   */
  constructor(
    label: string,
    private readonly text: (value: number) => string,
  ) {
    this.root.setAttribute("role", "img");
    this.root.setAttribute("aria-label", label);
    this.root.append(this.probe);
    this.resized.observe(this.root);
  }

  /** Shows lines at moments, which are in seconds, of the last so many seconds. */
  update(moments: readonly number[], lines: readonly Line[], seconds = CHART_SECONDS): void {
    this.seconds = seconds;
    const style = (line: Line) => [line.label, line.colour, line.isDashed].join();
    const now = [this.dark.matches, ...lines.map(style)].join("|");
    const data: uPlot.AlignedData = [[...moments], ...lines.map(({ values }) => values)];
    if (this.plot !== undefined && now === this.madeFor) {
      this.plot.setData(data);
    } else {
      this.madeFor = now;
      this.plot?.destroy();
      this.plot = new uPlot(this.options(lines), data, this.root);
    }
    // The latest values, unless somebody points at others.
    if (moments.length > 0 && typeof this.plot.cursor.idx !== "number") {
      this.plot.setLegend({ idx: moments.length - 1 });
    }
  }

  private options(lines: readonly Line[]): uPlot.Options {
    const axis = { stroke: this.colour("soft"), font: FONT, ticks: { show: false } };
    const grid = { stroke: this.colour("rule"), width: 1 };
    return {
      width: this.width(),
      height: HEIGHT,
      legend: { live: true },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        x: { range: (_, __, last) => [last - this.seconds, last] },
        y: { range: (_, __, most) => [0, Math.max(most * 1.1, 0.001)] },
      },
      axes: [
        {
          ...axis,
          grid,
          values: (_, at) => at.map((second) => clockTime(second * 1000)),
          space: 90,
        },
        { ...axis, grid, values: (_, at) => at.map(this.text), size: 84 },
      ],
      series: [
        { label: "Time", value: (_, at) => (at === null ? "–" : clockTime(at * 1000)) },
        ...lines.map(({ label, colour, isDashed }) => ({
          label,
          stroke: this.colour(colour),
          width: isDashed === true ? 1.25 : 2,
          ...(isDashed === true ? { dash: [5, 4] } : {}),
          points: { show: false },
          value: (_: uPlot, value: number | null) => (value === null ? "–" : this.text(value)),
        })),
      ],
    };
  }

  /** The colour of a class of the page now. */
  private colour(name: string): string {
    this.probe.className = `colour-probe ${name}`;
    return getComputedStyle(this.probe).color;
  }

  private width(): number {
    return Math.max(200, this.root.clientWidth);
  }

  private fit(): void {
    if (this.plot !== undefined && this.root.clientWidth > 0) {
      this.plot.setSize({ width: this.width(), height: HEIGHT });
    }
  }
}
