// SPDX-License-Identifier: Apache-2.0

// Package agentlinkpb is the agent link's generated code. The one description of the link is
// agent_link.proto in the API module; only package link uses what is generated from it.
package agentlinkpb

//go:generate ./generate.sh
