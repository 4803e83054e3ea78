# SPDX-License-Identifier: Apache-2.0
"""The control plane's processes and interfaces: agents, certificates, ONOS, Sluice's REST and page.

Here belong configuring and starting one agent or one controller, and querying it.
Bringing all of them up together belongs to `deployment`.
"""
