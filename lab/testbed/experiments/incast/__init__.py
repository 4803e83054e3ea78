# SPDX-License-Identifier: Apache-2.0
"""`lab/run incast`: many transfers with deadlines at once to one receiver."""
