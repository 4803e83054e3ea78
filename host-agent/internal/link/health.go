// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
)

// Health queries a controller by gRPC's health checking protocol: whether its end of the link serves: "SERVING" if it does.
func Health(ctx context.Context, files certificates.Files, address string) (string, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	read, err := files.Read()
	if err != nil {
		return "", err
	}
	connection, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(credentials.NewTLS(read.TLS(host))), grpc.WithNoProxy())
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close() }()
	answer, err := grpc_health_v1.NewHealthClient(connection).Check(ctx,
		&grpc_health_v1.HealthCheckRequest{Service: pb.AgentLinkService_ServiceDesc.ServiceName})
	if err != nil {
		return "", fmt.Errorf("controller %s: %w", address, err)
	}
	return answer.GetStatus().String(), nil
}
