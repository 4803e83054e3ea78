// SPDX-License-Identifier: Apache-2.0

// Command scripted-controller is the controller's end of the agent link, for experiments: it sends an
// agent whatever it reads, so that an agent can be tested with messages that no real controller sends.
// Each line of standard input is a ControllerMessage in protobuf's JSON; each message of the
// agent is written as such a line. It ends with its input.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"net"
	"os"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/lab/identity"
)

type controller struct {
	pb.UnimplementedAgentLinkServiceServer
	script chan *pb.ControllerMessage
	out    sync.Mutex
}

func main() {
	listen := flag.String("listen", "127.0.0.1:6680", "`ADDRESS:PORT`")
	ca := flag.String("ca", "", "the authority that signed the agent's certificate, PEM `FILE`")
	certificate := flag.String("certificate", "", "own certificate, PEM `FILE`")
	key := flag.String("key", "", "its key, PEM `FILE`")
	flag.Parse()
	if err := serve(*listen, *ca, *certificate, *key); err != nil {
		fmt.Fprintln(os.Stderr, "scripted-controller:", err)
		os.Exit(1)
	}
}

func serve(listen, ca, certificate, key string) error {
	security, err := identity.Read(ca, certificate, key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	c := &controller{script: make(chan *pb.ControllerMessage)}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(security)))
	pb.RegisterAgentLinkServiceServer(server, c)
	go func() {
		if err := c.read(); err != nil {
			fmt.Fprintln(os.Stderr, "scripted-controller:", err)
		}
		server.Stop()
	}()
	return server.Serve(listener)
}

// read reads the messages to send from standard input.
func (c *controller) read() error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		message := &pb.ControllerMessage{}
		if err := protojson.Unmarshal(lines.Bytes(), message); err != nil {
			return err
		}
		c.script <- message
	}
	return lines.Err()
}

// Session sends what is read until the agent ends it; one agent at a time.
func (c *controller) Session(stream grpc.BidiStreamingServer[pb.AgentMessage, pb.ControllerMessage]) error {
	failed := make(chan error, 1)
	go func() {
		for {
			message, err := stream.Recv()
			if err == nil {
				err = c.write(message)
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	for {
		select {
		case <-failed:
			return nil
		case <-stream.Context().Done():
			return nil
		case message := <-c.script:
			if err := stream.Send(message); err != nil {
				return err
			}
		}
	}
}

func (c *controller) write(message *pb.AgentMessage) error {
	text, err := protojson.Marshal(message)
	if err != nil {
		return err
	}
	c.out.Lock()
	defer c.out.Unlock()
	_, err = fmt.Println(string(text))
	return err
}
