// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
)

// table is one that endpoints share (enum table of bpf/quota.h).
type table int

const (
	sentPairs table = iota
	receivedPairs
	watchedConnections
	tables
)

const (
	// ownEntries are an endpoint's own in every table, where half of it suffices for all of them.
	ownEntries = 64
	// evictedPart of what it may have is evicted at once of an endpoint that exceeds it, so that it need not be
	// done for every new entry.
	evictedPart = 8 // one in
	// Flow tables are the endpoints' own: so many entries in sum, unless there are many endpoints.
	allFlows   = 131_072
	mostFlows  = 32_768
	leastFlows = 1024 // LEAST_FLOWS of bpf/state.h
)

// TableUse is an endpoint's part of a table.
type TableUse struct {
	Used uint32 `json:"used"`
	Most uint32 `json:"most"`
	// Refused entries would have been more than that; Evicted were the endpoint's own oldest.
	Refused uint64 `json:"refused"`
	Evicted uint64 `json:"evicted"`
}

// Tables are an endpoint's parts of all tables that it shares with others.
type Tables struct {
	// SentPairs were entered by what it sent, ReceivedPairs by what came for it.
	SentPairs     TableUse `json:"sentPairs"`
	ReceivedPairs TableUse `json:"receivedPairs"`
	Connections   TableUse `json:"connections"`
}

// quotas divide the tables among the endpoints. They are the agent's side: programs enter and count, the agent
// gives back.
type quotas struct {
	state     *mapped.Array[bpfShim]
	endpoints *mapped.Array[bpfEndpoint]
	sizes     [tables]uint32
	known     map[int]bool
	// count is how many there are, for any goroutine.
	count atomic.Int32
	// lives are how many endpoints have had an index: what an earlier one held does not count for the next.
	lives [MaxEndpoints]uint32
	// leaving entries are retired and still count.
	leaving [tables][MaxEndpoints]uint32
	refused [tables][MaxEndpoints]uint64 // as of the last reading
	evicted [tables][MaxEndpoints]uint64
}

// holding is whose quota an entry is of.
type holding struct {
	endpoint int
	table    table
	life     uint32
}

func newQuotas(s *Shim) *quotas {
	q := &quotas{state: s.state, endpoints: s.endpoints, known: map[int]bool{}}
	half := uint32(s.pairs.Len() / 2)
	q.sizes = [tables]uint32{sentPairs: half, receivedPairs: half, watchedConnections: uint32(s.connections.Len())}
	return q
}

func (q *quotas) quota(t table, endpoint int) *bpfQuota { return &q.endpoints.At(endpoint).Quotas[t] }

// add begins an endpoint's count of entries, at 0; remove ends it.
func (q *quotas) add(endpoint int) {
	q.begin(endpoint)
	q.known[endpoint] = true
	q.count.Store(int32(len(q.known)))
	q.balanceAll()
}

func (q *quotas) remove(endpoint int) {
	q.begin(endpoint)
	delete(q.known, endpoint)
	q.count.Store(int32(len(q.known)))
	q.balanceAll()
}

func (q *quotas) begin(endpoint int) {
	q.lives[endpoint]++
	for t := range tables {
		q.leaving[t][endpoint], q.refused[t][endpoint], q.evicted[t][endpoint] = 0, 0, 0
	}
}

func (q *quotas) balanceAll() {
	for t := range tables {
		q.balance(t)
	}
}

// balance sets the parts: of the reserve an equal one for each that uses it or would. It returns how many
// entries endpoints have to give up: those that have too many, and those that were refused one.
func (q *quotas) balance(t table) (excess map[int]int) {
	reserve := &q.state.At(0).Reserves[t]
	own := min(ownEntries, max(q.sizes[t]/2/uint32(max(len(q.known), 1)), 1))
	size := q.sizes[t] - min(q.sizes[t], own*uint32(len(q.known)))
	used, users := uint32(0), uint32(0)
	wants := map[int]bool{}
	for endpoint := range q.known {
		quota := q.quota(t, endpoint)
		refused := atomic.LoadUint64(&quota.Refused)
		wants[endpoint] = refused != q.refused[t][endpoint]
		q.refused[t][endpoint] = refused
		held := atomic.LoadUint32(&quota.Used)
		if held > own || wants[endpoint] {
			users++
		}
		used += held - min(held, own)
	}
	most := own + size/max(users, 1)
	atomic.StoreUint32(&reserve.Own, own)
	atomic.StoreUint32(&reserve.Size, size)
	atomic.StoreUint32(&reserve.Used, used)
	excess = map[int]int{}
	for endpoint := range q.known {
		quota := q.quota(t, endpoint)
		atomic.StoreUint32(&quota.Most, most)
		held := atomic.LoadUint32(&quota.Used)
		held -= min(held, q.leaving[t][endpoint])
		keep := most
		if wants[endpoint] || held > most {
			keep = most - max(most/evictedPart, 1)
		}
		if held > keep {
			excess[endpoint] = int(held - keep)
		}
	}
	return excess
}

