// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	pb "github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

const (
	protocolVersion = 1
	keyLength       = 32
	connectTimeout  = 2 * time.Second
	welcomeTimeout  = 5 * time.Second
	// keepaliveInterval only matters to a transport that is idle for so long; a controller that sends
	// nothing is detected by its lease.
	keepaliveInterval = 10 * time.Second
	keepaliveTimeout  = 3 * time.Second
	// leaveTimeout bounds the wait for a controller to take note that the agent leaves.
	leaveTimeout = 500 * time.Millisecond
)

// session is one run of the Session call with one controller.
type session struct {
	client     *Client
	controller *controller
	stream     grpc.BidiStreamingClient[pb.AgentMessage, pb.ControllerMessage]
	node       string
	sequence   uint64
	// relaysMarks: the controller passes marks on to other hosts.
	relaysMarks bool
}

// runSession dials, greets and works until something ends it. greeted reports whether the controller
// welcomed this agent.
func (c *Client) runSession(ctx context.Context, to *controller) (greeted bool, err error) {
	host, _, err := net.SplitHostPort(to.address)
	if err != nil {
		return false, err
	}
	read, renewed, err := c.readCertificates()
	if err != nil {
		return false, err
	}
	connection, err := grpc.NewClient("passthrough:///"+to.address,
		grpc.WithTransportCredentials(credentials.NewTLS(to.security(read, host))),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepaliveInterval, Timeout: keepaliveTimeout}))
	if err != nil {
		return false, err
	}
	defer func() { _ = connection.Close() }()

	stopping := ctx
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(stopping))
	defer cancel(nil)
	leaves := make(chan struct{})
	defer context.AfterFunc(stopping, func() {
		if !errors.Is(context.Cause(stopping), model.ErrLeaving) {
			cancel(nil)
			return
		}
		close(leaves)
		time.AfterFunc(leaveTimeout, func() { cancel(nil) })
	})()
	stream, err := pb.NewAgentLinkServiceClient(connection).Session(ctx)
	if err != nil {
		return false, plain(err)
	}
	s := &session{client: c, controller: to, stream: stream}
	if err := s.greet(cancel); err != nil {
		return false, endReason(ctx, err)
	}
	c.welcomed()
	to.greeted(s.node)
	to.outbox.begin()
	if s.relaysMarks {
		to.outbox.relayMarks()
	}
	defer to.outbox.end()
	defer c.sessionEnded(s.node)
	c.config.Log.Info("controller connected", "address", to.address, "node", s.node)

	sent := make(chan error, 1)
	go func() {
		err := s.send(ctx, leaves)
		sent <- err
		if err != nil || stopping.Err() == nil {
			cancel(nil)
		}
	}()
	go s.watch(ctx, cancel)
	go func() {
		select {
		case <-ctx.Done():
		case <-renewed:
			cancel(errRenewed)
		}
	}()
	err = s.receive()
	cancel(nil)
	if sendError := <-sent; sendError != nil && errors.Is(err, context.Canceled) {
		err = sendError
	}
	return true, endReason(ctx, err)
}

// endReason prefers the reason for which a session was ended over the error that followed from it.
func endReason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return plain(err)
}

// plain leaves gRPC's wrapping away.
func plain(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the controller ended the session")
	}
	if s, ok := status.FromError(err); ok && err != nil {
		return fmt.Errorf("%s: %s", s.Code(), s.Message())
	}
	return err
}

func (s *session) greet(cancel context.CancelCauseFunc) error {
	late := time.AfterFunc(welcomeTimeout, func() {
		cancel(fmt.Errorf("no Welcome within %v", welcomeTimeout))
	})
	defer late.Stop()
	hello := &pb.AgentMessage{Body: &pb.AgentMessage_Hello{Hello: helloOf(s.client.currentHello())}}
	if err := s.transmit(hello); err != nil {
		// The receiving half has the controller's answer.
		if _, refused := s.stream.Recv(); refused != nil {
			return refused
		}
		return err
	}
	first, err := s.stream.Recv()
	if err != nil {
		return err
	}
	welcome := first.GetWelcome()
	if welcome == nil {
		return fmt.Errorf("the controller's first message is %T, not a Welcome", first.GetBody())
	}
	if welcome.GetProtocolVersion() != protocolVersion {
		return fmt.Errorf("the controller uses version %d of the agent link, this agent version %d; "+
			"install a controller and an agent of the same release", welcome.GetProtocolVersion(), protocolVersion)
	}
	s.node = first.GetNode()
	s.relaysMarks = welcome.GetRelaysMarks()
	if conditions := s.client.currentConditions(); conditions != nil {
		if err := s.transmit(conditions); err != nil {
			return err
		}
	}
	return s.client.receive(s.controller, first)
}

// receive passes the controller's messages on until the stream ends.
func (s *session) receive() error {
	for {
		message, err := s.stream.Recv()
		if err != nil {
			return err
		}
		if message.GetNode() != s.node {
			return fmt.Errorf("the controller's node changed from %q to %q within a session", s.node, message.GetNode())
		}
		if err := s.client.receive(s.controller, message); err != nil {
			s.client.config.Log.Warn("refused a controller's message", "node", s.node, "error", err)
		}
	}
}

// watch ends the session when the controller has sent nothing for its lease: it renews several times in
// that time, so its host or the path to it has failed.
func (s *session) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		end, alive := s.client.leaseEnd(s.node)
		if !alive {
			cancel(fmt.Errorf("node %s has sent nothing for its lease", s.node))
			return
		}
		wait := time.NewTimer(time.Duration(max(end-s.client.config.Clock(), int64(time.Millisecond))))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
			s.client.expire()
		}
	}
}

// send sends what waits in the outbox until ctx ends, or the agent leaves: then it announces that.
func (s *session) send(ctx context.Context, leaves <-chan struct{}) error {
	box := s.controller.outbox
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	lastSent := s.client.config.Clock() - calmInterval.Nanoseconds()
	for {
		now := s.client.config.Clock()
		messages, marksDue := box.takeMessages(now)
		for _, message := range messages {
			if err := s.transmit(message); err != nil {
				return err
			}
		}
		events, observation, due := box.take(now, lastSent, s.client.leastSpacings())
		for _, event := range events {
			if err := s.transmit(&pb.AgentMessage{Body: &pb.AgentMessage_Event{Event: eventOf(event)}}); err != nil {
				return err
			}
		}
		if observation != nil {
			lastSent = now
			body := &pb.AgentMessage_Observation{Observation: observationOf(*observation)}
			if err := s.transmit(&pb.AgentMessage{Body: body}); err != nil {
				return err
			}
			continue
		}
		if due == 0 || marksDue > 0 && marksDue < due {
			due = marksDue
		}
		if due > 0 {
			timer.Reset(time.Duration(due - now))
		} else {
			timer.Reset(time.Hour)
		}
		select {
		case <-ctx.Done():
			_ = s.stream.CloseSend()
			return nil
		case <-leaves:
			err := s.transmit(&pb.AgentMessage{Body: &pb.AgentMessage_Event{Event: eventOf(model.Event{Kind: model.Leaving})}})
			return errors.Join(err, s.stream.CloseSend())
		case <-timer.C:
		case <-box.wake:
		}
	}
}

func (s *session) transmit(message *pb.AgentMessage) error {
	s.sequence++
	message.Instance = s.client.instance
	message.Sequence = s.sequence
	message.MonotonicNanos = uint64(s.client.config.Clock())
	return s.stream.Send(message)
}

var _ model.Observer = (*Client)(nil)
