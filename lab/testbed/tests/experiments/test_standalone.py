# SPDX-License-Identifier: Apache-2.0
"""sluiced over bridges: the chosen speed, the phases and their bounds, and the other cases."""

import pytest

from testbed.cli import cases, command
from testbed.experiments.standalone import criteria, faults, sequences, speed
from testbed.flooding.phase_sequence import WEIGHTS
from testbed.measure import shares
from testbed.network import bridges
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse
from testbed.tests.builders import BOTTLENECK_MBPS, phase_result

FAIR = BOTTLENECK_MBPS / 4


def probes(*idle):
    return [
        speed.Probe(mbps, CpuUse(share))
        for mbps, share in zip(speed.SPEEDS_MBPS, idle, strict=False)
    ]


@pytest.mark.parametrize(
    ("idle", "mbps", "words"),
    [
        ((0.51,), 500, "the highest that leaves 20% of this machine idle: 51% at 500"),
        ((0.01, 0.6), 200, "which 500 did not leave: 60% at 200"),
        ((0.01, 0.49, 0.9), 50, "which 500, 200 did not leave"),
        ((0.01, 0.02, 0.03), 50, "the lowest: less than 50%"),
    ],
)
def test_the_highest_speed_that_leaves_enough_idle_is_chosen_and_the_result_says_why(
    idle, mbps, words
):
    choice = speed.choose(probes(*idle))
    assert choice.mbps == mbps
    assert words in choice.because
    assert [each["cpuIdle"] for each in choice.as_json()["probes"]] == list(idle)


def test_a_guarantee_is_a_part_of_the_bottleneck_whatever_the_weights():
    by_name = {phase.name: phase for phase in sequences.full(BOTTLENECK_MBPS).phases}
    parts = by_name["guaranteed"].parts
    assert parts["h1"] / sum(parts.values()) == pytest.approx(sequences.GUARANTEE)
    assert by_name["weighted"].parts == WEIGHTS


def test_the_first_look_takes_less_than_a_minute():
    setting_up_and_probing = 20
    assert sequences.short(BOTTLENECK_MBPS).seconds + setting_up_and_probing < 60


def goodputs(tcp=1.0, udp=1.0):
    kinds = {"h1": ("tcp", tcp), **dict.fromkeys(("h2", "h3", "h4"), ("udp", udp))}
    return {
        host: FAIR * part * shares.PAYLOAD_FRACTION[kind] for host, (kind, part) in kinds.items()
    }


def failed(**changed):
    """Names of the expectations that fail where some phases have other goodputs."""
    sent = {
        "alone": {"h1": BOTTLENECK_MBPS * 0.94},
        "flooded": goodputs(0.01, 1.3),
        "controlled": goodputs(0.98, 0.98),
        "weighted": goodputs(0.98, 0.98),
        "guaranteed": goodputs(0.98, 0.98),
        "released": {"h1": BOTTLENECK_MBPS * 0.94},
    }
    phases = {name: phase_result(name, each) for name, each in (sent | changed).items()}
    return [each.name for each in criteria.of_phases(phases, "cubic") if not each.holds]


def test_shares_within_five_percent_and_a_kept_guarantee_pass():
    assert failed() == []
    assert failed(controlled=goodputs(0.94, 1.02)) == []
    (name,) = failed(weighted=goodputs(0.92, 1.0))
    assert name.startswith("weighted: largest deviation from a fair share")
    assert failed(guaranteed=goodputs(0.9, 1.0)) == ["guaranteed: TCP / its guarantee"]
    assert failed(flooded=goodputs(0.5, 1.1)) == ["flooded: TCP / its fair share"]


def options(*arguments):
    return command.parser().parse_args(["standalone", *arguments])


def test_other_cases_run_with_sluiced_and_the_options_that_they_have():
    chosen = cases.options_of(
        options("--case", "tenants", "--capacity", "100", "--json", "f.json", "--out", "o")
    )
    assert (chosen.controller, chosen.capacity, chosen.json, chosen.out) == (
        *("standalone", 100.0, "f.json", "o"),
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--case", "deadlines", "--capacity", "100"), "it has no --capacity"),
        (("--case", "tenants", "--beside", "disk-full"), "leave out --beside"),
    ],
)
def test_what_another_case_cannot_take_is_refused(arguments, words):
    with pytest.raises(LabError, match=words):
        cases.options_of(options(*arguments))


def test_faults_are_found_by_their_names():
    assert faults.named(None) is None
    assert [faults.named(each.name) for each in faults.FAULTS] == list(faults.FAULTS)


def test_a_token_bucket_holds_ten_milliseconds():
    words = bridges.token_bucket(200)
    assert words[:3] == ["tbf", "rate", "200000000bit"]
    burst, limit = (int(words[words.index(name) + 1]) for name in ("burst", "limit"))
    assert burst % bridges.FRAME_BYTES == 0
    assert (limit - burst) * 8 / 200e6 == pytest.approx(0.010, rel=0.05)
