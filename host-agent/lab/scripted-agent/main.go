// SPDX-License-Identifier: Apache-2.0

// Command scripted-agent is an agent's end of the agent link, for experiments: it sends a controller
// whatever it reads, so that a controller can be tested with a host that lies. Each line of standard
// input is an AgentMessage in protobuf's JSON; each message of the controller is written as such a
// line. It ends with its input.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/lab/identity"
)

func main() {
	controller := flag.String("controller", "", "`ADDRESS:PORT`")
	ca := flag.String("ca", "", "the authority that signed the controller's certificate, PEM `FILE`")
	certificate := flag.String("certificate", "", "own certificate, PEM `FILE`")
	key := flag.String("key", "", "its key, PEM `FILE`")
	flag.Parse()
	if err := run(*controller, *ca, *certificate, *key); err != nil {
		fmt.Fprintln(os.Stderr, "scripted-agent:", err)
		os.Exit(1)
	}
}

func run(controller, ca, certificate, key string) error {
	security, err := identity.Read(ca, certificate, key)
	if err != nil {
		return err
	}
	if security.ServerName, _, err = net.SplitHostPort(controller); err != nil {
		return err
	}
	connection, err := grpc.NewClient("passthrough:///"+controller,
		grpc.WithTransportCredentials(credentials.NewTLS(security)), grpc.WithNoProxy())
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream, err := pb.NewAgentLinkServiceClient(connection).Session(ctx)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- write(stream) }()
	go func() { ended <- read(stream) }()
	return <-ended
}

type session = grpc.BidiStreamingClient[pb.AgentMessage, pb.ControllerMessage]

// read sends the messages of standard input.
func read(stream session) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		message := &pb.AgentMessage{}
		if err := protojson.Unmarshal(lines.Bytes(), message); err != nil {
			return err
		}
		if err := stream.Send(message); err != nil {
			return err
		}
	}
	return lines.Err()
}

// write prints what the controller sends.
func write(stream session) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		text, err := protojson.Marshal(message)
		if err != nil {
			return err
		}
		if _, err := fmt.Println(string(text)); err != nil {
			return err
		}
	}
}
