// SPDX-License-Identifier: Apache-2.0

package link

import (
	"bytes"
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates/certificatetest"
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	deadline  = 15 * time.Second
	pollEvery = 2 * time.Millisecond
)

// eventually polls for a state.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(pollEvery) {
		if holds() {
			return
		}
	}
	t.Fatalf("within %v: not %s", deadline, what)
}

// linkFixture has an authority, an agent's configuration and what the agent received.
type linkFixture struct {
	t         *testing.T
	authority *certificatetest.Authority
	config    Config
	hello     model.Hello
	notes     *recorder
	client    *Client
}

func newLinkFixture(t *testing.T) *linkFixture {
	a := certificatetest.New(t)
	a.Server("controller")
	a.Host("h1", "h1")
	return &linkFixture{t: t, authority: a, notes: &recorder{},
		config: Config{TLS: a.Files("h1"),
			Lease: 5 * time.Second, Tau: testTau},
		hello: model.Hello{Host: "h1", AgentVersion: "test", UplinkInterface: "up0",
			UplinkMAC: []byte{2, 0, 0, 0, 0, 1}, UplinkCapacityBitsPerSecond: 50_000_000,
			UplinkReceiveCeilingBitsPerSecond: 40_000_000,
			Endpoints: []model.Endpoint{{Interface: "vm0", MAC: []byte{2, 0, 0, 0, 1, 1},
				IPs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}}},
			Features:      []model.Feature{{Name: "tcx", Present: true}},
			PeerPublicKey: bytes.Repeat([]byte{7}, 32)}}
}

func (s *linkFixture) run(controllers ...*fakeController) {
	s.t.Helper()
	for _, f := range controllers {
		s.config.Controllers = append(s.config.Controllers, f.address)
	}
	client, err := New(s.config, s.hello, s.notes)
	if err != nil {
		s.t.Fatal(err)
	}
	s.client = client
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		client.Run(ctx)
	}()
	s.t.Cleanup(func() {
		cancel()
		<-done
	})
}

func (s *linkFixture) connected() bool { return s.client.Controllers()[0].Connected }

// refusedWith waits for a reason that names something.
func (s *linkFixture) refusedWith(names string) {
	s.t.Helper()
	eventually(s.t, "refused with "+names, func() bool {
		state := s.client.Controllers()[0]
		return !state.Connected && strings.Contains(state.LastError, names)
	})
}

func TestWithoutUrgentReportsMarksWaitForThePeriodicObservation(t *testing.T) {
	s := newLinkFixture(t)
	var now atomic.Int64
	s.config.Clock, s.config.Unhurried = now.Load, true
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	observations := func() (count int) {
		f.receivedAny(func(m *pb.AgentMessage) bool {
			if m.GetObservation() != nil {
				count++
			}
			return false
		})
		return count
	}
	s.client.Observe(observed(received(1, 5, 2)))
	eventually(t, "observed", func() bool { return observations() == 1 })
	now.Store(int64(calmInterval) - 1)
	s.client.Observe(observed(received(1, 5, 2)))
	for _, name := range []string{"first", "second"} { // what was due with the first is sent before the second
		s.client.Report(model.Event{Kind: model.EndpointsChanged, Endpoints: []model.Endpoint{{Interface: name}}})
		eventually(t, name, func() bool {
			return f.receivedAny(func(m *pb.AgentMessage) bool {
				listed := m.GetEvent().GetEndpoints()
				return len(listed) == 1 && listed[0].GetInterface() == name
			})
		})
	}
	if sent := observations(); sent != 1 {
		t.Errorf("%d observations within the calm interval", sent)
	}
	now.Store(int64(calmInterval))
	eventually(t, "observed again", func() bool { return observations() == 2 })
}

