// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

func names(view View) string {
	var all []string
	for _, each := range view.Interfaces {
		all = append(all, each.Name)
	}
	return fmt.Sprint(all)
}

func follow(t *testing.T, socket string) *Watcher {
	t.Helper()
	w := New(socket, "br-int")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return w
}

func addPort(o *testnet.OpenVSwitch, bridge, name, mac string) {
	o.Vsctl("add-port", bridge, name, "--", "set", "interface", name,
		"external_ids:iface-id=port-of-"+name, "external_ids:attached-mac="+mac)
}

func TestARealDatabaseIsFollowed(t *testing.T) {
	o := testnet.NewOpenVSwitch(t)
	w := follow(t, o.Socket())
	until := func(what string, holds func(View) bool) {
		t.Helper()
		testnet.Until(t, what, func() bool { return holds(w.View()) })
	}
	until("an answer without a bridge", func(v View) bool { return v.Complete && !v.HasBridge })
	o.Vsctl("add-br", "br-int")
	o.Vsctl("add-br", "br-ex")
	o.Vsctl("add-port", "br-int", "trunk")
	addPort(o, "br-int", "tap1", "02:00:00:00:00:01")
	addPort(o, "br-ex", "other", "02:00:00:00:00:09")
	until("one", func(v View) bool { return v.HasBridge && !v.Userspace && names(v) == "[tap1]" })
	addPort(o, "br-int", "tap2", "02:00:00:00:00:02")
	until("two", func(v View) bool { return names(v) == "[tap1 tap2]" })

	o.Vsctl("set", "interface", "tap2", "external_ids:ip_addresses=10.0.0.2/24")
	until("an address", func(v View) bool { return fmt.Sprint(v.Interfaces[1].IPs) == "[10.0.0.2]" })
	o.Vsctl("set", "interface", "tap2", "external_ids:attached-mac=nonsense")
	until("a problem", func(v View) bool { return strings.Contains(v.Interfaces[1].Problem, "nonsense") })
	o.Vsctl("set", "interface", "tap2", "external_ids:attached-mac=02:00:00:00:00:02")
	o.Vsctl("--", "add-port", "br-int", "pod", "--", "set", "port", "pod", "external_ids:attached-mac=02:00:00:00:00:03", "external_ids:ip-address=10.0.0.3")
	until("one that its port describes", func(v View) bool {
		return names(v) == "[pod tap1 tap2]" && fmt.Sprint(v.Interfaces[0].MAC, v.Interfaces[0].IPs) == "02:00:00:00:00:03 [10.0.0.3]"
	})
	o.Vsctl("del-port", "pod")
	for _, c := range []struct{ columns, vlans string }{
		{"trunks=20,10", "[10 20]"},
		{"trunks=10", "[10]"},
		{"vlan_mode=native-untagged tag=5 trunks=10", "[0 10]"},
		{"vlan_mode=trunk tag=5 trunks=0,10", "[0 10]"},
		{"tag=5 trunks=10", "[]"},
		{"vlan_mode=access tag=5 trunks=10", "[]"},
		{"tag=5", "[]"},
	} {
		o.Vsctl(append(strings.Fields("-- clear port tap1 vlan_mode tag trunks -- set port tap1"), strings.Fields(c.columns)...)...)
		until(c.columns, func(v View) bool { return fmt.Sprint(v.Interfaces[0].Trunks) == c.vlans })
	}
	o.Vsctl("set", "bridge", "br-int", "datapath_type=netdev")
	until("the userspace datapath", func(v View) bool { return v.Userspace })
	o.Vsctl("remove", "interface", "tap1", "external_ids", "iface-id", "--", "remove", "interface", "tap1", "external_ids", "attached-mac")
	until("one that is nobody's now", func(v View) bool { return names(v) == "[tap2]" })
	o.Vsctl("--", "del-port", "tap2", "--", "add-port", "br-int", "tap3", "--", "set", "interface", "tap3",
		"external_ids:iface-id=p", "external_ids:attached-mac=02:00:00:00:00:02")
	until("another name", func(v View) bool { return names(v) == "[tap3]" })
}

func TestALostConnectionIsReestablished(t *testing.T) {
	o := testnet.NewOpenVSwitch(t)
	o.Vsctl("add-br", "br-int")
	addPort(o, "br-int", "tap1", "02:00:00:00:00:01")
	addPort(o, "br-int", "tap2", "02:00:00:00:00:02")
	w := follow(t, o.Socket())
	testnet.Until(t, "two", func() bool { return names(w.View()) == "[tap1 tap2]" })
	o.StopServer()
	testnet.Until(t, "the fault is reported and the last view stays", func() bool {
		v := w.View()
		return v.Fault != "" && names(v) == "[tap1 tap2]"
	})
	o.StartServer()
	o.Vsctl("del-port", "tap1")
	testnet.Until(t, "what went meanwhile is gone", func() bool {
		v := w.View()
		return v.Fault == "" && names(v) == "[tap2]"
	})
}

// TestTheServersEchoIsAnswered, byte for byte, and a refusal is reported.
func TestTheServersEchoIsAnswered(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	w := follow(t, socket)
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	buffer := make([]byte, 4096)
	n, err := conn.Read(buffer)
	if err != nil || !strings.Contains(string(buffer[:n]), `"method":"monitor"`) {
		t.Fatalf("%s (%v), want a request to monitor", buffer[:n], err)
	}
	if _, err := conn.Write([]byte(`{"id":"echo","method":"echo","params":["x"]}`)); err != nil {
		t.Fatal(err)
	}
	n, err = conn.Read(buffer)
	if want := `{"result":["x"],"error":null,"id":"echo"}`; err != nil || string(buffer[:n]) != want {
		t.Errorf("%s (%v), want %s", buffer[:n], err, want)
	}
	if _, err := conn.Write([]byte(`{"id":"sluice","result":null,"error":{"error":"unknown database"}}`)); err != nil {
		t.Fatal(err)
	}
	testnet.Until(t, "the refusal is reported", func() bool { return strings.Contains(w.View().Fault, "unknown database") })
}
