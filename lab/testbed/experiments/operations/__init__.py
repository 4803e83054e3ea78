# SPDX-License-Identifier: Apache-2.0
"""The documents' steps of operation, from installation to removal, typed on a fresh system."""
