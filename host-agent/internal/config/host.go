// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/certificates"
	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// Host is the configuration of `sluice-agent run`.
type Host struct {
	Host        string             `yaml:"host"`
	Controllers []string           `yaml:"controllers"`
	TLS         certificates.Files `yaml:"tls"`
	Uplink      Uplink             `yaml:"uplink"`
	Endpoints   Sources            `yaml:"endpoints"`
	AntiSpoof   bool               `yaml:"antiSpoof"`
	// VLANs is what becomes of frames with a VLAN tag from VMs.
	VLANs string `yaml:"vlans"`
	// PortSecurity is what VMs may send that AntiSpoof drops otherwise, by interface.
	PortSecurity PortSecurity `yaml:"portSecurity"`
	ECN          string       `yaml:"ecn"`
	Enforcement  Switch       `yaml:"enforcement"`
	// ReceiverWindows lowers the windows that endpoints offer to many senders that begin at once.
	ReceiverWindows Switch `yaml:"receiverWindows"`
	// Law is what decides about limits where no controller does.
	Law string `yaml:"law"`
	// HyGenICC is how that law gets its marks back; nil: as by default.
	HyGenICC *HyGenICC `yaml:"hygenicc"`
	// Limiter is how limits are held.
	Limiter string `yaml:"limiter"`
	// System is the host's own traffic that is an endpoint; nil: none is.
	System *System `yaml:"system"`
	// Levels are DSCPs by how much a flow has sent; nil: VMs' own pass.
	Levels *Levels `yaml:"levels"`
	// TCPHints selects the TCP that controllers' hints apply to; nil: none.
	TCPHints *TCPHints `yaml:"tcpHints"`
	// CongestionControls are loaded into the kernel's TCP; empty: none.
	CongestionControls []string `yaml:"congestionControls"`
	// CongestionQueueBoundMicros is what full queues add to a round trip, for sluice_dadctcp.
	CongestionQueueBoundMicros int `yaml:"congestionQueueBoundMicros"`
	// CongestionNamespaces are network namespaces whose sockets use one of them, if they choose none themselves.
	CongestionNamespaces []choice.Choice `yaml:"congestionNamespaces"`
	// CongestionRoutes are destinations towards which connections use one of them.
	CongestionRoutes []choice.Route `yaml:"congestionRoutes"`
	// CongestionCgroups are cgroups whose connections use one of them.
	CongestionCgroups []choice.Cgroup `yaml:"congestionCgroups"`
	// ReplaceRootQdisc allows a foreign root qdisc on the uplink to be replaced; it is restored.
	ReplaceRootQdisc bool   `yaml:"replaceRootQdisc"`
	RunDirectory     string `yaml:"runDirectory"`
	BPFDirectory     string `yaml:"bpfDirectory"`
	LeaseMillis      int    `yaml:"leaseMillis"`
	// AfterLease is what becomes of limits and filters when the agent has died and its lease is over.
	AfterLease string `yaml:"afterLease"`
	TauMicros  int    `yaml:"tauMicros"`
	// ControlProtocol is the IP protocol number of the agents' own messages.
	ControlProtocol int `yaml:"controlProtocol"`
	// MetricsAddress is where Prometheus collects, HOST:PORT; empty: nowhere.
	MetricsAddress string `yaml:"metricsAddress"`
	TraceFile      string `yaml:"traceFile"`
}

// Uplink is the device towards the network.
type Uplink struct {
	Interface    string  `yaml:"interface"`
	CapacityMbps float64 `yaml:"capacityMbps"`
	// ReceiveCeilingMbps: more shall not arrive over it; 0: no limit.
	ReceiveCeilingMbps float64 `yaml:"receiveCeilingMbps"`
	// Through are the devices on top of the uplink by which endpoints reach it, where those are not
	// bridged with the uplink itself: of a VLAN, of a VXLAN.
	Through []string `yaml:"through"`
}

// Towards are the devices by which packets come from the network to endpoints.
func (u Uplink) Towards() []string {
	if len(u.Through) == 0 {
		return []string{u.Interface}
	}
	return u.Through
}

