// SPDX-License-Identifier: Apache-2.0

package link

import (
	"crypto/tls"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
	"github.com/sluice-sdn/sluice/host-agent/internal/certificates/certificatetest"
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
)

// fakeController is the controller's end of the link, as a test wants it.
type fakeController struct {
	pb.UnimplementedAgentLinkServiceServer
	node  string
	lease time.Duration
	// silent controllers welcome and then send nothing.
	silent bool
	// neverReads controllers do not read after the Hello.
	neverReads bool
	// health is answered where it is set.
	health grpc_health_v1.HealthServer
	// version answered in the Welcome.
	version uint32
	// relaysMarks controllers pass marks on.
	relaysMarks bool

	mu       sync.Mutex
	received []*pb.AgentMessage
	sessions int
	serial   string // of the last session's certificate
	out      chan *pb.ControllerMessage
	security atomic.Pointer[tls.Config]
	server   *grpc.Server
	address  string
}

func newFakeController(node string) *fakeController {
	return &fakeController{node: node, lease: 10 * time.Second, version: protocolVersion,
		out: make(chan *pb.ControllerMessage, 16)}
}

func (f *fakeController) start(t *testing.T, a *certificatetest.Authority, certificate string) {
	t.Helper()
	address := f.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	var listener net.Listener
	eventually(t, "listening on "+address, func() (ok bool) {
		var err error
		listener, err = net.Listen("tcp", address)
		return err == nil
	})
	f.address = listener.Addr().String()
	f.shows(a, certificate)
	security := &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return f.security.Load(), nil }}
	f.server = grpc.NewServer(grpc.Creds(credentials.NewTLS(security)))
	pb.RegisterAgentLinkServiceServer(f.server, f)
	if f.health != nil {
		grpc_health_v1.RegisterHealthServer(f.server, f.health)
	}
	go func(server *grpc.Server) { _ = server.Serve(listener) }(f.server)
	t.Cleanup(f.server.Stop)
}

// shows has it show another certificate from now on, as a controller does whose files were renewed.
func (f *fakeController) shows(a *certificatetest.Authority, certificate string) {
	security := a.ServerTLS(certificate)
	security.NextProtos = []string{"h2"}
	f.security.Store(security)
}

func (f *fakeController) lastSerial() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.serial
}

func (f *fakeController) Session(stream grpc.BidiStreamingServer[pb.AgentMessage, pb.ControllerMessage]) error {
	hello, err := stream.Recv()
	if err != nil {
		return err
	}
	from, _ := peer.FromContext(stream.Context())
	certificate := from.AuthInfo.(credentials.TLSInfo).State.PeerCertificates[0]
	if names := certificates.Named(certificate, certificates.HostScheme); !slices.Equal(names, []string{hello.GetHello().GetHost()}) {
		return status.Errorf(codes.PermissionDenied, "you are not %s", hello.GetHello().GetHost())
	}
	f.mu.Lock()
	f.sessions++
	f.serial = certificate.SerialNumber.String()
	f.received = append(f.received, hello)
	f.mu.Unlock()
	welcome := f.message(0, 1)
	welcome.Body = &pb.ControllerMessage_Welcome{Welcome: &pb.Welcome{ProtocolVersion: f.version, RelaysMarks: f.relaysMarks}}
	if err := stream.Send(welcome); err != nil {
		return err
	}
	if !f.neverReads {
		go func() {
			for {
				message, err := stream.Recv()
				if err != nil {
					return
				}
				f.mu.Lock()
				f.received = append(f.received, message)
				f.mu.Unlock()
			}
		}()
	}
	renewal := time.NewTicker(f.lease / 4)
	defer renewal.Stop()
	for {
		var message *pb.ControllerMessage
		select {
		case <-stream.Context().Done():
			return nil
		case message = <-f.out:
		case <-renewal.C:
			if f.silent {
				continue
			}
			message = f.message(0, 1)
			message.Body = &pb.ControllerMessage_LeaseRenewal{LeaseRenewal: &pb.LeaseRenewal{}}
		}
		if err := stream.Send(message); err != nil {
			return err
		}
	}
}

func (f *fakeController) message(term, sequence uint64) *pb.ControllerMessage {
	m := message(f.node, term, sequence)
	m.LeaseMillis = uint32(f.lease.Milliseconds())
	return m
}

func (f *fakeController) share(term, sequence uint64, port string, unitShare uint64) {
	m := f.message(term, sequence)
	m.Body = shares(f.node, 0, 0, share(port, unitShare)).Body
	f.out <- m
}

func (f *fakeController) sessionCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions
}

// receivedAny reports whether some message received satisfies a condition.
func (f *fakeController) receivedAny(holds func(*pb.AgentMessage) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.received, holds)
}
