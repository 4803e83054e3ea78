# SPDX-License-Identifier: Apache-2.0
"""The lab's own ONOS."""

from testbed.control.controller import DEFAULT_PASSWORD, DEFAULT_USER
from testbed.control.lab_controller import LabController
from testbed.control.onos import Onos
from testbed.system import repository

_ALLOW_EXTRANEOUS_RULES = "org.onosproject.net.flow.impl.FlowRuleManager:allowExtraneousRules"


class LabOnos(LabController):
    """The lab's own ONOS within a run."""

    title = "ONOS"
    launcher = repository.ROOT / "lab" / "onos" / "onos"
    start_seconds = 240
    keeps_rules_choices = (True, False)

    def start(self, keeps_rules=None):
        """Start it; returns once its REST answers and its applications are active.

        keeps_rules: whether switches keep rules that its store does not have, such as those from
        before its restart; None: as it is configured.
        """
        settings = (
            [] if keeps_rules is None else [f"{_ALLOW_EXTRANEOUS_RULES}={str(keeps_rules).lower()}"]
        )
        return self.launch(Onos(self.url, DEFAULT_USER, DEFAULT_PASSWORD), *settings)
