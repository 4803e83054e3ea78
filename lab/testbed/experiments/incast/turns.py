# SPDX-License-Identifier: Apache-2.0
"""Turns of the experiment: what is on in each, and what was measured."""

from dataclasses import dataclass

from testbed.deployment.marked_tcp import SLUICE_DCTCP
from testbed.measure import transfers
from testbed.measure.quantiles import mean
from testbed.turns import turn

PAPER_MBPS = 1000
PAPER_KILOBYTES, PAPER_DUE_MILLIS = (20, 60, 100, 140, 200), (20, 30, 35, 40, 45)
AGENTS, PACKET_OUT = "agents", "packet-out"


@dataclass(frozen=True)
class Mode(turn.Mode):
    """What is on in a turn.

    windows: of Sluice's property, None: Sluice enforces nothing; answers: losses are answered;
    answers_by: who sends lost packets again, of Sluice's property; registers: transfers are
    registered; congestion_control: None: the one that was chosen for all.
    """

    windows: str | None = None
    answers: bool = False
    answers_by: str = AGENTS
    registers: bool = True
    congestion_control: str | None = None

    @property
    def properties(self):
        """Sluice's properties for it."""
        if self.windows is None:
            return {"enforcement": "off", "lossAnswers": "off", "lossAnswersBy": AGENTS}
        return {
            "enforcement": "on",
            "windows": self.windows,
            "lossAnswers": "on" if self.answers else "off",
            "lossAnswersBy": self.answers_by,
        }


NOTHING = Mode("nothing", registers=False)
DCTCP = Mode("dctcp", registers=False, congestion_control=SLUICE_DCTCP)
# As it is installed, with nothing registered: its law, and receiver windows.
SLUICE = Mode("sluice", windows="edf", registers=False)
SED_PRINTED = Mode("sed-printed", windows="sed")
RSED_PRINTED = Mode("rsed-printed", windows="sed", answers=True)
RSED_PRINTED_OUT = Mode(
    "rsed-printed-packet-out", windows="sed", answers=True, answers_by=PACKET_OUT
)
SED = Mode("sed", windows="edf")
RSED = Mode("rsed", windows="edf", answers=True)
RSED_OUT = Mode("rsed-packet-out", windows="edf", answers=True, answers_by=PACKET_OUT)
MODES = (
    *(NOTHING, DCTCP, SLUICE),
    *(SED_PRINTED, RSED_PRINTED, RSED_PRINTED_OUT),
    *(SED, RSED, RSED_OUT),
)


@dataclass(frozen=True)
class IncastFlow:
    """A transfer: the connection of this number of its host."""

    host: str
    connection: int
    size_bytes: int
    due_millis: int


def incast(senders, hosts, capacity_mbps):
    """The paper's incast (figures 11 to 13), its deadlines scaled from 1 Gbit/s.

    senders: how many connections, spread over the hosts.
    """
    kinds = list(zip(PAPER_KILOBYTES, PAPER_DUE_MILLIS, strict=True))
    flows = []
    for place in range(senders):
        kilobytes, due_millis = kinds[place % len(kinds)]
        flows.append(
            IncastFlow(
                host=hosts[place % len(hosts)],
                connection=place // len(hosts),
                size_bytes=kilobytes * 1000,
                due_millis=round(due_millis * PAPER_MBPS / capacity_mbps),
            )
        )
    return flows


@dataclass(frozen=True)
class FlowResult:
    """One transfer; took_millis: SYN to last byte, None: not within the time.

    promised: None: it was not registered; timeouts: None: the kernel does not count them.
    """

    flow: IncastFlow
    took_millis: float | None
    late_millis: float | None  # how long after the planned instant its SYN was sent
    last_byte_nanos: int | None
    retransmits: int | None
    timeouts: int | None
    promised: bool | None
    rejection: str | None = None  # of its registration

    @property
    def is_met(self):
        """Whether the last byte arrived in time."""
        return self.took_millis is not None and self.took_millis <= self.flow.due_millis


def result_of(flow, report, start_nanos):
    """The result of a transfer that was to begin at an instant, from its report."""
    return FlowResult(
        flow=flow,
        took_millis=transfers.took_millis(report),
        late_millis=transfers.late_millis(report, start_nanos),
        last_byte_nanos=report["lastByteNanos"],
        retransmits=report["retransmits"],
        timeouts=report["timeouts"],
        promised=report.get("promised"),
        rejection=report.get("rejected", {}).get("detail"),
    )


@dataclass(frozen=True)
class Turn(turn.Turn):
    """The measurements of one turn.

    goodput_mbps: until the last byte, None where not all bytes arrived; counters: what agents
    counted during it.
    """

    selective: bool  # SACK
    senders: int
    flows: list
    goodput_mbps: float | None
    counters: dict


def goodput_mbps(flows, start_nanos):
    """Payload until the last byte of all; None where one has not all of its bytes."""
    ends = [each.last_byte_nanos for each in flows]
    if not ends or None in ends:
        return None
    return sum(each.flow.size_bytes for each in flows) * 8e3 / (max(ends) - start_nanos)


@dataclass(frozen=True)
class Summary:
    """Of all turns of a mode, with SACK or without."""

    mode: Mode
    selective: bool
    transfers: int
    missed: int
    promised: int
    broken: int  # promised, and missed
    timeouts: int | None
    retransmits: int
    goodput_mbps: dict  # {senders: mean, None where a turn has none}
    counters: dict


def summaries(turns):
    """A Summary for each mode with SACK and without, in the order of the first turns."""
    return [summary(*kind, own) for kind, own in turn.by(turns, "mode", "selective").items()]


def summary(mode, selective, turns):
    """The Summary of these turns, which are all of one mode."""
    flows = [flow for each in turns for flow in each.flows]
    timeouts = [flow.timeouts for flow in flows]
    goodputs = {
        senders: [each.goodput_mbps for each in own]
        for senders, own in turn.by(turns, "senders").items()
    }
    return Summary(
        mode=mode,
        selective=selective,
        transfers=len(flows),
        missed=sum(not flow.is_met for flow in flows),
        promised=sum(bool(flow.promised) for flow in flows),
        broken=sum(bool(flow.promised) and not flow.is_met for flow in flows),
        timeouts=None if None in timeouts else sum(timeouts),
        retransmits=sum(flow.retransmits or 0 for flow in flows),
        goodput_mbps={
            senders: None if None in rates else mean(rates) for senders, rates in goodputs.items()
        },
        counters={name: sum(each.counters[name] for each in turns) for name in turns[0].counters},
    )
