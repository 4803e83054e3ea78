# SPDX-License-Identifier: Apache-2.0
"""The kit of experiments in turns: modes take turns over repetitions, under the same traffic.

Here belongs what such experiments share: running turns, their instants, summing them up by mode.
What a mode is, what its turns measure and what is expected of it belong to each experiment; how it
is reported is in the package `report`.
"""
