// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates/certificatetest"
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
)

func TestHealthOfAController(t *testing.T) {
	a := certificatetest.New(t)
	a.Server("controller")
	a.Host("h1", "h1")
	served := health.NewServer()
	fake := newFakeController("n1")
	fake.health = served
	fake.start(t, a, "controller")
	files := a.Files("h1")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()

	if _, err := Health(ctx, files, fake.address); err == nil || !strings.Contains(err.Error(), "NotFound") {
		t.Errorf("a server without the service: %v", err)
	}
	for _, want := range []grpc_health_v1.HealthCheckResponse_ServingStatus{
		grpc_health_v1.HealthCheckResponse_SERVING, grpc_health_v1.HealthCheckResponse_NOT_SERVING,
	} {
		served.SetServingStatus(pb.AgentLinkService_ServiceDesc.ServiceName, want)
		if got, err := Health(ctx, files, fake.address); err != nil || got != want.String() {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}

	fake.server.Stop()
	if _, err := Health(ctx, files, fake.address); err == nil || !strings.Contains(err.Error(), fake.address) {
		t.Errorf("a controller that is away: %v", err)
	}
	files.CA = a.File("none.pem")
	if _, err := Health(ctx, files, fake.address); err == nil || !strings.Contains(err.Error(), "tls.ca") {
		t.Errorf("a missing file: %v", err)
	}
}
