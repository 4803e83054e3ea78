# SPDX-License-Identifier: Apache-2.0
"""`lab/run opentcp`: short flows with and without policies' hints, and how soon hints end."""
