// SPDX-License-Identifier: Apache-2.0

package law

import (
	"fmt"
	"math/rand"
	"net/netip"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// row is a packet model of several congested ports in a row, with whole endpoints as senders: what a
// receiver reports does not say which port set a mark. All flows are greedy.
type row struct {
	capacities []float64 // bit/s, of each port
	tauNanos   int64
	threshold  int // K, packets
	delayNanos int64
	nodes      []node
	seed       int64
	// controls is until when there is a controller.
	controls func(nowNanos int64) bool
	// levels are what weight 1 is due at each port, Mbit/s, in weighted max-min.
	levels []float64
	// pairPart is what part of its share at port 0 a destination of endpoint 0 is due; 0: all of it.
	pairPart float64
}

// node is an endpoint that sends, greedily, over several ports in order.
type node struct {
	weight float64
	flows  [][]int // the ports that each flow passes
}

type rowPacket struct {
	node, flow int
	hop        int
	ce         bool
}

type rowNode struct {
	node
	index    int
	endpoint *Endpoint
	credit   [model.MaxGroups + 1]float64 // by class; 0: the default's
	turn     int
	nextStep int64
	feedback []feedbackDue
	counted  []report // at the receivers, by flow
	served   []int
}

type feedbackDue struct {
	atNanos     int64
	flow        int
	packets, ce uint64
}

type rowRun struct {
	row
	random     *rand.Rand
	now        float64
	nodes      []*rowNode
	queues     [][]rowPacket
	credits    []float64
	nextReport int64
	nextShare  int64
	dropped    int
	served     []int
}

func rowPort(i int) model.Port { return model.Port(fmt.Sprintf("row/%d", i)) }

func rowDestination(node, flow int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 1, byte(node), byte(flow)})
}

const rowCeiling = 100_000_000

func (r row) start() *rowRun {
	run := &rowRun{row: r, random: rand.New(rand.NewSource(r.seed)), queues: make([][]rowPacket, len(r.capacities)),
		credits: make([]float64, len(r.capacities)), served: make([]int, len(r.capacities))}
	for i, n := range r.nodes {
		run.nodes = append(run.nodes, &rowNode{
			node: n, index: i,
			endpoint: NewEndpoint(twoTimeScale, model.Bounds{CeilingBitsPerSecond: rowCeiling, Weight: n.weight}),
			nextStep: int64(run.random.Float64() * float64(r.tauNanos)),
			counted:  make([]report, len(n.flows)), served: make([]int, len(n.flows)),
		})
	}
	return run
}

// until runs the model and returns what every flow got, in bit/s, and how far every port was used.
func (r *rowRun) until(nanos int64) (rates [][]float64, used []float64) {
	for _, n := range r.nodes {
		clear(n.served)
	}
	clear(r.served)
	fastest := 0.0
	for _, capacity := range r.capacities {
		fastest = max(fastest, capacity)
	}
	slot := frameBits / fastest * 1e9
	began := r.now
	for ; r.now < float64(nanos); r.now += slot {
		r.slot(int64(r.now), slot/1e9)
	}
	seconds := (r.now - began) / 1e9
	for _, n := range r.nodes {
		var own []float64
		for _, served := range n.served {
			own = append(own, float64(served)*frameBits/seconds)
		}
		rates = append(rates, own)
	}
	for i, served := range r.served {
		used = append(used, float64(served)*frameBits/seconds/r.capacities[i])
	}
	return rates, used
}

func (r *rowRun) slot(now int64, seconds float64) {
	r.publish(now)
	for _, i := range r.random.Perm(len(r.nodes)) {
		n := r.nodes[i]
		if now >= n.nextStep {
			n.step(now)
			n.nextStep += int64(float64(r.tauNanos) * (0.9 + 0.2*r.random.Float64()))
		}
		n.emit(r, now, seconds)
	}
	for port := range r.queues {
		r.serve(port, seconds)
	}
	if now < r.nextReport {
		return
	}
	r.nextReport = now + r.tauNanos
	for _, n := range r.nodes {
		for flow := range n.counted {
			if c := &n.counted[flow]; c.packets > 0 {
				n.feedback = append(n.feedback, feedbackDue{now + r.delayNanos, flow, c.packets, c.ce})
				*c = report{}
			}
		}
	}
}

