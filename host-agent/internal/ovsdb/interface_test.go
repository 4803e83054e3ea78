// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func rowOf(t *testing.T, externalIDs map[string]string) row {
	t.Helper()
	pairs := [][2]string{}
	for key, value := range externalIDs {
		pairs = append(pairs, [2]string{key, value})
	}
	text, err := json.Marshal([]any{"map", pairs})
	if err != nil {
		t.Fatal(err)
	}
	return row{"name": json.RawMessage(`"tap0"`), "type": json.RawMessage(`""`), "external_ids": text}
}

func TestAnInterfaceIsDescribed(t *testing.T) {
	for _, c := range []struct {
		name       string
		ids        map[string]string
		ofPort     map[string]string
		ips, wrong string
		pod        string
		notOurs    bool
		withoutMAC bool
	}{
		{name: "no workload's", ids: map[string]string{"other": "x"}, notOurs: true},
		{name: "as Nova has it", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "iface-status": "active", "vm-uuid": "u"}, ips: "[]"},
		{name: "as OVN-Kubernetes has it", ids: map[string]string{"iface-id": "ns_pod", "attached_mac": "02:00:00:00:01:01", "iface-id-ver": "u", "sandbox": "s", "ip_addresses": "10.0.0.1/24,fd00::1/64"}, pod: "ns/pod", ips: "[10.0.0.1 fd00::1]"},
		{name: "as OVN-Kubernetes had it", ids: map[string]string{"iface-id": "ns_pod", "attached_mac": "02:00:00:00:01:01", "ip_address": "10.0.0.1/24"}, ips: "[10.0.0.1]"},
		{name: "OVN-Kubernetes' own", ids: map[string]string{"iface-id": "k8s-node", "k8s.ovn.org/management-port-name": "ovn-k8s-mp0"}, notOurs: true},
		{name: "as Kube-OVN has it", ids: map[string]string{"iface-id": "pod.ns", "vendor": "kube-ovn", "pod_name": "pod", "pod_namespace": "ns", "pod_netns": "/var/run/netns/x", "ip": "10.0.0.1,fd00::1"}, pod: "ns/pod", ips: "[10.0.0.1 fd00::1]", withoutMAC: true},
		{name: "as Antrea has it", ofPort: map[string]string{"attached-mac": "02:00:00:00:01:01", "ip-address": "10.0.0.1,fd00::1", "container-id": "c", "pod-name": "pod", "pod-namespace": "ns", "antrea-type": "container"}, pod: "ns/pod", ips: "[10.0.0.1 fd00::1]"},
		{name: "Antrea's own", ofPort: map[string]string{"antrea-type": "uplink"}, notOurs: true},
		{name: "by both", ids: map[string]string{"attached-mac": "02:00:00:00:01:01"}, ofPort: map[string]string{"attached-mac": "02:00:00:00:01:02", "ip": "10.0.0.1"}, ips: "[10.0.0.1]"},
		{name: "with addresses", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "ip_addresses": "10.0.0.1/24, fd00::1 10.0.0.1"}, ips: "[10.0.0.1 fd00::1]"},
		{name: "with one address", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "ip": "10.0.0.1"}, ips: "[10.0.0.1]"},
		{name: "link-local is nobody's alone", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "ip": "fe80::1"}, ips: "[]"},
		{name: "no name", ids: map[string]string{"attached-mac": "02:00:00:00:01:01"}, ips: "[]"},
		{name: "no MAC", ids: map[string]string{"iface-id": "p1"}, ips: "[]", withoutMAC: true},
		{name: "half a MAC, as OVN-Kubernetes spells it", ids: map[string]string{"iface-id": "p1", "attached_mac": "02:00:00"}, wrong: `attached_mac "02:00:00" must`},
		{name: "half a MAC", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00"}, wrong: `attached-mac "02:00:00" must`},
		{name: "a group's MAC", ids: map[string]string{"iface-id": "p1", "attached-mac": "01:00:5e:00:00:01"}, wrong: "unicast"},
		{name: "no address", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "ip": "vm"}, wrong: `ip "vm" must list unicast addresses: "vm" is none`},
		{name: "a group's address", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "ip": "224.0.0.1"}, wrong: "224.0.0.1"},
		{name: "too many", ids: map[string]string{"iface-id": "p1", "attached-mac": "02:00:00:00:01:01", "ip_addresses": "1.0.0.1,1.0.0.2,1.0.0.3,1.0.0.4,1.0.0.5,1.0.0.6,1.0.0.7,1.0.0.8,1.0.0.9"}, wrong: "lists 9 addresses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			described, is := describe(rowOf(t, c.ids), c.ofPort)
			if is == c.notOurs {
				t.Fatalf("a virtual machine's: %v, want %v", is, !c.notOurs)
			}
			if c.notOurs {
				return
			}
			if pod := strings.Trim(described.Namespace+"/"+described.Pod, "/"); pod != c.pod {
				t.Errorf("of the pod %q, want %q", pod, c.pod)
			}
			if c.wrong != "" {
				if !strings.Contains(described.Problem, c.wrong) || described.IPs != nil {
					t.Errorf("%+v, want a problem with %q and no addresses", described, c.wrong)
				}
				return
			}
			mac := "02:00:00:00:01:01"
			if c.withoutMAC {
				mac = ""
			}
			if described.Problem != "" || described.Name != "tap0" || described.MAC.String() != mac || fmt.Sprint(described.IPs) != c.ips {
				t.Errorf("%+v, want tap0 with %s", described, c.ips)
			}
		})
	}
}

// FuzzUpdate: whatever the server sends, it is read or refused.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte(`{"Bridge":{"b":{"new":{"name":"br-int","datapath_type":"","ports":["uuid","p"]}}},"Port":{"p":{"new":{"interfaces":["set",[["uuid","i"]]]}}},"Interface":{"i":{"new":{"name":"tap0","external_ids":["map",[["iface-id","x"],["attached-mac","02:00:00:00:00:01"]]]}}}}`))
	f.Add([]byte(`{"Bridge":{"b":{"new":{"name":1,"ports":["set",[1,[2]]]}}}}`))
	f.Add([]byte(`{"Nowhere":{"x":{"new":{}}},"Port":{"p":{}}}`))
	f.Add([]byte(`{"Interface":{"i":{"new":{"external_ids":["map",[["a"]]]}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var updates tableUpdates
		if json.Unmarshal(text, &updates) != nil {
			return
		}
		w := New("", "br-int")
		w.take(updates, true)
		w.take(updates, false)
		for _, each := range w.View().Interfaces {
			if length := len(each.MAC); length != 0 && length != 6 {
				t.Errorf("%+v is taken with a MAC of %d bytes", each, length)
			}
		}
	})
}
