// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/tmaxmax/go-sse"
)

// maxEventBytes is for all endpoints of a large network in one event.
const maxEventBytes = 256 << 20

// Event is one of the stream.
type Event struct {
	Name string
	Data []byte
	// ID continues the stream behind it.
	ID string
}

// Stream hands over the events behind the one with an id until it ends, which is no error: the server ends each after
// some minutes.
func (c *Client) Stream(ctx context.Context, id string, take func(Event) error) error {
	request := Request{Method: http.MethodGet, Path: "/stream", Headers: map[string]string{"Accept": "text/event-stream, " + problemType}}
	if id != "" {
		request.Headers["Last-Event-ID"] = id
	}
	// An event comes every second: silence is a connection that is gone.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(c.server.Timeout, cancel)
	defer silence.Stop()
	answer, err := c.open(ctx, request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	for event, err := range sse.Read(answer.Body, &sse.ReadConfig{MaxEventSize: maxEventBytes}) {
		if err != nil {
			return Unreachable{fmt.Errorf("the stream of %s broke off: %w", c.server.URL, err)}
		}
		silence.Reset(c.server.Timeout)
		if err := take(Event{event.Type, []byte(event.Data), event.LastEventID}); err != nil {
			return err
		}
	}
	return nil
}
