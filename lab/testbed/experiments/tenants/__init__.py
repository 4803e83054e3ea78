# SPDX-License-Identifier: Apache-2.0
"""Tenants against each other: shares of tenants, their endpoints, who wants less, guarantees."""
