# SPDX-License-Identifier: Apache-2.0
"""When a rate, or a part of one, has crossed a value for good."""


def parts_over_time(series, other, begin_nanos, end_nanos, window_nanos, step_nanos):
    """[(instant, what a byte counter's growth is of its own and another's)].

    An instant is the middle of the window that its value is the mean of: a step is then seen when
    it happens, neither before nor after. Windows in which neither grew have no value.
    """
    points = []
    left = begin_nanos
    while left + window_nanos <= end_nanos:
        own, its = (each.mbps(left, left + window_nanos) for each in (series, other))
        if own + its > 0:
            points.append((left + window_nanos // 2, own / (own + its)))
        left += step_nanos
    return points


def crossed_at(points, value, *, rising, since_nanos, stay_nanos):
    """The first instant from which on points stay beyond a value for stay_nanos; None without.

    points: [(instant, number)] in order of time. A number that does not stay there is noise. What
    is beyond the value from the first point on has not crossed it.
    """
    later = [(instant, number) for instant, number in points if instant >= since_nanos]
    candidate, has_been_before_it = None, False
    for instant, number in later:
        if not (number > value if rising else number < value):
            candidate, has_been_before_it = None, True
            continue
        if candidate is None and has_been_before_it:
            candidate = instant
        if candidate is not None and instant - candidate >= stay_nanos:
            return candidate
    return None