func (r *rowRun) publish(now int64) {
	if now < r.nextShare || !r.controls(now) {
		return
	}
	r.nextShare = now + controlPeriodNanos
	for port, capacity := range r.capacities {
		weight := 0.0
		behind := make([][]netip.Addr, len(r.nodes))
		for i, n := range r.nodes {
			for flow, path := range n.flows {
				for _, hop := range path {
					if hop == port {
						behind[i] = append(behind[i], rowDestination(i, flow))
					}
				}
			}
			if len(behind[i]) > 0 {
				weight += n.weight
			}
		}
		share := model.UnitShare{Port: rowPort(port), UnitShareBitsPerSecond: uint64(usedPart * r.levels[port] * 1e6),
			CapacityBitsPerSecond: uint64(capacity), ActiveWeight: weight}
		for i, n := range r.nodes {
			if len(behind[i]) > 0 {
				terms := model.Terms{}
				if port == 0 && i == 0 {
					terms.PairPart = r.pairPart
				}
				if err := n.endpoint.SetShare(share, behind[i], terms); err != nil {
					panic(err)
				}
			}
		}
	}
}

func (n *rowNode) step(now int64) {
	for ; len(n.feedback) > 0 && n.feedback[0].atNanos <= now; n.feedback = n.feedback[1:] {
		due := n.feedback[0]
		n.endpoint.Feedback(n.destination(due.flow), due.packets, due.ce)
	}
	backlogged := uint8(0)
	for flow := range n.flows {
		if i, ok := n.endpoint.Governing(n.destination(flow)); ok {
			backlogged |= 1 << i
		}
	}
	n.endpoint.Step(now, backlogged)
}

func (n *rowNode) destination(flow int) netip.Addr { return rowDestination(n.index, flow) }

// emit sends what the classes let through; flows of one class take turns.
func (n *rowNode) emit(r *rowRun, now int64, seconds float64) {
	n.turn++
	class := make([]int, len(n.flows))
	for flow := range n.flows {
		if i, ok := n.endpoint.Governing(n.destination(flow)); ok {
			class[flow] = i + 1
		}
	}
	for c := range n.credit {
		limit := float64(rowCeiling)
		if c > 0 {
			if state, used := n.endpoint.Group(c - 1); used {
				limit = float64(state.LimitBitsPerSecond)
			}
		}
		n.credit[c] = min(n.credit[c]+limit*seconds/frameBits, 2)
	}
	for k := range n.flows {
		flow := (n.turn + k) % len(n.flows)
		for n.credit[class[flow]] >= 1 {
			n.credit[class[flow]]--
			n.endpoint.Sent(now, n.destination(flow), frameBits/8)
			r.enqueue(rowPacket{node: n.index, flow: flow})
			if len(n.flows) > 1 {
				break
			}
		}
	}
}

func (r *rowRun) enqueue(p rowPacket) {
	port := r.nodes[p.node].flows[p.flow][p.hop]
	if len(r.queues[port]) >= bufferPackets {
		r.dropped++
		return
	}
	p.ce = p.ce || len(r.queues[port]) > r.threshold
	r.queues[port] = append(r.queues[port], p)
}

func (r *rowRun) serve(port int, seconds float64) {
	r.credits[port] += r.capacities[port] * seconds / frameBits
	for ; r.credits[port] >= 1; r.credits[port]-- {
		if len(r.queues[port]) == 0 {
			r.credits[port] = 0
			return
		}
		p := r.queues[port][0]
		r.queues[port] = r.queues[port][1:]
		r.served[port]++
		if p.hop++; p.hop < len(r.nodes[p.node].flows[p.flow]) {
			r.enqueue(p)
			continue
		}
		n := r.nodes[p.node]
		n.served[p.flow]++
		n.counted[p.flow].packets++
		if p.ce {
			n.counted[p.flow].ce++
		}
	}
}

