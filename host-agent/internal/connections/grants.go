// SPDX-License-Identifier: Apache-2.0

package connections

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

// grantTable is what controllers have granted, by flow or pattern and by node.
type grantTable map[model.FlowID]map[string]heldGrant

type heldGrant struct {
	bytes uint32
	// released goes before the node's patterns.
	released bool
	// since when this node's grant for this flow or pattern holds, whatever its bytes.
	since int64
}

// put enters a grant.
func (t grantTable) put(nowNanos int64, node string, grant model.WindowGrant) error {
	nodes := t[grant.Flow]
	if grant.Released && (grant.Flow.IsPattern() || nodes == nil && !t.fits(node, grant.Flow)) {
		t.drop(node, grant.Flow)
		return nil
	}
	if nodes == nil {
		if len(t) >= maxGrants {
			return fmt.Errorf("%s: grants are kept for %d flows at most", grant.Flow, maxGrants)
		}
		nodes = map[string]heldGrant{}
		t[grant.Flow] = nodes
	}
	held, known := nodes[node]
	if !known {
		held.since = nowNanos
	}
	held.bytes, held.released = uint32(min(grant.WindowBytes, maxWindowBytes)), grant.Released
	nodes[node] = held
	return nil
}

// fits reports whether a node has granted a pattern that a flow fits.
func (t grantTable) fits(node string, flow model.FlowID) bool {
	keys := generalised(flow)
	for _, pattern := range keys[1:] {
		if _, has := t[pattern][node]; has {
			return true
		}
	}
	return false
}

func (t grantTable) drop(node string, flow model.FlowID) {
	delete(t[flow], node)
	if len(t[flow]) == 0 {
		delete(t, flow)
	}
}

// void drops all that a node has granted and returns what that was about.
func (t grantTable) void(node string) []model.FlowID {
	var about []model.FlowID
	for flow, nodes := range t {
		if _, has := nodes[node]; has {
			about = append(about, flow)
			t.drop(node, flow)
		}
	}
	return about
}

// begin forgets what was granted for the connection that had the same ports before.
func (t grantTable) begin(flow model.FlowID, openedNanos int64) {
	for node, held := range t[flow] {
		if held.since < openedNanos && held.since < openedNanos-unusedGrantNanos {
			t.drop(node, flow)
		}
	}
}

// end forgets what was granted for a connection that has ended.
func (t grantTable) end(flow model.FlowID) { delete(t, flow) }

// unused returns the exact flows whose grants have waited long enough for them.
func (t grantTable) unused(nowNanos int64, live map[model.FlowID]int) []model.FlowID {
	var gone []model.FlowID
	for flow, nodes := range t {
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

// resolve returns what holds for a connection: the lowest of what nodes have granted, each by its most
// specific grant. Patterns are for connections that came after them. answered: some node has decided.
func (t grantTable) resolve(flow model.FlowID, openedNanos int64) (grant shim.Grant, answered bool) {
	var decided []string
	for i, key := range generalised(flow) {
		for node, held := range t[key] {
			if i > 0 && held.since > openedNanos || slices.Contains(decided, node) {
				continue
			}
			decided = append(decided, node)
			if !held.released && (!grant.Granted || held.bytes < grant.Bytes) {
				grant = shim.Grant{Granted: true, Bytes: held.bytes}
			}
		}
	}
	return grant, len(decided) > 0
}

// expected is what the shim gives a connection that fits, until the engine polls it.
func (t grantTable) expected(key model.FlowID) (bytes uint32, ok bool) {
	for _, held := range t[key] {
		if !held.released && (!ok || held.bytes < bytes) {
			bytes, ok = held.bytes, true
		}
	}
	return bytes, ok
}
