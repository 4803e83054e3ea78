// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestASilentStreamBreaksOff(t *testing.T) {
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "event: time\ndata: {}\nid: a.1\n\n")
		w.(http.Flusher).Flush()
		<-released
	}))
	defer server.Close()
	defer close(released)
	client, err := NewClient(Server{URL: server.URL + "/sluice/v1", Timeout: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	err = client.Stream(t.Context(), "", func(event Event) error {
		ids = append(ids, event.ID)
		return nil
	})
	if !errors.As(err, new(Unreachable)) || len(ids) != 1 || ids[0] != "a.1" {
		t.Errorf("%v %q", err, ids)
	}
}