// CapacityBitsPerSecond is the uplink's capacity.
func (u Uplink) CapacityBitsPerSecond() uint64 { return uint64(u.CapacityMbps * bitsPerMegabit) }

// ReceiveCeilingBitsPerSecond is what shall arrive over the uplink at most; 0: no limit.
func (u Uplink) ReceiveCeilingBitsPerSecond() uint64 {
	return uint64(u.ReceiveCeilingMbps * bitsPerMegabit)
}

// Sources are where the endpoints are found.
type Sources struct {
	Source string `yaml:"source"`
	// Bridge is the bridge that is meant with SourceBridge; empty: the uplink's.
	Bridge string           `yaml:"bridge"`
	Static []StaticEndpoint `yaml:"static"`
	OVSDB  OVSDB            `yaml:"ovsdb"`
	// LearnWithin are prefixes by interface, "*" for those not named: an address that an endpoint is seen
	// to use and that lies within is one that was written down.
	LearnWithin map[string][]string `yaml:"learnWithin"`
	// KubeletPods is the kubelet's read-only view of its pods, for their labels; empty: labels are not read.
	KubeletPods string `yaml:"kubeletPods"`
}

// anyInterface stands for those that are not named.
const anyInterface = "*"

// MayLearn reports whether an endpoint's learned address is as good as one that was written down.
func (s *Sources) MayLearn(networkInterface string, address netip.Addr) bool {
	within, named := s.LearnWithin[networkInterface]
	if !named {
		within = s.LearnWithin[anyInterface]
	}
	return slices.ContainsFunc(within, func(text string) bool {
		prefix, err := netip.ParsePrefix(text)
		return err == nil && prefix.Contains(address)
	})
}

// OVSDB is whose database names the endpoints, with SourceOVSDB.
type OVSDB struct {
	Socket string `yaml:"socket"`
	Bridge string `yaml:"bridge"`
}

// StaticEndpoint is an endpoint written down in the file.
type StaticEndpoint struct {
	Interface string `yaml:"interface"`
	// VLAN is the one in which the endpoint is where the interface is a trunk; 0: none.
	VLAN int      `yaml:"vlan"`
	MAC  string   `yaml:"mac"`
	IPs  []string `yaml:"ips"`
}

// name is what the endpoint is called.
func (e StaticEndpoint) name() string { return model.NameInVLAN(e.Interface, uint16(e.VLAN)) }

// Values of the enumerated fields.
const (
	SourceStatic = "static"
	SourceBridge = "bridge"
	SourceOVSDB  = "ovsdb"
	ECNClear     = "clear"
	ECNPreserve  = "preserve"
	VLANsDrop    = "drop"
	VLANsPass    = "pass"
	// AfterLeaseHold leaves limits and filters as they are, AfterLeaseOpen lets everything pass.
	AfterLeaseHold = "hold"
	AfterLeaseOpen = "open"
	// LimiterShape delays what exceeds a limit, LimiterPolice drops it.
	LimiterShape  = "shape"
	LimiterPolice = "police"
	// LawSluice is Sluice's own, or what a controller chooses instead.
	LawSluice   = "sluice"
	LawHyGenICC = "hygenicc"
)

// Defaults of endpoints.ovsdb.
const (
	defaultSocket = "/var/run/openvswitch/db.sock"
	defaultBridge = "br-int"
)

const (
	bitsPerMegabit = 1e6
	minMbps        = 0.1
	maxMbps        = 400_000
	maxEndpoints   = 1023
	maxAddresses   = 8
	maxThrough     = 8
	maxVLAN        = 4094
	// experimental protocol number, RFC 3692
	defaultControlProtocol = 253
)

// Switch is a YAML on or off; true and false are understood too.
type Switch bool

var errSwitch = errors.New("must be on or off")

// UnmarshalText reads on, off, true, false.
func (s *Switch) UnmarshalText(text []byte) error {
	switch string(text) {
	case "on", "true":
		*s = true
	case "off", "false":
		*s = false
	default:
		return errSwitch
	}
	return nil
}

// LoadHost reads and checks a host's configuration.
func LoadHost(file string) (Host, error) {
	text, err := read(file)
	if err != nil {
		return Host{}, err
	}
	return parseHost(file, text)
}

