// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/agent"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion"
	"github.com/sluice-sdn/sluice/host-agent/internal/endpoints"
	"github.com/sluice-sdn/sluice/host-agent/internal/link"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/port"
	"github.com/sluice-sdn/sluice/host-agent/internal/tcphints"
)

func printStatus(out io.Writer, raw json.RawMessage) error {
	var role struct{ Role string }
	if err := json.Unmarshal(raw, &role); err != nil {
		return err
	}
	if role.Role == "port" {
		var s port.Status
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		return printPort(out, s)
	}
	var s agent.Status
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	return printHost(out, s)
}

func mbps(bitsPerSecond uint64) string {
	return fmt.Sprintf("%.2f", float64(bitsPerSecond)/bitsPerMegabit)
}

func printPort(out io.Writer, s port.Status) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "port\t%s, %s -> %s\n", s.Port, s.Ingress, s.Egress)
	marking := fmt.Sprintf("marking above %d", s.MarkThresholdPackets)
	if s.MarkThresholdPackets == 0 {
		marking = "not marking"
	}
	if s.UpperThresholdPackets > 0 {
		marking += fmt.Sprintf(" while it grows, from %d on always", s.UpperThresholdPackets)
	}
	if s.BacklogHoldMicros > 0 {
		marking += fmt.Sprintf(", by a reading every %d us", s.BacklogHoldMicros)
	}
	fmt.Fprintf(table, "capacity\t%s Mbit/s, buffer %d packets, %s (backlog from the %s)\n",
		mbps(s.CapacityBitsPerSecond), s.BufferPackets, marking, s.BacklogSource)
	fmt.Fprintf(table, "backlog\t%d packets, %d bytes; seen by arrivals p50 %d, p99 %d, max %d\n",
		s.BacklogPackets, s.BacklogBytes, s.SeenBacklog.P50, s.SeenBacklog.P99, s.SeenBacklog.Max)
	fmt.Fprintf(table, "sent\t%d packets, %d bytes\n", s.SentPackets, s.SentBytes)
	fmt.Fprintf(table, "marked\t%d packets; %d found more than %d in the queue\n",
		s.MarkedPackets, s.OverThresholdPackets, s.ThresholdPackets)
	fmt.Fprintf(table, "dropped\t%d packets (%d buffer full, %d not ECT)\n",
		s.DroppedPackets, s.DroppedFullPackets, s.DroppedNotEctPackets)
	for i, l := range s.Levels {
		fmt.Fprintf(table, "level %d\tDSCP %d: backlog %d packets; sent %d, marked %d, dropped %d\n",
			i+1, l.DSCP, l.BacklogPackets, l.SentPackets, l.MarkedPackets, l.DroppedPackets)
	}
	if s.Background != nil {
		printBackground(table, s.Background)
	}
	if s.ReportedLosses+s.UnreportedLosses > 0 {
		fmt.Fprintf(table, "losses\t%d reported, %d not; %d packets sent again\n",
			s.ReportedLosses, s.UnreportedLosses, s.ResentPackets)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	printLink(out, s.Controllers, s.Link, s.Certificates)
	return nil
}

func printBackground(table io.Writer, b *port.BackgroundStatus) {
	for _, q := range b.Queues {
		held := ""
		if q.CapBitsPerSecond > 0 {
			held = fmt.Sprintf("; capped at %s Mbit/s for %.0f ms", mbps(q.CapBitsPerSecond), q.CapEndsInMillis)
		}
		if q.Draining {
			held += "; goes when it is empty"
		}
		fmt.Fprintf(table, "background\tfor %s, %d destinations: backlog %d packets; sent %d, marked %d, dropped %d%s\n",
			q.Downstream, q.Destinations, q.BacklogPackets, q.SentPackets, q.MarkedPackets, q.DroppedPackets, held)
	}
	if b.MissingQueues > 0 {
		fmt.Fprintf(table, "background\t%d queues are not there yet: what is for them waits in the last level\n", b.MissingQueues)
	}
	if b.ExpiredCaps+b.RefusedCaps > 0 {
		fmt.Fprintf(table, "caps\t%d ended by themselves, %d refused, for queues that are not there\n", b.ExpiredCaps, b.RefusedCaps)
	}
}

func printLink(out io.Writer, controllers []model.ControllerStatus, l *link.Counters, certificates *link.Certificates) {
	for _, c := range controllers {
		state := "connected to " + c.Node
		if !c.Connected {
			state = "not connected: " + c.LastError
		}
		fmt.Fprintf(out, "controller %s: %s\n", c.Address, state)
	}
	if l != nil {
		fmt.Fprintf(out, "agent link: %d sessions, %d leases expired; refused %d stale and %d invalid decisions; "+
			"dropped %d events and %d samples\n", l.Sessions, l.LeasesExpired, l.StaleRefused, l.InvalidRefused,
			l.DroppedEvents, l.DroppedSamples)
	}
	if certificates != nil {
		for _, c := range certificates.Known {
			fmt.Fprintln(out, certificateLine(c))
		}
		if certificates.Fault != "" {
			fmt.Fprintf(out, "certificates cannot be used, and no new session can begin: %s\n", certificates.Fault)
		}
	}
}

