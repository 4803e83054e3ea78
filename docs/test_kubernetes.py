# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' manifests fit each other and what they start. A real API server checks their fields
(make test-kubernetes-api)."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
MANIFESTS = ROOT / "deploy/kubernetes"
CONTROLLER = ROOT / "app/standalone/src/main/java/org/sluice/standalone/kubernetes"


def objects() -> dict[tuple[str, str], dict]:
    """All objects by kind and name."""
    found = {}
    for file in sorted(MANIFESTS.glob("*.yaml")):
        for document in yaml.safe_load_all(file.read_text()):
            found[document["kind"], document["metadata"]["name"]] = document
    return found


OBJECTS = objects()
CRD = OBJECTS["CustomResourceDefinition", "tenantbandwidths.sluice.org"]


def pod(kind: str, name: str) -> dict:
    """The pod that a workload makes."""
    return OBJECTS[kind, name]["spec"]["template"]


def test_the_controller_may_do_what_it_does_and_nothing_else():
    rules = OBJECTS["ClusterRole", "sluiced"]["rules"]
    assert [(r["apiGroups"], r["resources"], r["verbs"]) for r in rules] == [
        (["sluice.org"], ["tenantbandwidths"], ["get", "list", "watch"]),
        (["sluice.org"], ["tenantbandwidths/status"], ["patch"]),
    ]
    (subject,) = OBJECTS["ClusterRoleBinding", "sluiced"]["subjects"]
    assert subject["name"] == pod("Deployment", "sluiced")["spec"]["serviceAccountName"]


def test_the_crd_has_the_group_the_name_and_the_fields_of_the_controller():
    code = "".join(file.read_text() for file in CONTROLLER.glob("*.java"))
    (version,) = CRD["spec"]["versions"]
    assert f'"/apis/{CRD["spec"]["group"]}/{version["name"]}/"' in code
    assert f'"{CRD["spec"]["names"]["plural"]}"' in code
    properties = version["schema"]["openAPIV3Schema"]["properties"]
    for field in [*properties["spec"]["properties"], *properties["status"]["properties"]]:
        assert f'"{field}"' in code, field
    (condition,) = [properties["status"]["properties"]["conditions"]["items"]["properties"]]
    for field in condition:
        assert f'"{field}"' in code, field


def test_every_mounted_volume_and_selected_pod_is_there():
    for kind, name in [("Deployment", "sluiced"), ("DaemonSet", "sluice-agent")]:
        template = pod(kind, name)
        (container,) = template["spec"]["containers"]
        volumes = {volume["name"] for volume in template["spec"]["volumes"]}
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes
        assert (
            OBJECTS[kind, name]["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
        )
    service = OBJECTS["Service", "sluiced"]["spec"]
    assert service["selector"] == pod("Deployment", "sluiced")["metadata"]["labels"]


def test_the_agent_has_the_capabilities_of_its_service_and_no_token():
    unit = (ROOT / "host-agent/packaging/sluice-agent.service").read_text()
    bounding = re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.MULTILINE)[1].split()
    spec = pod("DaemonSet", "sluice-agent")["spec"]
    context = spec["containers"][0]["securityContext"]
    assert sorted("CAP_" + capability for capability in context["capabilities"]["add"]) == sorted(
        bounding
    )
    assert context["capabilities"]["drop"] == ["ALL"] and not context["allowPrivilegeEscalation"]
    assert not spec["automountServiceAccountToken"] and "serviceAccountName" not in spec


def test_the_page_shows_an_object_that_the_crd_admits():
    text = (ROOT / "docs/kubernetes.md").read_text()
    example = yaml.safe_load(
        re.search(r"^    apiVersion: .*?\n\n", text, re.MULTILINE | re.DOTALL)[0]
    )
    (version,) = CRD["spec"]["versions"]
    properties = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert example["apiVersion"] == f"{CRD['spec']['group']}/{version['name']}"
    assert (
        example["kind"] == CRD["spec"]["names"]["kind"] and example["metadata"]["name"] == "default"
    )
    assert set(example["spec"]) <= set(properties)
