# SPDX-License-Identifier: Apache-2.0
"""The report on deadlines: expectations, table, document and plot."""

from testbed.measure.quantiles import mean, median
from testbed.report import plots
from testbed.report.expectations import below, within
from testbed.report.plots import plt

# One repetition may fail, which is reported, if there are enough for that to be an exception.
MISSES_ALLOWED, FROM_REPETITIONS = 1, 5
# A SYN, a FIN, and what leaves in one super-packet with the FIN.
MOST_PACKET_INS = 50
COLOURS = {False: "#8a8a8a", True: "#0b6e99"}
NAMES = {False: "without Sluice", True: "with Sluice"}


def expected(repetitions):
    """Every deadline promised, and met but in one repetition; the endless flow not starved."""
    with_sluice = [each for each in repetitions if each.with_sluice]
    missed = sum(not each.is_met for each in with_sluice)
    allowed = MISSES_ALLOWED if len(with_sluice) >= FROM_REPETITIONS else 0
    refused = sum(not result.promised for each in with_sluice for result in each.flows)
    starved = sum(each.endless.starved_bins for each in with_sluice)
    bins = sum(each.endless.bins for each in with_sluice)
    return [
        below("with Sluice: repetitions with a missed deadline", missed, allowed + 1),
        below("with Sluice: deadlines that were not promised", refused, 1),
        below(
            "with Sluice: 100 ms in which the endless flow had less than a segment per round trip",
            starved if bins else None,
            1,
        ),
    ]


def expected_of_switches(observed):
    """A beginning and an end of every registered flow, few other packets, and no rule left."""
    count = observed["registered"]
    return [
        within("switches: connections seen to begin", observed["beginnings"], count, count),
        within("switches: connections seen to end", observed["ends"], count, count),
        below(
            "switches: packet-ins per connection", observed["packetIns"] / count, MOST_PACKET_INS
        ),
        below("switches: rules left", observed["rulesLeft"], 1),
    ]


def groups(repetitions):
    """[((congestion control, with Sluice), repetitions)] in the order of the first ones."""
    found = {}
    for each in repetitions:
        found.setdefault((each.congestion_control, each.with_sluice), []).append(each)
    return list(found.items())


def table(repetitions):
    """A row per flow: how often it was met, and how long it took."""
    lines = [
        f"{'':<8}{'':<16}{'flow':>5}{'kB':>7}{'due, ms':>9}{'met':>8}{'median':>9}{'slowest':>9}"
    ]
    for (control, with_sluice), members in groups(repetitions):
        first = f"{control:<8}{NAMES[with_sluice]:<16}"
        for place in range(len(members[0].flows)):
            results = [each.flows[place] for each in members]
            took = [result.took_millis for result in results if result.took_millis is not None]
            middle = f"{median(took):.0f}" if took else "-"
            slowest = f"{max(took):.0f}" if len(took) == len(results) else "never"
            flow = results[0].flow
            met = f"{sum(result.is_met for result in results)} of {len(results)}"
            lines.append(
                f"{first}{flow.number:>5}{flow.size_bytes / 1e3:>7.0f}{flow.due_millis:>9}"
                f"{met:>8}{middle:>9}{slowest:>9}"
            )
            first = " " * 24
        lines.append(f"{'':<24}{_endless_line([each.endless for each in members])}")
    return "\n".join(lines)


def _endless_line(results):
    rate = mean([each.mbps for each in results])
    starved, bins = (
        sum(getattr(each, name) for each in results) for name in ("starved_bins", "bins")
    )
    return f"endless flow: {rate:.1f} Mbit/s, starved in {starved} of {bins} times 100 ms"


def as_json(repetition):
    """A repetition in the document of `--json FILE`."""
    endless = repetition.endless
    return {
        "congestionControl": repetition.congestion_control,
        "sluice": repetition.with_sluice,
        "met": repetition.is_met,
        "flows": [
            {
                "flow": result.flow.number,
                "sizeBytes": result.flow.size_bytes,
                "dueMillis": result.flow.due_millis,
                "tookMillis": _rounded(result.took_millis),
                "met": result.is_met,
                "retransmits": result.retransmits,
                "promised": result.promised,
                "finalState": result.final_state,
                "beganLateMillis": _rounded(result.late_millis),
            }
            for result in repetition.flows
        ],
        "endless": {
            "mbps": round(endless.mbps, 3),
            "bins": endless.bins,
            "starvedBins": endless.starved_bins,
            "worstBinShare": _rounded(endless.worst_bin_share),
        },
    }


def _rounded(value):
    return None if value is None else round(value, 2)


def draw(repetitions, title, path):
    """A panel per congestion control: when each flow was complete, against its deadline."""
    controls = list(dict.fromkeys(each.congestion_control for each in repetitions))
    figure, panels = plt.subplots(
        *(1, len(controls)),
        figsize=(4.2 * len(controls) + 0.6, 4.2),
        dpi=130,
        sharey=True,
        squeeze=False,
    )
    for axes, control in zip(panels[0], controls, strict=True):
        _draw_panel(axes, [each for each in repetitions if each.congestion_control == control])
        axes.set_title(control, fontsize=10)
    panels[0][0].set_ylabel("flow")
    handles = [
        plt.Line2D([], [], color=COLOURS[kind], marker="o", ls="", label=NAMES[kind])
        for kind in (False, True)
    ]
    handles.append(plt.Line2D([], [], color="#d1495b", lw=2, label="deadline"))
    figure.legend(handles=handles, loc="lower center", ncols=3, frameon=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    plots.save(figure, path)


def _draw_panel(axes, repetitions):
    for each in repetitions:
        offset = 0.16 if each.with_sluice else -0.16
        for result in each.flows:
            if result.took_millis is not None:
                axes.plot(
                    result.took_millis,
                    result.flow.number + offset,
                    "o",
                    color=COLOURS[each.with_sluice],
                    ms=5,
                    alpha=0.6,
                )
    flows = [result.flow for result in repetitions[0].flows]
    for flow in flows:
        ends = [flow.number - 0.36, flow.number + 0.36]
        axes.plot([flow.due_millis] * 2, ends, color="#d1495b", lw=2)
    axes.set_yticks([flow.number for flow in flows])
    axes.set_xlabel("ms from the SYN to the last byte")
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.grid(color="#cfcfcf", lw=0.5)
    axes.set_axisbelow(True)
