# SPDX-License-Identifier: Apache-2.0
"""The kit of experiments in turns: modes take turns over repetitions, under the same traffic.

Here belongs what such experiments share: running turns, summing them up by mode, the document, the
table and the picture. What a mode is, what its turns measure and what is expected of it belong to
each experiment.
"""
