// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"fmt"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/shim"
)

const (
	// maxGrants is for how many flows and patterns grants are kept: as many as the shim takes.
	maxGrants = shim.MaxConnections
	// maxWindowBytes is the widest window that TCP has (RFC 7323, 2.3).
	maxWindowBytes = 1 << 30
	// unusedGrantNanos is how long a grant for an exact flow waits for that flow.
	unusedGrantNanos = int64(30 * time.Second)
)

// grantBook is what controllers have granted, by flow or pattern and by node.
type grantBook map[model.FlowID]map[string]heldGrant

type heldGrant struct {
	bytes uint32
	// released goes before the node's patterns.
	released bool
	// since when this node's grant for this flow or pattern holds, whatever its bytes.
	since int64
}

// put enters a grant.
func (b grantBook) put(nowNanos int64, node string, grant model.WindowGrant) error {
	nodes := b[grant.Flow]
	if grant.Released && (grant.Flow.IsPattern() || nodes == nil && !b.fits(node, grant.Flow)) {
		b.drop(node, grant.Flow)
		return nil
	}
	if nodes == nil {
		if len(b) >= maxGrants {
			return fmt.Errorf("%s: grants are kept for %d flows at most", grant.Flow, maxGrants)
		}
		nodes = map[string]heldGrant{}
		b[grant.Flow] = nodes
	}
	held, known := nodes[node]
	if !known {
		held.since = nowNanos
	}
	held.bytes, held.released = uint32(min(grant.WindowBytes, maxWindowBytes)), grant.Released
	nodes[node] = held
	return nil
}

// fits says that a node has granted a pattern that a flow fits.
func (b grantBook) fits(node string, flow model.FlowID) bool {
	keys := generalised(flow)
	for _, pattern := range keys[1:] {
		if _, has := b[pattern][node]; has {
			return true
		}
	}
	return false
}

func (b grantBook) drop(node string, flow model.FlowID) {
	delete(b[flow], node)
	if len(b[flow]) == 0 {
		delete(b, flow)
	}
}

// void drops all that a node has granted and returns what that was about.
func (b grantBook) void(node string) []model.FlowID {
	var about []model.FlowID
	for flow, nodes := range b {
		if _, has := nodes[node]; has {
			about = append(about, flow)
			b.drop(node, flow)
		}
	}
	return about
}

// begin forgets what was granted for the connection that had the same ports before.
func (b grantBook) begin(flow model.FlowID, openedNanos int64) {
	for node, held := range b[flow] {
		if held.since < openedNanos && held.since < openedNanos-unusedGrantNanos {
			b.drop(node, flow)
		}
	}
}

// end forgets what was granted for a connection that has ended.
func (b grantBook) end(flow model.FlowID) { delete(b, flow) }

// unused returns the exact flows whose grants have waited long enough for them.
func (b grantBook) unused(nowNanos int64, live map[model.FlowID]int) []model.FlowID {
	var gone []model.FlowID
	for flow, nodes := range b {
		if _, lives := live[flow]; lives || flow.IsPattern() {
			continue
		}
		waits := false
		for _, held := range nodes {
			waits = waits || nowNanos-held.since < unusedGrantNanos
		}
		if !waits {
			gone = append(gone, flow)
		}
	}
	return gone
}

// generalised are the exact flow and the patterns that it fits, the most specific first.
func generalised(flow model.FlowID) [4]model.FlowID {
	anySource, anyDestination := flow, flow
	anySource.SourcePort, anyDestination.DestinationPort = 0, 0
	anyPort := anySource
	anyPort.DestinationPort = 0
	return [4]model.FlowID{flow, anySource, anyDestination, anyPort}
}

// resolve says what holds for a connection: the lowest of what nodes have granted, each by its most
// specific word. Patterns are for connections that came after them. answered: somebody has spoken.
func (b grantBook) resolve(flow model.FlowID, openedNanos int64) (grant shim.Grant, answered bool) {
	var spoken []string
	for i, key := range generalised(flow) {
		for node, held := range b[key] {
			if i > 0 && held.since > openedNanos || slices.Contains(spoken, node) {
				continue
			}
			spoken = append(spoken, node)
			if !held.released && (!grant.Granted || held.bytes < grant.Bytes) {
				grant = shim.Grant{Granted: true, Bytes: held.bytes}
			}
		}
	}
	return grant, len(spoken) > 0
}

// expected is what the shim gives a connection that fits, until the engine looks at it.
func (b grantBook) expected(key model.FlowID) (bytes uint32, ok bool) {
	for _, held := range b[key] {
		if !held.released && (!ok || held.bytes < bytes) {
			bytes, ok = held.bytes, true
		}
	}
	return bytes, ok
}