// Expected rates are the weighted max-min ones, worked out by hand.
func TestParkingLots(t *testing.T) {
	one := func(path ...int) node { return node{1, [][]int{path}} }
	for _, c := range []struct {
		name       string
		capacities []float64
		nodes      []node
		levels     []float64   // Mbit/s
		want       [][]float64 // Mbit/s
		pairPart   float64
	}{
		{"equal ports", []float64{50e6, 50e6}, []node{one(0, 1), one(0), one(1)},
			[]float64{25, 25}, [][]float64{{25}, {25}, {25}}, 0},
		{"three equal ports", []float64{50e6, 50e6, 50e6}, []node{one(0, 1, 2), one(0), one(1), one(2)},
			[]float64{25, 25, 25}, [][]float64{{25}, {25}, {25}, {25}}, 0},
		{"the second is slower", []float64{50e6, 20e6}, []node{one(0, 1), one(0), one(1)},
			[]float64{40, 10}, [][]float64{{10}, {40}, {10}}, 0},
		{"the first is slower", []float64{20e6, 50e6}, []node{one(0, 1), one(0), one(1)},
			[]float64{10, 40}, [][]float64{{10}, {10}, {40}}, 0},
		{"hardly slower", []float64{50e6, 40e6}, []node{one(0, 1), one(0), one(1)},
			[]float64{30, 20}, [][]float64{{20}, {30}, {20}}, 0},
		{"the long one weighs double", []float64{50e6, 50e6}, []node{{2, [][]int{{0, 1}}}, one(0), one(1)},
			[]float64{16.67, 16.67}, [][]float64{{33.3}, {16.7}, {16.7}}, 0},
		{"more at the first", []float64{50e6, 50e6}, []node{one(0, 1), one(0), one(0), one(0), one(1)},
			[]float64{12.5, 37.5}, [][]float64{{12.5}, {12.5}, {12.5}, {12.5}, {37.5}}, 0},
		// The endpoint may have 25 of the first port: 10 of it go to the second.
		{"two destinations of one endpoint", []float64{50e6, 20e6},
			[]node{{1, [][]int{{0, 1}, {0}}}, one(0), one(1)},
			[]float64{25, 10}, [][]float64{{10, 15}, {25}, {10}}, 15.0 / 25},
		// Marks of the second port must not cut what only crosses the first.
		{"the first is its own", []float64{80e6, 20e6}, []node{{1, [][]int{{0, 1}, {0}}}, one(1)},
			[]float64{80, 10}, [][]float64{{10, 70}, {10}}, 70.0 / 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := row{capacities: c.capacities, tauNanos: tau, threshold: 8, delayNanos: tau, nodes: c.nodes,
				controls: always, levels: c.levels, pairPart: c.pairPart, seed: 1}.start()
			r.until(3 * second)
			rates, used := r.until(7 * second)
			t.Logf("rates %.3g, used %.3f, %d dropped", rates, used, r.dropped)
			for i, own := range rates {
				for flow, rate := range own {
					want := c.want[i][flow] * 1e6
					if rate < want*0.95 || rate > want*1.05 {
						t.Errorf("flow %d of endpoint %d gets %.1f Mbit/s, want %.1f", flow, i, rate/1e6, want/1e6)
					}
				}
			}
			for port, part := range used {
				if part < 0.94 {
					t.Errorf("port %d is used to %.3f", port, part)
				}
			}
		})
	}
}

// With the controller gone its last shares stay in force, at every port.
func TestParkingLotSharesHoldWithoutTheController(t *testing.T) {
	one := func(path ...int) node { return node{1, [][]int{path}} }
	r := row{capacities: []float64{50e6, 20e6}, tauNanos: tau, threshold: 8, delayNanos: tau,
		nodes: []node{one(0, 1), one(0), one(1)}, levels: []float64{40, 10},
		controls: func(now int64) bool { return now < second }, seed: 1}.start()
	r.until(5 * second)
	rates, used := r.until(9 * second)
	t.Logf("rates %.3g, used %.3f, %d dropped", rates, used, r.dropped)
	for i, want := range []float64{10e6, 40e6, 10e6} {
		if rate := rates[i][0]; rate < want*0.95 || rate > want*1.05 {
			t.Errorf("flow of endpoint %d gets %.1f Mbit/s, want %.1f", i, rate/1e6, want/1e6)
		}
	}
	if r.dropped > 0 {
		t.Errorf("%d packets dropped", r.dropped)
	}
}
