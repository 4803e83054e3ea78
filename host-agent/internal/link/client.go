// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"sync"
	"time"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	firstPause = 100 * time.Millisecond
	maxPause   = 2 * time.Second
	pauseRatio = 1.6
	// pauseJitter spreads the agents that one controller's restart disconnects at once.
	pauseJitter = 0.3
	// leaseCheck is how often leases are checked without a session.
	leaseCheck = 50 * time.Millisecond
	// staleReport is the least time between two events about stale messages.
	staleReport = time.Second
)

// Counters are what went wrong since the client was made.
type Counters struct {
	// Sessions were welcomed, over all controllers.
	Sessions uint64 `json:"sessions"`
	// StaleRefused decisions came after a later one about the same subject.
	StaleRefused uint64 `json:"staleRefused"`
	// InvalidRefused messages were malformed.
	InvalidRefused uint64 `json:"invalidRefused"`
	// LeasesExpired over all nodes.
	LeasesExpired uint64 `json:"leasesExpired"`
	// DroppedEvents and DroppedSamples were too many for a slow or absent controller.
	DroppedEvents  uint64 `json:"droppedEvents"`
	DroppedSamples uint64 `json:"droppedSamples"`
}

// Client is the agent's end of the link to all of its controllers. It implements model.Observer.
type Client struct {
	config      Config
	instance    uint64
	controllers []*controller
	requests    pendingRequests
	identity    identity

	mu            sync.Mutex
	hello         model.Hello
	conditions    []string
	tau           time.Duration
	markSpacing   time.Duration
	table         *decisionTable
	counters      Counters
	staleSince    int       // not reported yet
	staleReported time.Time // when they were last
}

// controller is one address and the state of the session with it.
type controller struct {
	address string
	outbox  *outbox

	mu     sync.Mutex
	status model.ControllerStatus
	// notAfter is until when its certificate can be verified; zero: not known yet.
	notAfter time.Time
}

// New checks the configuration, the certificates included, and makes a client; nothing is dialled
// before Run. Of model's *Decisions the agent's are those that it takes; they are called from the link's goroutines,
// one call at a time.
func New(config Config, hello model.Hello, decisions any) (*Client, error) {
	config.complete()
	if err := config.check(); err != nil {
		return nil, err
	}
	var instance [8]byte
	if _, err := rand.Read(instance[:]); err != nil {
		return nil, fmt.Errorf("agent's instance: %w", err)
	}
	c := &Client{
		config: config, instance: binary.NativeEndian.Uint64(instance[:]), hello: hello, tau: config.Tau,
	}
	// A wrong file is found at start, and not in a retry's log. One that has ended can still be replaced.
	read, _, err := c.readCertificates()
	if err != nil {
		return nil, err
	}
	if err := read.CheckDates(time.Now()); err != nil {
		config.Log.Warn("certificates cannot be used today", "error", err)
	}
	c.table = newDecisionTable(decisions, config.Lease)
	c.table.answered, c.table.settled = c.requests.answered, c.settled
	for _, address := range config.Controllers {
		c.controllers = append(c.controllers, &controller{
			address: address, outbox: newOutbox(), status: model.ControllerStatus{Address: address},
		})
	}
	return c, nil
}

// Run keeps sessions with all controllers until ctx ends.
func (c *Client) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, to := range c.controllers {
		running.Go(func() { c.keep(ctx, to) })
	}
	running.Go(func() { c.watchCertificates(ctx) })
	running.Go(func() { c.watchControllers(ctx) })
	ticker := time.NewTicker(leaseCheck)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			c.expire()
		}
	}
	running.Wait()
}

// keep holds a session with one controller, and after each a pause that grows while none succeeds.
func (c *Client) keep(ctx context.Context, to *controller) {
	pause := firstPause
	for ctx.Err() == nil {
		greeted, err := c.runSession(ctx, to)
		if ctx.Err() != nil {
			err = errors.New("the agent is stopping")
		}
		if to.ended(err) {
			c.config.Log.Warn("no session with controller", "address", to.address, "error", err)
		}
		if greeted {
			pause = firstPause
		}
		spread := 1 + pauseJitter*(2*mathrand.Float64()-1)
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(float64(pause) * spread)):
		}
		pause = min(time.Duration(float64(pause)*pauseRatio), maxPause)
	}
}

// Observe implements model.Observer.
func (c *Client) Observe(observation model.Observation) {
	now := c.config.Clock()
	for _, to := range c.controllers {
		to.outbox.observe(now, observation)
	}
}

// ObserveQueues reports samples of the queues of switch ports to the controllers. It never blocks: for a
// slow controller they are added up.
func (c *Client) ObserveQueues(observation model.PortObservation) {
	for _, to := range c.controllers {
		to.outbox.observeQueues(observation)
	}
}

// WatchFlows begins or ends the reports of flows; the first of them is complete.
func (c *Client) WatchFlows(on bool) {
	for _, to := range c.controllers {
		to.outbox.watchFlows(on)
	}
}

