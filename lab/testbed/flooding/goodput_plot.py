# SPDX-License-Identifier: Apache-2.0
"""The plot of every endpoint's goodput over time: phases shaded, fair shares as lines."""

from testbed.flooding.phases import TCP_HOST, flow_of
from testbed.measure.series import CumulativeSeries
from testbed.report import plots
from testbed.report.plots import plt

BIN_NANOS = 250_000_000
COLOURS = {"h1": "#0b6e99", "h2": "#d1495b", "h3": "#edae49", "h4": "#8d6a9f"}
SHADES = ("#f4f4f1", "#e8ebee")


def goodput_over_time(phases, flows, bottleneck_mbps, title, path):
    """Draw the phases' goodput into a PNG file.

    phases: PhaseResult in order of time; flows: the sink's {name: CumulativeSeries}.
    """
    origin = phases[0].window.begin_nanos
    figure, axes = plt.subplots(figsize=(11, 5.2), dpi=130)
    for index, phase in enumerate(phases):
        following = phases[index + 1].window if index + 1 < len(phases) else None
        end_nanos = following.begin_nanos if following else phase.window.end_nanos
        axes.axvspan(
            *((phase.window.begin_nanos - origin) / 1e9, (end_nanos - origin) / 1e9),
            color=SHADES[index % 2],
            lw=0,
            zorder=0,
        )
        _draw_phase(axes, phase, flows, origin, bottleneck_mbps)
    for host, colour in COLOURS.items():
        sample = next((e for p in phases for e in p.endpoints if e.name == host), None)
        if sample is not None:
            kind = sample.transport.replace("/", " ").replace("tcp", "TCP").replace("udp", "UDP")
            width = 2.4 if host == TCP_HOST else 1.4
            axes.plot([], [], color=colour, lw=width, label=f"{host} ({kind})")
    axes.plot([], [], color="black", lw=1, ls=plots.FAIR_SHARE_STYLE, label="fair share")
    axes.set_xlim(0, (phases[-1].window.end_nanos - origin) / 1e9)
    axes.set_ylim(0, bottleneck_mbps * 1.16)
    axes.set_xlabel("time in seconds")
    axes.set_ylabel("goodput at the receiver in Mbit/s")
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold")
    axes.grid(axis="y", color="#cfcfcf", lw=0.5)
    axes.set_axisbelow(True)
    plots.hide_spines(axes)
    axes.legend(ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.13), frameon=False)
    figure.tight_layout()
    plots.save(figure, path)


def _draw_phase(axes, phase, flows, origin, bottleneck_mbps):
    window = phase.window
    begin, end = (window.begin_nanos - origin) / 1e9, (window.end_nanos - origin) / 1e9
    axes.text(
        *((begin + end) / 2, bottleneck_mbps * 1.09),
        f"{window.phase.name}{_weights(window.phase)}\nutilisation {phase.utilisation:.0%}",
        ha="center",
        va="center",
        fontsize=9,
    )
    for endpoint in phase.endpoints:
        flow = flows.get(flow_of(endpoint.name, window), CumulativeSeries([(0, 0)]))
        points = flow.binned_mbps(window.begin_nanos, window.end_nanos, BIN_NANOS)
        is_tcp = endpoint.name == TCP_HOST
        axes.plot(
            [(instant - origin) / 1e9 for instant, _ in points],
            [rate for _, rate in points],
            color=COLOURS[endpoint.name],
            lw=2.4 if is_tcp else 1.4,
            zorder=4 if is_tcp else 3,
        )
        axes.plot(
            *([begin, end], [endpoint.fair_share_mbps] * 2),
            color="black" if is_tcp else COLOURS[endpoint.name],
            lw=1,
            ls=plots.FAIR_SHARE_STYLE,
            zorder=5,
        )


def _weights(phase):
    """The weights, where they differ, or the guarantee."""
    if phase.guarantee:
        return f" {phase.guarantee:.0%} to {TCP_HOST}"
    values = [phase.weights[host] for host in phase.senders]
    return "" if len(set(values)) == 1 else " " + ":".join(f"{value:g}" for value in values)