func parseHost(file string, text []byte) (Host, error) {
	h := Host{
		AntiSpoof: true, VLANs: VLANsDrop, ECN: ECNClear, Enforcement: true, ReceiverWindows: true, Limiter: LimiterShape, Law: LawSluice,
		Endpoints:    Sources{Source: SourceStatic},
		RunDirectory: "/run/sluice", BPFDirectory: "/sys/fs/bpf/sluice",
		LeaseMillis: 5000, AfterLease: AfterLeaseHold, ControlProtocol: defaultControlProtocol,
		CongestionQueueBoundMicros: defaultQueueBoundMicros,
	}
	if err := decode(file, text, &h); err != nil {
		return Host{}, err
	}
	c := &checker{file: file}
	h.check(c)
	return h, c.result()
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func (h *Host) check(c *checker) {
	c.hostName(h.Host)
	c.link(h.Controllers, h.TLS)
	c.reportedName("uplink.interface", h.Uplink.Interface)
	c.rate("uplink.capacityMbps", h.Uplink.CapacityMbps)
	if h.Uplink.ReceiveCeilingMbps != 0 { // none is no mistake
		c.rate("uplink.receiveCeilingMbps", h.Uplink.ReceiveCeilingMbps)
	}
	h.checkThrough(c)
	h.Endpoints.check(c, h.Uplink)
	c.require(h.VLANs == VLANsDrop || h.VLANs == VLANsPass, "vlans", h.VLANs, "must be drop or pass")
	h.PortSecurity.check(c, h.Endpoints)
	c.require(h.ECN == ECNClear || h.ECN == ECNPreserve, "ecn", h.ECN, "must be clear or preserve")
	c.require(h.Limiter == LimiterShape || h.Limiter == LimiterPolice, "limiter", h.Limiter,
		"must be shape (delay what exceeds a limit) or police (drop it)")
	h.checkLaw(c)
	if h.System != nil {
		h.System.check(c)
	}
	if h.Levels != nil {
		h.Levels.complete(c)
	}
	if h.TCPHints != nil {
		h.TCPHints.check(c)
	}
	h.checkCongestion(c)
	for i, endpoint := range h.Endpoints.Static {
		c.require(!h.HasSystem(endpoint.name()), fmt.Sprintf("endpoints.static[%d].interface", i), endpoint.Interface,
			"is the name of the host's own traffic: rename the interface, or remove the section system")
	}
	c.directory("runDirectory", h.RunDirectory)
	c.bpfDirectory(h.BPFDirectory)
	c.require(h.LeaseMillis >= 100 && h.LeaseMillis <= 600_000, "leaseMillis", h.LeaseMillis,
		"must be between 100 and 600000")
	c.require(h.AfterLease == AfterLeaseHold || h.AfterLease == AfterLeaseOpen, "afterLease", h.AfterLease,
		"must be hold (limits stay in force without the agent) or open (they end leaseMillis after it has ended)")
	c.require(h.TauMicros == 0 || h.TauMicros >= 500 && h.TauMicros <= 1_000_000, "tauMicros", h.TauMicros,
		"must be 0 (derived from the round-trip time) or between 500 and 1000000")
	c.metricsAddress(h.MetricsAddress)
	c.require(h.ControlProtocol >= 143 && h.ControlProtocol <= 254, "controlProtocol", h.ControlProtocol,
		"must be an unassigned or experimental IP protocol number, 143 to 254")
}

func (c *checker) hostName(name string) {
	c.require(hostName.MatchString(name), "host", name,
		"must be a host name as in the certificate's sluice-host:NAME: letters, digits, dots, dashes, at most 63")
}

// link checks what the agent link needs; without controllers there is none.
func (c *checker) link(controllers []string, tls certificates.Files) {
	for i, address := range controllers {
		host, port, err := net.SplitHostPort(address)
		number, notNumber := strconv.ParseUint(port, 10, 16)
		c.require(err == nil && host != "" && notNumber == nil && number > 0, fmt.Sprintf("controllers[%d]", i), address,
			"must be HOST:PORT with a port from 1 to 65535, for example 10.9.0.1:6680")
	}
	if len(controllers) > 0 {
		const remedy = "is missing: the agent link needs it (or remove the controllers to run stand-alone)"
		c.require(tls.CA != "", "tls.ca", tls.CA, remedy)
		c.require(tls.Certificate != "", "tls.certificate", tls.Certificate, remedy)
		c.require(tls.Key != "", "tls.key", tls.Key, remedy)
	}
}

// metricsAddress must be chosen: nothing authenticates clients, so it is never every address of the host by mistake.
func (c *checker) metricsAddress(text string) {
	if text == "" {
		return
	}
	address, err := netip.ParseAddrPort(text)
	c.require(err == nil && address.Port() > 0 && !address.Addr().IsUnspecified(), "metricsAddress", text,
		"must be one address of this host and a port, for example 127.0.0.1:9631 or [::1]:9631")
}

func (c *checker) rate(field string, mbps float64) {
	if mbps == 0 {
		c.refuse(field, mbps, "is missing: virtual NICs misstate their speed, so it must be configured")
		return
	}
	c.require(mbps >= minMbps && mbps <= maxMbps, field, mbps, "must be between 0.1 and 400000 Mbit/s")
}

func (h *Host) checkThrough(c *checker) {
	const field = "uplink.through"
	c.require(len(h.Uplink.Through) <= maxThrough, field, len(h.Uplink.Through), "must name at most 8 devices")
	seen := map[string]bool{}
	for i, name := range h.Uplink.Through {
		item := fmt.Sprintf("%s[%d]", field, i)
		c.interfaceName(item, name)
		c.require(!seen[name], item, name, "is named twice: every device leads to the uplink once")
		seen[name] = true
	}
}

func (s *Sources) check(c *checker, uplink Uplink) {
	switch s.Source {
	case SourceStatic:
		s.checkStatic(c, uplink)
	case SourceBridge:
		if s.Bridge != "" {
			c.interfaceName("endpoints.bridge", s.Bridge)
		}
	case SourceOVSDB:
		s.OVSDB.complete(c)
	default:
		c.refuse("endpoints.source", s.Source,
			"is unknown: use static and list the endpoints, bridge to take all ports of the uplink's bridge, "+
				"or ovsdb to take those that Open vSwitch's database names")
	}
	c.require(s.Source == SourceStatic || len(s.Static) == 0, "endpoints.static", len(s.Static),
		"belongs to source: static: remove the list (other sources find the endpoints), or set endpoints.source to static")
	c.require(s.Source == SourceBridge || s.Bridge == "", "endpoints.bridge", s.Bridge,
		"belongs to source: bridge: remove it, or set endpoints.source to bridge")
	for _, name := range slices.Sorted(maps.Keys(s.LearnWithin)) {
		field := "endpoints.learnWithin." + name
		if name != anyInterface {
			c.endpointName(field, name)
		}
		for i, text := range s.LearnWithin[name] {
			_, err := netip.ParsePrefix(text)
			c.require(err == nil, fmt.Sprintf("%s[%d]", field, i), text,
				"must be a prefix, for example 10.1.0.0/24, in which addresses of the endpoint may be learned")
		}
	}
	c.require(s.Source != SourceStatic || len(s.LearnWithin) == 0, "endpoints.learnWithin", len(s.LearnWithin),
		"belongs to sources that learn addresses: remove it, or set endpoints.source to bridge or ovsdb")
	c.require(s.KubeletPods == "" || isLoopbackURL(s.KubeletPods), "endpoints.kubeletPods", s.KubeletPods,
		"must be the kubelet's read-only view on this host, http://127.0.0.1:10255/pods, or be left out: labels are not read then")
	c.require(s.Source == SourceOVSDB || s.OVSDB == OVSDB{}, "endpoints.ovsdb", s.OVSDB.Socket+s.OVSDB.Bridge,
		"belongs to source: ovsdb: remove it, or set endpoints.source to ovsdb")
}

// isLoopbackURL: what is read without credentials and encryption does not leave the host.
func isLoopbackURL(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "http" {
		return false
	}
	address, err := netip.ParseAddr(parsed.Hostname())
	return err == nil && address.IsLoopback()
}

// complete sets what is not written down, and checks the rest.
func (o *OVSDB) complete(c *checker) {
	if o.Socket == "" {
		o.Socket = defaultSocket
	}
	if o.Bridge == "" {
		o.Bridge = defaultBridge
	}
	c.require(filepath.IsAbs(o.Socket), "endpoints.ovsdb.socket", o.Socket,
		"must be the absolute path of ovsdb-server's unix socket, for example "+defaultSocket)
	c.interfaceName("endpoints.ovsdb.bridge", o.Bridge)
}

func (s *Sources) checkStatic(c *checker, uplink Uplink) {
	c.require(len(s.Static) > 0, "endpoints.static", "", "is empty: list at least one endpoint")
	c.require(len(s.Static) <= maxEndpoints, "endpoints.static", len(s.Static),
		"has more endpoints than one agent takes: at most 1023")
	towards, names := slices.Concat(uplink.Through, []string{uplink.Interface}), map[string]bool{}
	addresses := map[netip.Addr]bool{}
	for i, endpoint := range s.Static {
		field := fmt.Sprintf("endpoints.static[%d]", i)
		c.reportedName(field+".interface", endpoint.Interface)
		name := endpoint.name()
		c.require(!names[name] && !slices.Contains(towards, endpoint.Interface), field+".interface", name,
			"is used twice: every endpoint, and the uplink, has an interface of its own, or an endpoint a VLAN of one (INTERFACE.VLAN)")
		names[name] = true
		c.require(endpoint.VLAN >= 0 && endpoint.VLAN <= maxVLAN, field+".vlan", endpoint.VLAN,
			"must be between 1 and 4094, or left out for what has no tag")
		endpoint.check(c, field, addresses)
	}
}

func (e StaticEndpoint) check(c *checker, field string, seen map[netip.Addr]bool) {
	mac, err := net.ParseMAC(e.MAC)
	c.require(err == nil && len(mac) == 6 && mac[0]&1 == 0 && [6]byte(mac) != [6]byte{}, field+".mac", e.MAC,
		"must be a unicast MAC address, for example 02:00:00:00:01:01")
	c.require(len(e.IPs) > 0 && len(e.IPs) <= maxAddresses, field+".ips", e.IPs, "must list 1 to 8 addresses")
	for i, text := range e.IPs {
		name := fmt.Sprintf("%s.ips[%d]", field, i)
		address, err := netip.ParseAddr(text)
		address = address.Unmap()
		if err != nil || address.Zone() != "" || !isHosts(address) {
			c.refuse(name, text, "must be a unicast IPv4 or IPv6 address without prefix length or zone")
			continue
		}
		c.require(!seen[address], name, text, "is used twice: an address belongs to one endpoint, in whatever VLAN")
		seen[address] = true
	}
}

// isHosts reports whether one host on a network can have the address for itself.
func isHosts(address netip.Addr) bool {
	return !address.IsUnspecified() && !address.IsMulticast() && !address.IsLoopback() &&
		address != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// HoldsAfterLease reports whether limits stay as they are when the agent has died.
func (h Host) HoldsAfterLease() bool { return h.AfterLease == AfterLeaseHold }

// Lease is how long what an agent decided is up to date without it.
func (h Host) Lease() time.Duration { return time.Duration(h.LeaseMillis) * time.Millisecond }

// Tau is the host loop's period; 0: to be derived.
func (h Host) Tau() time.Duration { return time.Duration(h.TauMicros) * time.Microsecond }

// StaticEndpoints are the endpoints in the model's terms.
func (h Host) StaticEndpoints() []model.Endpoint {
	endpoints := make([]model.Endpoint, len(h.Endpoints.Static))
	for i, e := range h.Endpoints.Static {
		mac, _ := net.ParseMAC(e.MAC)
		endpoints[i] = model.Endpoint{Interface: e.name(), VLAN: uint16(e.VLAN), MAC: mac}
		for _, text := range e.IPs {
			endpoints[i].IPs = append(endpoints[i].IPs, netip.MustParseAddr(text).Unmap())
		}
	}
	return endpoints
}
