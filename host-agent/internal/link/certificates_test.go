// SPDX-License-Identifier: Apache-2.0

package link

import (
	"os"
	"strings"
	"testing"
	"time"
)

const day = 24 * time.Hour

func notAfter(known []Certificate, of string) time.Time {
	for _, one := range known {
		if one.Of == of {
			return one.NotAfter
		}
	}
	return time.Time{}
}

func sameSecond(a, b time.Time) bool { return a.Unix() == b.Unix() }

func TestTheEndOfEachCertificateIsKnown(t *testing.T) {
	s := newLinkFixture(t)
	now := s.authority.Ends
	authority, controller, agent := now.Add(40*day), now.Add(20*day), now.Add(10*day+time.Minute)
	s.authority.Ends = authority
	s.authority.Renew()
	s.authority.Ends = controller
	s.authority.Server("controller")
	s.authority.Ends = agent
	s.authority.Host("h1", "h1")
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	known := s.client.Certificates().Known
	for of, want := range map[string]time.Time{"agent": agent, "authority": authority, "controller": controller} {
		if got := notAfter(known, of); !sameSecond(got, want) {
			t.Errorf("%s ends %v, want %v", of, got, want)
		}
	}
	if known[0].DaysLeft != 10 || known[0].From != s.config.TLS.Certificate || known[2].From != f.address {
		t.Errorf("%+v", known)
	}
}

// A controller cannot be verified any longer than its authority.
func TestAControllersCertificateEndsWithItsAuthority(t *testing.T) {
	s := newLinkFixture(t)
	authority := s.authority.Ends
	s.authority.Ends = authority.Add(day)
	s.authority.Server("controller")
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	if got := notAfter(s.client.Certificates().Known, "controller"); !sameSecond(got, authority) {
		t.Errorf("ends %v, want %v", got, authority)
	}
}

func TestDaysLeftArePastOnesToo(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for left, want := range map[time.Duration]int{
		0: 0, day - 1: 0, day: 1, 30*day - 1: 29, -1: -1, -day: -1, -day - 1: -2,
	} {
		if got := daysUntil(now.Add(left), now); got != want {
			t.Errorf("%v: %d days, want %d", left, got, want)
		}
	}
}

func TestARenewedCertificateIsUsedWithoutARestart(t *testing.T) {
	s := newLinkFixture(t)
	s.config.certificatesEvery = time.Millisecond
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	first := f.lastSerial()

	before, err := os.ReadFile(s.config.TLS.Key)
	if err != nil {
		t.Fatal(err)
	}
	s.authority.Ends = s.authority.Ends.Add(day)
	s.authority.Host("h1", "h1")
	after, err := os.ReadFile(s.config.TLS.Key)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "connected with the renewed certificate", func() bool { return s.connected() && f.lastSerial() != first })
	second, sessions := f.lastSerial(), f.sessionCount()
	// While a file is exchanged and its other half is not, sessions go on.
	if err := os.WriteFile(s.config.TLS.Key, before, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a fault", func() bool { return strings.Contains(s.client.Certificates().Fault, "tls.key") })
	if !s.connected() || f.sessionCount() != sessions {
		t.Error("a key that does not fit ended the session")
	}
	if got := notAfter(s.client.Certificates().Known, "agent"); !sameSecond(got, s.authority.Ends) {
		t.Errorf("ends %v, want %v", got, s.authority.Ends)
	}
	if err := os.WriteFile(s.config.TLS.Key, after, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no fault", func() bool { return s.client.Certificates().Fault == "" })
	if f.sessionCount() != sessions || f.lastSerial() != second {
		t.Error("an unchanged certificate ended the session")
	}
}

// The session goes on with the old one, which would be reported as ending for as long as it does.
func TestAControllersRenewedCertificateIsSeenDuringTheSession(t *testing.T) {
	s := newLinkFixture(t)
	s.config.lookEvery = time.Millisecond
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	s.authority.Ends = s.authority.Ends.Add(endsSoon)
	s.authority.Renew()
	s.authority.Server("renewed")
	f.shows(s.authority, "renewed")
	eventually(t, "the renewed one is known", func() bool {
		return sameSecond(notAfter(s.client.Certificates().Known, "controller"), s.authority.Ends)
	})
	if !s.connected() || f.sessionCount() != 1 {
		t.Error("the session ended")
	}
}

func TestACertificateOfAnotherHostDoesNotEndSessions(t *testing.T) {
	s := newLinkFixture(t)
	s.config.certificatesEvery = time.Millisecond
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	s.authority.Host("h1", "h2")
	eventually(t, "a fault", func() bool { return strings.Contains(s.client.Certificates().Fault, `"h2"`) })
	if !s.connected() || f.sessionCount() != 1 {
		t.Error("the session ended")
	}
}

func TestEveryConnectionReadsTheFiles(t *testing.T) {
	s := newLinkFixture(t)
	s.config.certificatesEvery = time.Hour
	f := newFakeController("onos1")
	f.start(t, s.authority, "controller")
	s.run(f)
	eventually(t, "connected", s.connected)
	first := f.lastSerial()
	s.authority.Ends = s.authority.Ends.Add(day)
	s.authority.Renew()
	s.authority.Server("controller")
	s.authority.Host("h1", "h1")
	f.server.Stop()
	f.start(t, s.authority, "controller")
	eventually(t, "connected anew", func() bool { return s.connected() && f.lastSerial() != first })
	for _, of := range []string{"agent", "authority", "controller"} {
		if got := notAfter(s.client.Certificates().Known, of); !sameSecond(got, s.authority.Ends) {
			t.Errorf("%s ends %v, want %v", of, got, s.authority.Ends)
		}
	}
}
