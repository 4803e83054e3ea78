# SPDX-License-Identifier: Apache-2.0
"""What Schemathesis has to know of the REST interface beyond its OpenAPI document."""

import re
from ipaddress import IPv4Network, IPv6Network

import schemathesis
from hypothesis import strategies
from schemathesis.openapi.checks import RejectedPositiveData

REFUSED = 400

# Rules that JSON Schema cannot state: the field of the refusal and how its detail begins. A request
# that the document allows may be refused by these and by no others.
RULES = [
    # One field or parameter by another, or by the time.
    ("state", "Background flows have no state"),
    ("id", "The body is about another tenant than the path"),
    ("ceilingBitsPerSecond", "The ceiling lies under the guarantee"),
    ("destination", "source and destination are both"),
    ("destination", r"source \S+ and destination \S+ are of two versions of IP"),
    ("dueInMillis", "A deadline lies in the future, at most"),
    ("beginsInMillis", "A connection begins now or later, and before its deadline"),
    ("groups[].name", "There is another group of that name"),
    ("groups[].hosts[]", "The host is in group"),
    ("policies[].name", "There is another policy of that name"),
    ("policies[].from", "A policy for all is for every group"),
    ("policies[].from[]", "The group was named before"),
    ("policies[].from[]", "There is no such group"),
    ("policies[].to", "Only pairs have a destination"),
    ("policies[].to[]", "The group was named before"),
    ("policies[].to[]", "There is no such group"),
    ("policies[].leaveAt.utilisationPercent", "Hints would end where they begin"),
    ("policies[].leaveAt.dropPercent", "Hints would end where they begin"),
    ("policies[].hints", "The policy gives no hint"),
    ("policies[].hints.initialWindow", "This is more than the set's constraints allow"),
    ("policies[].hints.rtoMinMillis", "This is less than the set's constraints allow"),
    ("policies[].hints.congestionControl", "The set's constraints do not allow it"),
    # Alike by meaning, which is more than by text.
    ("members[]", "This member was given before"),
    ("members[]", "The tenant names the same member twice"),
    ("addMembers[]", "This member was given before"),
    ("removeMembers[]", "This member was given before"),
    ("removeMembers[]", r"Tenant \S+ has no such member"),
    ("members", "The members are replaced, or single ones added and removed, not both"),
    ("id", "The set has this tenant twice"),
    ("cycleSeconds", "This number is too fine or too great"),
    ("constraints.utilisationPercent", "This number is too fine or too great"),
    ("constraints.dropPercent", "This number is too fine or too great"),
    ("constraints.leastRtoMinMillis", "This number is too fine or too great"),
    ("policies[].enterBelow.utilisationPercent", "This number is too fine or too great"),
    ("policies[].enterBelow.dropPercent", "This number is too fine or too great"),
    ("policies[].leaveAt.utilisationPercent", "This number is too fine or too great"),
    ("policies[].leaveAt.dropPercent", "This number is too fine or too great"),
    ("policies[].hints.rtoMinMillis", "This number is too fine or too great"),
]

_V4 = strategies.builds(
    lambda bits, length: str(IPv4Network((bits, length), strict=False)),
    strategies.integers(0, 2**32 - 1),
    strategies.integers(0, 32),
)
_V6 = strategies.builds(
    lambda bits, length: str(IPv6Network((bits, length), strict=False)),
    strategies.integers(0, 2**128 - 1),
    strategies.integers(0, 128),
)
schemathesis.openapi.format("ip-prefix", strategies.one_of(_V4, _V6))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Schemathesis reads a stream by its events, the document describes it as a whole."""
    content = raw_schema["paths"].get("/stream", {}).get("get", {}).get("responses", {})
    for media_type in content.get("200", {}).get("content", {}).values():
        media_type["schema"] = {
            "type": "object",
            "required": ["event", "data", "id"],
            "properties": {
                "event": {"enum": list(media_type["x-events"])},
                "data": {"type": "string"},
                "id": {"type": "string"},
            },
        }


@schemathesis.hook
def map_case(context, case):
    """A tenant's body may name the tenant of the path, and no other."""
    is_valid = case.meta is None or case.meta.generation.mode.is_positive
    names_one = isinstance(case.body, dict) and "id" in case.body
    if is_valid and names_one and case.path == "/tenants/{id}":
        case.body["id"] = case.path_parameters["id"]
    return case


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure is one: not if every reason for a refusal is one of the rules."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != REFUSED:
        return True
    if not _has_valid_conditions(case):
        return False
    problem = response.json()
    return not all(_is_a_rule(field, detail) for field, detail in _reasons(problem))


def _has_valid_conditions(case):
    """Whether entity tags are as described: Schemathesis takes 0 for a pattern with quotes."""
    pattern = case.operation.schema.raw_schema["components"]["schemas"]["EntityTags"]["pattern"]
    return all(
        re.search(pattern, value)
        for name, value in (case.headers or {}).items()
        if name.lower() in ("if-match", "if-none-match")
    )


def _reasons(problem):
    if problem.get("refusals"):
        return [
            (re.sub(r"^/tenants/\d+/?", "", each["pointer"]), each["detail"])
            for each in problem["refusals"]
        ]
    return [(problem.get("field", ""), problem["detail"])]


def _is_a_rule(field, detail):
    place = re.sub(r"/\d+", "[]", re.sub(r"\[\d+\]", "[]", field)).replace("/", ".")
    return any(place == known and re.match(start, detail) for known, start in RULES)