func TestSession(t *testing.T) {
	s := newLinkFixture(t)
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)

	hello := f.received[0].GetHello()
	if hello.GetProtocolVersion() != 1 || hello.GetUplink().GetCapacityBitsPerSecond() != 50_000_000 ||
		hello.GetUplink().GetReceiveCeilingBitsPerSecond() != 40_000_000 || len(hello.GetPeerPublicKey()) != 32 ||
		len(hello.GetEndpoints()) != 1 || len(hello.GetEndpoints()[0].GetIps()[0]) != 4 || !hello.GetFeatures()[0].GetPresent() {
		t.Errorf("hello %v", hello)
	}

	f.share(1, 5, "p/1", 12_500_000)
	f.share(1, 4, "p/1", 1)
	eventually(t, "share applied", func() bool { return s.notes.has("onos1 share p/1 12500000") })
	eventually(t, "stale share reported", func() bool {
		return f.receivedAny(func(m *pb.AgentMessage) bool { return m.GetEvent().GetKind() == pb.Event_KIND_STALE_REFUSED })
	})
	if s.notes.has("onos1 share p/1 1") || s.client.Counters().StaleRefused != 1 {
		t.Errorf("a stale share was applied: %v, %+v", s.notes.all(), s.client.Counters())
	}
	f.share(1, 6, "p/1", 0)
	eventually(t, "senseless share counted", func() bool { return s.client.Counters().InvalidRefused == 1 })

	s.client.Observe(observed(received(1, 5, 2)))
	s.client.Observe(observed(received(1, 5, 2)))
	eventually(t, "all marks reported", func() bool {
		marks := uint64(0)
		f.mu.Lock()
		defer f.mu.Unlock()
		for i, m := range f.received {
			if m.GetSequence() != uint64(i+1) || m.GetInstance() != s.client.instance || m.GetInstance() == 0 {
				t.Fatalf("message %d is %v", i, m)
			}
			for _, p := range m.GetObservation().GetPairs() {
				marks += p.GetCePackets()
			}
		}
		return marks == 4
	})
}