// ObserveFlows reports updates of flows to the controllers. It never blocks: a slow controller receives the
// latest.
func (c *Client) ObserveFlows(updates []model.FlowUpdate) {
	for _, to := range c.controllers {
		to.outbox.observeFlows(updates)
	}
}

// ReportLosses reports packets that a full queue dropped to the controllers. It never blocks.
func (c *Client) ReportLosses(losses []model.Loss) {
	for _, to := range c.controllers {
		to.outbox.reportLosses(losses)
	}
}

// Report implements model.Observer. New endpoints are part of later greetings, too.
func (c *Client) Report(event model.Event) {
	c.mu.Lock()
	switch event.Kind {
	case model.EndpointsChanged:
		c.hello.Endpoints = event.Endpoints
	case model.ConditionsChanged:
		c.conditions = event.Conditions
	}
	c.mu.Unlock()
	for _, to := range c.controllers {
		to.outbox.report(event)
	}
}

// Controllers implements model.Observer.
func (c *Client) Controllers() []model.ControllerStatus {
	statuses := make([]model.ControllerStatus, 0, len(c.controllers))
	for _, to := range c.controllers {
		to.mu.Lock()
		statuses = append(statuses, to.status)
		to.mu.Unlock()
	}
	return statuses
}

// Counters returns what went wrong so far.
func (c *Client) Counters() Counters {
	c.mu.Lock()
	counters := c.counters
	c.mu.Unlock()
	for _, to := range c.controllers {
		events, samples := to.outbox.dropped()
		counters.DroppedEvents += events
		counters.DroppedSamples += samples
	}
	return counters
}

func (c *Client) welcomed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counters.Sessions++
}

func (c *Client) currentHello() model.Hello {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hello
}

// currentConditions is what a new session begins with, nil where nothing is wrong.
func (c *Client) currentConditions() *pb.AgentMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.conditions) == 0 {
		return nil
	}
	event := eventOf(model.Event{Kind: model.ConditionsChanged, Conditions: c.conditions})
	return &pb.AgentMessage{Body: &pb.AgentMessage_Event{Event: event}}
}

func (c *Client) leastSpacings() spacings {
	if c.config.Unhurried {
		return spacings{calmInterval, calmInterval}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return spacings{c.tau, max(c.tau, c.markSpacing)}
}

func (c *Client) leaseEnd(node string) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table.leaseEnd(node)
}

// receive enters a controller's message into the table.
func (c *Client) receive(from *controller, message *pb.ControllerMessage) error {
	nowNanos := c.config.Clock()
	from.received(nowNanos)
	c.mu.Lock()
	stale, err := c.table.receive(nowNanos, message)
	if err != nil {
		c.counters.InvalidRefused++
	}
	c.counters.StaleRefused += uint64(stale)
	c.staleSince += stale
	report := 0
	if c.staleSince > 0 && time.Since(c.staleReported) >= staleReport {
		report, c.staleSince, c.staleReported = c.staleSince, 0, time.Now()
	}
	c.mu.Unlock()
	if report > 0 {
		from.outbox.report(model.Event{Kind: model.StaleRefused, Detail: fmt.Sprintf(
			"%d decisions of node %s were older than what it had decided before", report, message.GetNode())})
	}
	return err
}

// expire ends leases that are over and reports them to the other controllers.
func (c *Client) expire() {
	c.mu.Lock()
	expired := c.table.expire(c.config.Clock())
	c.counters.LeasesExpired += uint64(len(expired))
	c.mu.Unlock()
	for _, id := range expired {
		c.config.Log.Warn("a controller's lease has ended; its unit shares stay", "node", id)
		for _, to := range c.controllers {
			if to.nodeIs() != id {
				to.outbox.report(model.Event{Kind: model.LeaseExpired, Detail: "node " + id})
			}
		}
	}
}

func (to *controller) received(nowNanos int64) {
	to.mu.Lock()
	defer to.mu.Unlock()
	to.status.ReceivedNanos = nowNanos
}

func (to *controller) greeted(node string) {
	to.mu.Lock()
	defer to.mu.Unlock()
	to.status.Connected, to.status.Node, to.status.LastError = true, node, ""
}

// ended records why there is no session; true if that has changed.
func (to *controller) ended(err error) bool {
	reason := err.Error()
	to.mu.Lock()
	defer to.mu.Unlock()
	changed := to.status.Connected || to.status.LastError != reason
	to.status.Connected, to.status.LastError = false, reason
	return changed
}

func (to *controller) nodeIs() string {
	to.mu.Lock()
	defer to.mu.Unlock()
	return to.status.Node
}

// settled takes the settings of the link itself; the client's lock is held.
func (c *Client) settled(settings model.HostSettings) {
	c.tau = c.config.Tau
	if settings.TauNanos > 0 {
		c.tau = time.Duration(settings.TauNanos)
	}
	// SDN-GCC's notices are of the marks themselves: each period later a cut is another law.
	c.markSpacing = 0
	if settings.Law == model.TwoTimeScale {
		c.markSpacing = time.Duration(settings.ControlPeriodNanos)
	}
}
