# SPDX-License-Identifier: Apache-2.0
"""Where the repository is that this testbed belongs to."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
