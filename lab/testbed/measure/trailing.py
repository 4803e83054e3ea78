# SPDX-License-Identifier: Apache-2.0
"""Parts over a trailing window, and when one of them reaches a bound."""


def part(numerator, denominator, instant_nanos, window_nanos):
    """What a counter grew by in the window that ends at an instant, of what another one did.

    numerator, denominator: CumulativeSeries; 0 where the other one did not grow.
    """
    left = instant_nanos - window_nanos
    whole = denominator.at(instant_nanos) - denominator.at(left)
    return (numerator.at(instant_nanos) - numerator.at(left)) / whole if whole > 0 else 0.0


def first_reached(numerator, denominator, instants, window_nanos, bound):
    """The first of instants at which the part is at least the bound; None: at none."""
    return next(
        (each for each in instants if part(numerator, denominator, each, window_nanos) >= bound),
        None,
    )