func certificateLine(c link.Certificate) string {
	line := fmt.Sprintf("certificate of %s (%s): ", c.Of, c.From)
	if c.DaysLeft < 0 {
		return line + "ended on " + c.NotAfter.Format(time.RFC3339) + ": put a valid one in its place"
	}
	return line + fmt.Sprintf("%d days left, until %s", c.DaysLeft, c.NotAfter.Format(time.RFC3339))
}

func printHost(out io.Writer, s agent.Status) error {
	enforcement := "on"
	if !s.Enforcement {
		enforcement = "off"
	} else if len(s.NotEnforced) > 0 {
		enforcement = "incomplete"
	}
	fmt.Fprintf(out, "host %s, uplink %s at %s Mbit/s, enforcement %s\n",
		s.Host, s.Uplink.Interface, mbps(s.Uplink.CapacityBitsPerSecond), enforcement)
	printLink(out, s.Controllers, s.Link, s.Certificates)
	if f := s.Flows; f.Watching {
		fmt.Fprintf(out, "flows: %d connections watched, windows granted for %d; sent in peers' names: %d window updates, "+
			"%d duplicate acknowledgements\n", len(f.Connections), f.Grants, f.WindowUpdates, f.DuplicateAcknowledgements)
	}
	if l := s.Levels; l != nil {
		fmt.Fprintln(out, levelsLine(l))
		if l.Condition != "" {
			fmt.Fprintln(out, l.Condition)
		}
	}
	if h := s.TCPHints; h != nil {
		printHints(out, h)
	}
	if s.Congestion != nil {
		printCongestion(out, s.Congestion)
	}
	for _, reason := range s.NotEnforced {
		fmt.Fprintf(out, "not enforced: %s\n", reason)
	}
	for _, n := range s.Neighbours {
		if !n.Before { // those are among what is not enforced
			fmt.Fprintf(out, "beside Sluice's programs at %s: %s\n", n.Interface, n.Occupant)
		}
	}
	for _, w := range s.Waiting {
		held := ""
		if w.Held {
			held = " (held: what it sends is dropped)"
		}
		fmt.Fprintf(out, "waiting for %s: %s%s\n", w.Interface, w.Reason, held)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ENDPOINT\tTENANT\tWEIGHT\tGUARANTEE Mbit/s\tPORT\tLIMIT Mbit/s\tCE SHARE\tSENT bytes\tDROPPED\tBACKLOG bytes\tADDRESSES")
	for _, e := range s.Endpoints {
		for _, g := range e.Groups {
			name := string(g.Port)
			if name == "" {
				name = "(any other)"
			}
			if g.Held {
				name = "(held)"
			}
			if g.LeastPort != "" {
				name += " (share of " + string(g.LeastPort) + ")"
			}
			if g.Relayed {
				name += " (relayed)"
			}
			fmt.Fprintf(table, "%s\t%s\t%g\t%s\t%s\t%s\t%.2f\t%d\t%d\t%d\t%s\n", e.Interface, e.Tenant, e.Weight,
				mbps(e.GuaranteeBitsPerSecond), name, mbps(g.RateBitsPerSecond), g.CEShare, g.SentBytes, g.DroppedPackets, g.BacklogBytes, addresses(e))
		}
		if n := e.Neighbours; n.SentPackets > 0 {
			limit := "none"
			if n.RateBitsPerSecond > 0 {
				limit = mbps(n.RateBitsPerSecond)
			}
			fmt.Fprintf(table, "%s\t%s\t%g\t%s\t(this host)\t%s\t\t%d\t%d\t\t%s\n", e.Interface, e.Tenant, e.Weight,
				mbps(e.GuaranteeBitsPerSecond), limit, n.SentBytes, n.DroppedPackets, addresses(e))
		}
		if r := e.Residual; r.SentPackets+r.DroppedPackets > 0 {
			fmt.Fprintf(table, "%s\t%s\t%g\t%s\t(residual)\t%s\t\t%d\t%d\t\t%s\n", e.Interface, e.Tenant, e.Weight,
				mbps(e.GuaranteeBitsPerSecond), mbps(r.RateBitsPerSecond), r.SentBytes, r.DroppedPackets, addresses(e))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, e := range s.Endpoints {
		if len(e.Residual.PortsBeyond) > 0 {
			fmt.Fprintf(out, "%s cannot be controlled for %d more congested ports: what goes there is residual\n",
				e.Interface, len(e.Residual.PortsBeyond))
		}
		if e.SpoofedPackets+e.RoguePackets > 0 {
			fmt.Fprintf(out, "%s: dropped %d packets with an address or a MAC that is not its own, %d that only a router, "+
				"a DHCP server or a switch sends\n", e.Interface, e.SpoofedPackets, e.RoguePackets)
		}
		if e.RefusedConnections > 0 {
			fmt.Fprintf(out, "%s: refused %d attempts to connect to where too much is marked\n", e.Interface, e.RefusedConnections)
		}
		if l := e.Levels; l != nil && l.DemotedFlows > 0 {
			fmt.Fprintf(out, "%s: %d flows went to the last level early: the others carry half of a limit\n",
				e.Interface, l.DemotedFlows)
		}
	}
	return nil
}

// printHints shows what the host's own TCP was given.
func printHints(out io.Writer, h *tcphints.Status) {
	from := "none"
	if h.Node != "" {
		from = fmt.Sprintf("%d of controller %s", len(h.Hints), h.Node)
	}
	fmt.Fprintf(out, "TCP hints: %s, in %d of %d network namespaces, %d of %d cgroups\n",
		from, h.Namespaces, h.ConfiguredNamespaces, h.Cgroups, h.ConfiguredCgroups)
	for _, hint := range h.Hints {
		fmt.Fprintf(out, "  %d routes, %d cgroups: initial window %s, RTO_min %s, congestion control %s, rate %s\n",
			hint.Routes, hint.Cgroups,
			orOwn(hint.InitialWindowSegments > 0, hint.InitialWindowSegments),
			orOwn(hint.RtoMinNanos > 0, time.Duration(hint.RtoMinNanos)), orOwn(hint.CongestionControl != "", hint.CongestionControl),
			orOwn(hint.PacingBitsPerSecond > 0, fmt.Sprintf("%d bit/s", hint.PacingBitsPerSecond)))
	}
	for _, reason := range h.Refused {
		fmt.Fprintf(out, "  not in force: %s\n", reason)
	}
}

func orOwn(isHinted bool, value any) string {
	if !isHinted {
		return "as it was"
	}
	return fmt.Sprint(value)
}

func printCongestion(out io.Writer, o *congestion.Overview) {
	for _, c := range o.Controls {
		fmt.Fprintf(out, "congestion control %s: %d connections; marks: %d received, %d acknowledged; windows reduced %d times, "+
			"%d of them for losses\n", c.Name, c.Connections, c.ReceivedMarks, c.AcknowledgedMarks, c.Reductions, c.LossReductions)
	}
	for _, c := range o.Chosen {
		fmt.Fprintf(out, "network namespace %s uses %s, before %s\n", c.Namespace, c.Control, c.Before)
	}
	for _, r := range o.Routes {
		where := "the host's"
		if r.Namespace != "" {
			where = "network namespace " + r.Namespace + "'s"
		}
		fmt.Fprintf(out, "%d of %s routes name congestion controls\n", r.Routes, where)
	}
	for _, c := range o.Cgroups {
		fmt.Fprintf(out, "%d cgroups use %s\n", c.Cgroups, c.Control)
	}
	for _, condition := range o.Conditions {
		fmt.Fprintln(out, condition)
	}
}

// levelsLine shows the levels of a flow as it sends.
func levelsLine(l *agent.LevelsStatus) string {
	line := fmt.Sprintf("levels: DSCP %d", l.DSCP[0])
	for i, threshold := range l.ThresholdBytes {
		line += fmt.Sprintf(", from %d bytes on %d", threshold, l.DSCP[i+1])
	}
	if l.Decided {
		line += " (a controller's thresholds)"
	}
	line += fmt.Sprintf("; from the first again after %d ms idle", l.IdleMillis)
	if l.Sizes.Reported {
		line += fmt.Sprintf("; %d large flows tracked, %d refused", l.Sizes.LargeFlows, l.Sizes.RefusedFlows)
	}
	return line
}

func addresses(e endpoints.Status) string {
	if len(e.IPs)+len(e.RefusedIPs) == 0 {
		return "none known yet"
	}
	var words []string
	for _, ip := range e.IPs {
		if !slices.Contains(e.RefusedIPs, ip) {
			words = append(words, ip.String())
		}
	}
	for _, ip := range e.RefusedIPs {
		words = append(words, ip.String()+" (refused)")
	}
	return strings.Join(words, " ")
}

func printProbe(out io.Writer, found probed) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range found.Features {
		state := "yes"
		if !r.Present {
			state = "MISSING"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.Name, state, r.Detail)
		if r.Remedy != "" {
			fmt.Fprintf(table, "\t\t-> %s\n", r.Remedy)
		}
	}
	_ = table.Flush()
	for _, h := range found.Hooks {
		for _, o := range h.Occupants {
			fmt.Fprintf(out, "at %s: %s\n", h.Interface, o)
		}
	}
}