// leave notes that an entry is retired.
func (q *quotas) leave(h *holding) {
	h.life = q.lives[h.endpoint]
	q.leaving[h.table][h.endpoint]++
}

// release subtracts a retired entry from its endpoint's count.
func (q *quotas) release(h holding) {
	if h.life != q.lives[h.endpoint] {
		return
	}
	q.leaving[h.table][h.endpoint]--
	quota, reserve := q.quota(h.table, h.endpoint), &q.state.At(0).Reserves[h.table]
	if left := atomic.AddUint32(&quota.Used, ^uint32(0)); left >= atomic.LoadUint32(&reserve.Own) {
		atomic.AddUint32(&reserve.Used, ^uint32(0))
	}
}

func (q *quotas) use(t table, endpoint int) TableUse {
	quota := q.quota(t, endpoint)
	return TableUse{
		Used: atomic.LoadUint32(&quota.Used), Most: atomic.LoadUint32(&quota.Most),
		Refused: atomic.LoadUint64(&quota.Refused), Evicted: q.evicted[t][endpoint],
	}
}

// Tables reads an endpoint's parts of the tables.
func (s *Shim) Tables(endpoint int) Tables {
	return Tables{
		SentPairs: s.quotas.use(sentPairs, endpoint), ReceivedPairs: s.quotas.use(receivedPairs, endpoint),
		Connections: s.quotas.use(watchedConnections, endpoint),
	}
}

// entry is one that may be evicted.
type entry struct {
	slot      int
	lastNanos int64
}

// oldest picks the entries that endpoints have to give up, by table and endpoint.
func (q *quotas) oldest(excess *[tables]map[int]int, all func(yield func(holding, entry))) []int {
	candidates := map[holding][]entry{}
	all(func(h holding, e entry) {
		if excess[h.table][h.endpoint] > 0 {
			candidates[h] = append(candidates[h], e)
		}
	})
	var chosen []int
	for h, entries := range candidates {
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.lastNanos, b.lastNanos) })
		count := min(excess[h.table][h.endpoint], len(entries))
		q.evicted[h.table][h.endpoint] += uint64(count)
		for _, e := range entries[:count] {
			chosen = append(chosen, e.slot)
		}
	}
	return chosen
}

// EvictPairs has endpoints that hold too many pairs, or want more than they may have, give up those that they
// have not used for longest. It returns their slots, which are retired.
func (s *Shim) EvictPairs(nowNanos int64) (retired []int, err error) {
	excess := [tables]map[int]int{sentPairs: s.quotas.balance(sentPairs), receivedPairs: s.quotas.balance(receivedPairs)}
	if len(excess[sentPairs])+len(excess[receivedPairs]) == 0 {
		return nil, nil
	}
	retired = s.quotas.oldest(&excess, func(yield func(holding, entry)) {
		for slot := range s.pairSlots.all() {
			p := s.pairs.At(slot)
			last := max(atomic.LoadUint64(&p.LastSentNanos), atomic.LoadUint64(&p.LastReceivedNanos))
			yield(s.holderOfPair(slot), entry{slot, int64(last)})
		}
	})
	var failures []error
	for _, slot := range retired {
		failures = append(failures, s.Retire(slot, nowNanos))
	}
	return retired, errors.Join(failures...)
}

// EvictConnections is EvictPairs for watched connections.
func (s *Shim) EvictConnections(nowNanos int64) error {
	excess := [tables]map[int]int{watchedConnections: s.quotas.balance(watchedConnections)}
	if len(excess[watchedConnections]) == 0 {
		return nil
	}
	retired := s.quotas.oldest(&excess, func(yield func(holding, entry)) {
		for slot, last := range s.ConnectionSlots() {
			yield(s.holderOfConnection(slot), entry{slot, last})
		}
	})
	var failures []error
	for _, slot := range retired {
		failures = append(failures, s.RetireConnection(slot, nowNanos))
	}
	return errors.Join(failures...)
}

func (s *Shim) holderOfPair(slot int) holding {
	p := s.pairs.At(slot)
	return holding{endpoint: int(p.Holder) % MaxEndpoints, table: table(p.Table) % watchedConnections}
}

func (s *Shim) holderOfConnection(slot int) holding {
	return holding{endpoint: int(s.connections.At(slot).Key.Endpoint) % MaxEndpoints, table: watchedConnections}
}

// GiveFlows gives an endpoint that was added a table for its flows, an empty one. It takes tens of milliseconds,
// as attaching does, and is for whoever does that.
func (s *Shim) GiveFlows(index int) error {
	entries := uint32(leastFlows)
	for entries < mostFlows && 2*entries*uint32(max(s.quotas.count.Load(), 1)) <= allFlows {
		entries *= 2
	}
	form := s.flowTable.Copy()
	form.MaxEntries = entries
	flows, err := ebpf.NewMap(form)
	if err != nil {
		return fmt.Errorf("endpoint %d: table of flows: %w", index, err)
	}
	defer flows.Close()
	if err := s.objects.FlowTables.Put(uint32(index), flows); err != nil {
		return fmt.Errorf("endpoint %d: table of flows: %w", index, err)
	}
	return nil
}
