// SPDX-License-Identifier: Apache-2.0

package shim

import (
	"bytes"
	"testing"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func openedEvents(f *fixture) *Events {
	f.t.Helper()
	events, err := f.Events()
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := events.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return events
}

// controlFrame is a message of another agent's, as long as its number says.
func controlFrame(number int) testnet.Frame {
	return testnet.Frame{Source: peer4, Destination: own4, Protocol: testProtocol, PayloadBytes: 40 + number%170}
}

func TestEventsAreReadAcrossTheEndOfTheRing(t *testing.T) {
	f := newFixture(t)
	events := openedEvents(f)
	const total = 8000 // more than twice what the ring holds
	for read := 0; read < total; {
		const unread = 7
		for i := range unread {
			f.run(f.objects.UplinkIn, controlFrame(read+i).Build(), skbContext{})
		}
		for range unread {
			event, some, err := events.Read()
			want := controlFrame(read).Build()[testnet.EthernetBytes:]
			if err != nil || !some || event.Control == nil || !bytes.Equal(event.Control.Packet, want) {
				t.Fatalf("event %d: %+v, %v, %v", read, event.Control, some, err)
			}
			read++
		}
		if _, some, _ := events.Read(); some {
			t.Fatalf("one more than was sent after %d", read)
		}
	}
	if lost := f.Totals().LostEvents; lost != 0 {
		t.Errorf("%d events lost", lost)
	}
}

func TestPollingIsWokenByUrgentEventsOnly(t *testing.T) {
	f := newFixture(t)
	events := openedEvents(f)
	waits := func() chan error {
		woken := make(chan error, 1)
		go func() { woken <- events.Wait() }()
		return woken
	}
	expectWoken := func(what string, woken chan error) {
		t.Helper()
		select {
		case err := <-woken:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s does not wake", what)
		}
	}
	readAll := func() (count int) {
		for {
			if _, some, err := events.Read(); err != nil || !some {
				return count
			}
			count++
		}
	}
	message := func() { f.run(f.objects.UplinkIn, controlFrame(1).Build(), skbContext{}) }

	woken := waits()
	message()
	expectWoken("a message", woken)
	if got := readAll(); got != 1 {
		t.Fatalf("%d events, want 1", got)
	}
	f.PollEvents(true)
	testnet.Until(t, "a message does not wake whoever polls", func() bool {
		readAll()
		woken = waits()
		message()
		select {
		case <-woken: // the message was there before it waited
			return false
		case <-time.After(20 * time.Millisecond):
			return true
		}
	})
	f.toVM(tcpIn(testnet.ACK, testnet.CE)) // a first mark, behind a message that is not read
	expectWoken("a first mark", woken)
	if got := readAll(); got != 2 {
		t.Errorf("%d events, want the message and the mark", got)
	}
}