func TestReconnectAfterRestart(t *testing.T) {
	s := newLinkFixture(t)
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	f.share(1, 1, "p/1", 12_500_000)
	eventually(t, "share applied", func() bool { return s.notes.has("onos1 share p/1 12500000") })

	f.server.Stop()
	eventually(t, "disconnected", func() bool { return !s.connected() })
	s.client.Observe(observed(received(1, 5, 5))) // without a session: not reported in the next
	s.client.Report(model.Event{Kind: model.EndpointsChanged,
		Endpoints: []model.Endpoint{{Interface: "vm7", MAC: []byte{2, 0, 0, 0, 1, 7}}}})
	began := time.Now()
	f.start(t, s.authority, "controller")
	eventually(t, "connected again", func() bool { return s.connected() && f.sessionCount() == 2 })
	if took := time.Since(began); took > maxPause+connectTimeout {
		t.Errorf("connected after %v, want %v", took, maxPause+connectTimeout)
	}
	eventually(t, "received the event that happened meanwhile", func() bool {
		return f.receivedAny(func(m *pb.AgentMessage) bool { return m.GetEvent().GetKind() == pb.Event_KIND_ENDPOINTS_CHANGED })
	})
	if f.receivedAny(func(m *pb.AgentMessage) bool { return m.GetObservation() != nil }) {
		t.Error("increments of the time without a session were reported")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	again := slices.IndexFunc(f.received[1:], func(m *pb.AgentMessage) bool { return m.GetHello() != nil }) + 1
	if hello := f.received[again].GetHello(); len(hello.GetEndpoints()) != 1 || hello.GetEndpoints()[0].GetInterface() != "vm7" {
		t.Errorf("the second hello is %v, want the endpoints as they are now", hello)
	}
}

func TestASilentControllersLeaseExpiresAndItsSharesStay(t *testing.T) {
	s := newLinkFixture(t)
	f := newFakeController("onos1")
	f.lease, f.silent = 300*time.Millisecond, true
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	f.share(1, 1, "p/1", 12_500_000)
	eventually(t, "lease ended", func() bool { return s.notes.has("onos1 lease") })
	eventually(t, "a new session", func() bool { return f.sessionCount() > 1 })
	for _, line := range s.notes.all() {
		if strings.Contains(line, "expired") {
			t.Errorf("a share was withdrawn: %v", s.notes.all())
		}
	}
	if s.client.Counters().LeasesExpired == 0 {
		t.Error("the lease's end was not counted")
	}
}

func TestSeveralControllers(t *testing.T) {
	s := newLinkFixture(t)
	one, two := newFakeController("onos1"), newFakeController("onos2")
	one.lease = 300 * time.Millisecond
	one.start(t, s.authority, "controller")
	two.start(t, s.authority, "controller")
	s.run(one, two)
	eventually(t, "both connected", func() bool {
		states := s.client.Controllers()
		return states[0].Connected && states[1].Connected && states[0].Node == "onos1" && states[1].Node == "onos2"
	})
	one.share(1, 1, "p/1", 100)
	eventually(t, "the first's share", func() bool { return s.notes.has("onos1 share p/1 100") })
	two.share(1, 1, "p/1", 300)
	one.server.Stop()
	eventually(t, "the other's share after the lease", func() bool { return s.notes.has("onos2 share p/1 300") })
	if !s.notes.has("onos1 lease") {
		t.Errorf("the lease did not end first: %v", s.notes.all())
	}
	eventually(t, "reported to the other", func() bool {
		return two.receivedAny(func(m *pb.AgentMessage) bool { return m.GetEvent().GetKind() == pb.Event_KIND_LEASE_EXPIRED })
	})
}

func TestASlowControllerBlocksNoOther(t *testing.T) {
	s := newLinkFixture(t)
	slow, fast := newFakeController("slow"), newFakeController("fast")
	slow.neverReads = true
	slow.start(t, s.authority, "controller")
	fast.start(t, s.authority, "controller")
	s.run(slow, fast)
	eventually(t, "both connected", func() bool {
		states := s.client.Controllers()
		return states[0].Connected && states[1].Connected
	})
	began := time.Now()
	const rounds, pairs = 100, 1000
	for range rounds {
		observation := model.Observation{IntervalNanos: 1}
		for n := range pairs {
			observation.Pairs = append(observation.Pairs, received(n, 1, 1))
		}
		s.client.Observe(observation)
		time.Sleep(pollEvery) // the stream's window fills only when messages go out one by one
	}
	eventually(t, "the fast one has it all", func() bool {
		marks := 0
		fast.mu.Lock()
		defer fast.mu.Unlock()
		for _, m := range fast.received {
			for _, p := range m.GetObservation().GetPairs() {
				marks += int(p.GetCePackets())
			}
		}
		return marks == rounds*pairs
	})
	t.Logf("%d observations in %v", rounds, time.Since(began))
}

func TestRefusals(t *testing.T) {
	t.Run("the agent's certificate became another host's", func(t *testing.T) {
		s := newLinkFixture(t)
		s.authority.Host("h1", "h1")
		f := newFakeController("onos1")
		f.start(t, s.authority, "controller")
		s.run(f)
		eventually(t, "connected", s.connected)
		s.authority.Host("h1", "h2")
		f.server.Stop()
		f.start(t, s.authority, "controller")
		s.refusedWith("names hosts")
	})
	t.Run("controller of another authority", func(t *testing.T) {
		s, foreign := newLinkFixture(t), certificatetest.New(t)
		foreign.Server("controller")
		f := newFakeController("onos1")
		f.start(t, foreign, "controller")
		s.run(f)
		s.refusedWith("unknown authority")
	})
	t.Run("controller's certificate is for another name", func(t *testing.T) {
		s := newLinkFixture(t)
		s.authority.Server("other", "onos.example.org")
		f := newFakeController("onos1")
		f.start(t, s.authority, "other")
		s.run(f)
		s.refusedWith("127.0.0.1")
	})
	t.Run("a host poses as the controller", func(t *testing.T) {
		s := newLinkFixture(t)
		s.authority.Host("h2", "h2")
		f := newFakeController("onos1")
		f.start(t, s.authority, "h2")
		s.run(f)
		s.refusedWith("x509")
	})
	t.Run("our certificate is of another authority", func(t *testing.T) {
		s, foreign := newLinkFixture(t), certificatetest.New(t)
		foreign.Host("h1", "h1")
		s.config.TLS.Certificate, s.config.TLS.Key = foreign.File("h1.pem"), foreign.File("h1.key")
		f := newFakeController("onos1")
		f.start(t, s.authority, "controller")
		s.run(f)
		s.refusedWith("tls")
		if f.sessionCount() != 0 {
			t.Error("the controller opened a session")
		}
	})
	t.Run("no certificate at all", func(t *testing.T) {
		s := newLinkFixture(t)
		f := newFakeController("onos1")
		f.start(t, s.authority, "controller")
		s.config.Controllers = []string{f.address}
		read, err := s.config.TLS.Read()
		if err != nil {
			t.Fatal(err)
		}
		settings := read.TLS("127.0.0.1")
		settings.Certificates = nil
		connection, err := grpc.NewClient(f.address, grpc.WithTransportCredentials(credentials.NewTLS(settings)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		stream, err := pb.NewAgentLinkServiceClient(connection).Session(ctx)
		if err == nil {
			_ = stream.Send(&pb.AgentMessage{Body: &pb.AgentMessage_Hello{Hello: helloOf(s.hello)}})
			_, err = stream.Recv()
		}
		if status.Code(err) != codes.Unavailable || f.sessionCount() != 0 {
			t.Errorf("a client without a certificate: %v", err)
		}
	})
	t.Run("another version", func(t *testing.T) {
		s := newLinkFixture(t)
		f := newFakeController("onos1")
		f.version = 2
		f.start(t, s.authority, "controller")
		s.run(f)
		s.refusedWith("version 2")
	})
	t.Run("nobody listens", func(t *testing.T) {
		s := newLinkFixture(t)
		s.run(&fakeController{address: "127.0.0.1:1"})
		s.refusedWith("refused")
	})
}

func TestWrongConfigurationIsNamed(t *testing.T) {
	for names, change := range map[string]func(*linkFixture){
		"controllers":    func(s *linkFixture) { s.config.Controllers = nil },
		"controllers[0]": func(s *linkFixture) { s.config.Controllers[0] = "10.9.0.1" },
		"lease":          func(s *linkFixture) { s.config.Lease = 0 },
		"tau":            func(s *linkFixture) { s.config.Tau = 0 },
		"tls.ca":         func(s *linkFixture) { s.config.TLS.CA = s.authority.File("none.pem") },
		"no PEM":         func(s *linkFixture) { s.config.TLS.CA = s.authority.File("h1.key") },
		"tls.key":        func(s *linkFixture) { s.config.TLS.Key = s.authority.File("controller.key") },
		`"h9"`:           func(s *linkFixture) { s.hello.Host = "h9" },
		"URI:sluice-host:h1": func(s *linkFixture) {
			s.authority.Host("h1", "h1", "h2")
		},
	} {
		s := newLinkFixture(t)
		s.config.Controllers = []string{"127.0.0.1:6680"}
		change(s)
		if _, err := New(s.config, s.hello, s.notes); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("error %v, want it to name %s", err, names)
		}
	}
}

// Names, descriptions and errors have bytes that others chose.
func TestTextThatIsNotUTF8ArrivesEscaped(t *testing.T) {
	s := newLinkFixture(t)
	s.hello.Features = []model.Feature{{Name: "tcx", Detail: "no \xff"}}
	s.hello.Endpoints = append(s.hello.Endpoints, model.Endpoint{Interface: "tap\xff", MAC: []byte{2, 0, 0, 0, 1, 2}})
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	conditions := []string{"all is well\n", "tap\xfe: is held"}
	s.client.Report(model.Event{Kind: model.ConditionsChanged, Detail: "of \xfd", Conditions: conditions})
	s.client.Observe(model.Observation{Endpoints: []model.EndpointSample{{Interface: "tap\xff", DroppedPackets: 1}}})
	eventually(t, "all has arrived, escaped", func() bool {
		return f.receivedAny(func(m *pb.AgentMessage) bool {
			hello := m.GetHello()
			return hello != nil && hello.Features[0].Detail == `no \xff` && hello.Endpoints[1].Interface == `tap\xff`
		}) && f.receivedAny(func(m *pb.AgentMessage) bool {
			return m.GetEvent().GetDetail() == `of \xfd` &&
				slices.Equal(m.GetEvent().Conditions, []string{"all is well\n", `tap\xfe: is held`})
		}) && f.receivedAny(func(m *pb.AgentMessage) bool {
			return len(m.GetObservation().GetEndpoints()) == 1 && m.GetObservation().Endpoints[0].Interface == `tap\xff`
		})
	})
	if conditions[1] != "tap\xfe: is held" {
		t.Errorf("%q: what the agent has was changed", conditions[1])
	}
	if f.sessionCount() != 1 {
		t.Errorf("%d sessions, want one that lasts", f.sessionCount())
	}
}
