# SPDX-License-Identifier: Apache-2.0
"""`lab/run cluster`: three nodes beside floods, one case after the other, and the document."""

from dataclasses import dataclass, field

from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.cluster import criteria, writers
from testbed.experiments.cluster.cases import CASES, SHORT
from testbed.experiments.cluster.site import NODES, ClusterSite
from testbed.experiments.cluster.watch import Watch
from testbed.experiments.cluster.writers import Writers
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents
from testbed.report.expectations import EXIT_STATUS, Expectation, verdict, worst
from testbed.system import processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress

EXPERIMENT = "cluster"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 130, 25


def add_options(command):
    """Declare the options."""
    common.onos_deployment(command)
    common.congestion_control(command)
    command.add_argument(
        "--list",
        action=common.ListAndExit,
        listed=CASES,
        width=10,
        help="list the cases and exit",
    )
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument(
        "--case",
        action="append",
        choices=[case.name for case in CASES],
        help="this case; may be repeated (all)",
    )
    chosen.add_argument("--short", action="store_true", help="the first case alone")


@dataclass
class Result:
    """What came of a case."""

    name: str
    expectations: list
    aims: list = field(default_factory=list)
    cpu: processors.CpuUse | None = None
    figures: dict = field(default_factory=dict)

    @property
    def verdict(self):
        """pass, fail or inconclusive."""
        return verdict(self.expectations, [], self.cpu)

    def as_json(self):
        """Its part of the document."""
        return {
            "name": self.name,
            **({} if self.cpu is None else self.cpu.as_json()),
            **self.figures,
            "expectations": [each.as_json() for each in self.expectations],
            "aims": [each.as_json() for each in self.aims],
            "verdict": self.verdict,
        }


def chosen_cases(options):
    """The cases that the user wants, in their order."""
    if options.short:
        return SHORT
    return [case for case in CASES if options.case is None or case.name in options.case]


def run(options):
    """Make the chosen cases; returns the exit status."""
    startup.require_own_controller(options, "kills nodes of its controller")
    cases = chosen_cases(options)
    progress = Progress(SET_UP_SECONDS + sum(c.seconds for c in cases) + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    results = []
    with laboratory:
        site = ClusterSite(laboratory, options)
        site.bring_up()
        for number, case in enumerate(cases):
            progress.expect(sum(c.seconds for c in cases[number:]) + TEAR_DOWN_SECONDS)
            progress.log(f"{case.name}: {case.summary}")
            startup.wait_until_idle(progress)
            results.append(_make(site, case, options.cc))
            progress.log(f"{case.name}: {results[-1].verdict}")
    return _conclude(results, site, options, laboratory.leftovers)


def _make(site, case, congestion_control):
    """Make one case; if it cannot be completed it fails, and the next one is made all the same."""
    try:
        return _measured(site, case, congestion_control)
    except LabError as failure:
        return Result(case.name, [Expectation(str(failure), None, "carried out", False)])


def _measured(site, case, congestion_control):
    watch = Watch(site, case.name, congestion_control)
    written = Writers(site.nodes)
    try:
        with watch, written:
            moved = case.make(site, watch)
            written.stop()
        ceilings, flows = written.ceilings(), written.flows()
    finally:
        written.remove()
    differences = site.table_differences()
    expected, aims = criteria.of_traffic(watch.seconds(), watch.gaps_seconds, watch.resets)
    in_force = watch.in_force_seconds(*moved) if moved else None
    if moved:
        expected.append(criteria.of_takeover(in_force))
    expected += criteria.of_writes(written.changes, ceilings, written.promises, flows)
    expected.append(criteria.of_tables(differences))
    taken_for_away = site.taken_for_away()
    aims.append(criteria.of_views(taken_for_away))
    figures = {
        "happened": [
            {"second": round((instant - watch.begin_nanos) / 1e9, 1), "what": what}
            for instant, what in watch.marks
        ],
        "seconds": [
            {"tcpOfDue": round(tcp, 3), "utilisation": round(used, 3), "busy": is_busy}
            for _, tcp, used, is_busy in watch.seconds()
        ],
        "gaps": {
            pair: {"longestSeconds": round(length, 3), "afterSeconds": round(since, 1)}
            for pair, (length, since) in watch.gaps_seconds.items()
        },
        "inForceSeconds": in_force,
        "changes": dict(written.changes),
        "ceilings": ceilings,
        "promises": {
            outcome: sum(each == outcome for each, _ in written.promises.values())
            for outcome in (writers.ACCEPTED, writers.REFUSED, writers.UNKNOWN)
        },
        "refusals": dict(written.refusals),
        "lostPromises": writers.lost_promises(written.promises, flows),
        "doubledPromises": writers.doubled_promises(written.promises, flows),
        "tableDifferences": differences,
        "takenForAway": taken_for_away,
    }
    return Result(case.name, expected, aims, watch.cpu, figures)


def _conclude(results, site, options, leftovers):
    document = {
        "experiment": EXPERIMENT,
        "controller": site.controller.as_json(),
        "nodes": NODES,
        "congestionControl": options.cc,
        "bottleneckMbps": site.deployment.bottleneck_mbps,
        "cases": [result.as_json() for result in results],
        "expectations": [
            {**each.as_json(), "name": f"{result.name}: {each.name}"}
            for result in results
            for each in result.expectations
        ],
        "leftovers": leftovers,
        "verdict": worst([*(r.verdict for r in results), "fail" if leftovers else "pass"]),
    }
    path = documents.path_of(EXPERIMENT, options.out, options.json)
    documents.write_json(document, path)
    for result in results:
        print(f"\n{result.name}, {result.cpu or 'not completed'}")
        print(documents.judgement(result.expectations, [], result.verdict, result.aims, result.cpu))
    for item in leftovers:
        print(f"LEFT BEHIND  {item}")
    print(f"\nverdict: {document['verdict']}\nresult:  {path}")
    return EXIT_STATUS[document["verdict"]]


COMMAND = Command(
    EXPERIMENT,
    "a controller of three nodes beside floods: nodes killed, cut off, restarted, their store away",
    add_options,
    run,
)
