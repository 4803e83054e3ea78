// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"reflect"
	"testing"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
	"github.com/sluice-sdn/sluice/host-agent/internal/testnet"
)

const noticeVectors = "../../../api/vectors/in-band/notices.json"

var noticeKey1 = model.NoticeKey{ID: 7, Key: bytes.Repeat([]byte{0x0b}, noticeKeyLength)}

func noticeDecoder(t testing.TB, node string, keys ...model.NoticeKey) *NoticeDecoder {
	t.Helper()
	d := NewNoticeDecoder(DefaultProtocol)
	for _, k := range keys {
		if err := d.AddKey(node, k); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// sampleNotice is a valid notice; its content does not matter to most tests.
func sampleNotice(sequence uint64) testnet.Notice {
	return testnet.Notice{
		Source: destinationVM, Destination: sourceVM, KeyID: noticeKey1.ID, Key: noticeKey1.Key,
		PortNumber: 5, Datapath: 1, PeriodMicros: 5000, Sequence: sequence, Term: 3,
		Marks: 2.5, Packets: 40, Share: 12_500_000, Capacity: 50_000_000, Destinations: []netip.Addr{destinationVM},
	}
}

func packetOf(n testnet.Notice) []byte { return n.Build(DefaultProtocol)[ethernetLength:] }

func (d *NoticeDecoder) take(n testnet.Notice) error {
	_, err := d.Decode(model.NoticesInBandV1, packetOf(n))
	return err
}

type noticeVector struct {
	Name, Source, Destination, Key, Port, Frame string
	Protocol                                    uint8
	KeyID                                       uint32
	PeriodNanos                                 int64
	Sequence, Term                              uint64
	Marks, Packets, EncodedMarks                float64
	ShareBitsPerSecond, CapacityBitsPerSecond   uint64
	Destinations                                []netip.Addr
}

func readNoticeVectors(t testing.TB) (v1, sdnGcc []noticeVector) {
	t.Helper()
	text, err := os.ReadFile(noticeVectors)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ V1, SdnGcc []noticeVector }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.V1) == 0 || len(file.SdnGcc) == 0 {
		t.Fatal("no vectors")
	}
	return file.V1, file.SdnGcc
}

func (v noticeVector) packet(t testing.TB) []byte {
	t.Helper()
	frame, err := hex.DecodeString(v.Frame)
	if err != nil {
		t.Fatal(err)
	}
	return frame[ethernetLength:]
}

// The controller's encoder is held to the same vectors.
func TestNoticeVectors(t *testing.T) {
	v1, sdnGcc := readNoticeVectors(t)
	for _, v := range v1 {
		key, err := hex.DecodeString(v.Key)
		if err != nil {
			t.Fatal(err)
		}
		d := NewNoticeDecoder(v.Protocol)
		if err := d.AddKey("n1", model.NoticeKey{ID: v.KeyID, Key: key}); err != nil {
			t.Fatal(err)
		}
		want := Notice{
			To: netip.MustParseAddr(v.Destination), From: netip.MustParseAddr(v.Source), Node: "n1",
			Content: model.Notice{
				Port: model.Port(v.Port), Marks: v.Marks, PeriodNanos: v.PeriodNanos,
				ShareBitsPerSecond: v.ShareBitsPerSecond, CapacityBitsPerSecond: v.CapacityBitsPerSecond,
				Destinations: v.Destinations, Packets: v.Packets,
			},
		}
		if got, err := d.Decode(model.NoticesInBandV1, v.packet(t)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", v.Name, got, err, want)
		}
		if !IsNotice(v.packet(t), v.Protocol) {
			t.Errorf("%s: not seen to be a notice", v.Name)
		}
	}
	for _, v := range sdnGcc {
		got, err := NewNoticeDecoder(v.Protocol).Decode(model.NoticesInBandSdnGcc, v.packet(t))
		want := Notice{
			To: netip.MustParseAddr(v.Destination), From: netip.MustParseAddr(v.Source), SdnGcc: true,
			Content: model.Notice{Marks: v.EncodedMarks},
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", v.Name, got, err, want)
		}
	}
}

// Whatever a controller may send is decoded as it was encoded.
func TestNoticesAreDecodedAsEncoded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	d := noticeDecoder(t, "n1", noticeKey1)
	for sequence := uint64(1); sequence <= 2000; sequence++ {
		n := sampleNotice(sequence)
		n.PortNumber = 1 + random.Uint32N(maxPortNumber)
		n.Datapath = random.Uint64()
		n.PeriodMicros = 1 + random.Uint32N(maxPeriodMicros)
		n.Marks, n.Packets = math.Exp(40*random.Float64()), random.Float64()
		n.Share, n.Capacity = random.Uint64N(maxRateBitsPerSecond+1), 1+random.Uint64N(maxRateBitsPerSecond)
		n.Destinations = nil
		for range 1 + random.IntN(8) {
			address := netip.AddrFrom4([4]byte{10, byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32())})
			if random.IntN(8) == 0 {
				address = netip.AddrFrom16([16]byte{0: 0xfd, 15: byte(1 + random.IntN(200))})
			}
			n.Destinations = append(n.Destinations, address)
		}
		got, err := d.Decode(model.NoticesInBandV1, packetOf(n))
		want := model.Notice{
			Port: joinPort(n.Datapath, n.PortNumber), Marks: n.Marks, PeriodNanos: int64(n.PeriodMicros) * 1000,
			ShareBitsPerSecond: n.Share, CapacityBitsPerSecond: n.Capacity, Destinations: n.Destinations, Packets: n.Packets,
		}
		if err != nil || !reflect.DeepEqual(got.Content, want) {
			t.Fatalf("got %+v, %v; want %+v", got.Content, err, want)
		}
	}
}

func TestEveryChangedBitOfANoticeIsRefused(t *testing.T) {
	for _, source := range []testnet.Notice{sampleNotice(9), func() testnet.Notice {
		n := sampleNotice(9)
		n.Source, n.Destination = netip.MustParseAddr("fd00::5"), netip.MustParseAddr("fd00::1")
		n.Destinations = []netip.Addr{n.Source, destinationVM}
		return n
	}()} {
		d, packet := noticeDecoder(t, "n1", noticeKey1), packetOf(source)
		for bit := range len(packet) * 8 {
			changed := bytes.Clone(packet)
			changed[bit/8] ^= 1 << (bit % 8)
			_, err := d.Decode(model.NoticesInBandV1, changed)
			// Nobody signs the first words of an IPv6 header and its hop limit; they carry nothing.
			unsigned := packet[0]>>4 == 6 && (bit < 4 || bit >= 8 && bit < 32 || bit/8 == 7)
			if err == nil && !unsigned {
				t.Errorf("accepted with bit %d of byte %d changed", bit%8, bit/8)
			} else if err == nil {
				d = noticeDecoder(t, "n1", noticeKey1)
			}
		}
		for length := range packet {
			if _, err := d.Decode(model.NoticesInBandV1, packet[:length]); err == nil {
				t.Errorf("accepted with %d bytes of %d", length, len(packet))
			}
		}
	}
}

func TestNoticesThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*testnet.Notice)
		want   error
	}{
		"unknown key":         {func(n *testnet.Notice) { n.KeyID = 8 }, ErrUnknownKey},
		"another's secret":    {func(n *testnet.Notice) { n.Key = bytes.Repeat([]byte{1}, noticeKeyLength) }, ErrForged},
		"no destination":      {func(n *testnet.Notice) { n.Destinations = nil }, ErrMalformed},
		"no port":             {func(n *testnet.Notice) { n.PortNumber = 0 }, ErrInconsistent},
		"a logical port":      {func(n *testnet.Notice) { n.PortNumber = 0xfffffffd }, ErrInconsistent},
		"no period":           {func(n *testnet.Notice) { n.PeriodMicros = 0 }, ErrInconsistent},
		"a period of hours":   {func(n *testnet.Notice) { n.PeriodMicros = math.MaxUint32 }, ErrInconsistent},
		"marks that are none": {func(n *testnet.Notice) { n.Marks = math.NaN() }, ErrInconsistent},
		"negative marks":      {func(n *testnet.Notice) { n.Marks = -1 }, ErrInconsistent},
		"endless packets":     {func(n *testnet.Notice) { n.Packets = math.Inf(1) }, ErrInconsistent},
		"no capacity":         {func(n *testnet.Notice) { n.Capacity = 0 }, ErrInconsistent},
		"a share of no port":  {func(n *testnet.Notice) { n.Share = maxRateBitsPerSecond + 1 }, ErrInconsistent},
		"to a group":          {func(n *testnet.Notice) { n.Destinations = []netip.Addr{netip.MustParseAddr("224.0.0.1")} }, ErrInconsistent},
		"33 destinations":     {func(n *testnet.Notice) { n.Destinations = make33() }, ErrMalformed},
	} {
		d, n := noticeDecoder(t, "n1", noticeKey1), sampleNotice(1)
		c.change(&n)
		if err := d.take(n); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err := d.take(sampleNotice(1)); err != nil {
			t.Errorf("%s: the right one after it: %v", name, err)
		}
	}
}

func make33() []netip.Addr {
	var all []netip.Addr
	for i := range byte(33) {
		all = append(all, netip.AddrFrom4([4]byte{10, 0, 1, i + 1}))
	}
	return all
}

// Each format is accepted only where the controller chose it.
func TestNoticesInAnUnexpectedForm(t *testing.T) {
	sdnGcc := testnet.InBand(destinationVM, sourceVM, DefaultProtocol, []byte{0, 9})[ethernetLength:]
	for _, c := range []struct {
		expected   model.NoticeTransport
		v1, sdnGcc error
	}{
		{model.NoticesByLink, ErrTransport, ErrTransport},
		{model.NoticesInBandV1, nil, ErrTransport},
		{model.NoticesInBandSdnGcc, ErrTransport, nil},
	} {
		d := noticeDecoder(t, "n1", noticeKey1)
		if _, err := d.Decode(c.expected, packetOf(sampleNotice(1))); !errors.Is(err, c.v1) {
			t.Errorf("%v: v1: %v, want %v", c.expected, err, c.v1)
		}
		if _, err := d.Decode(c.expected, sdnGcc); !errors.Is(err, c.sdnGcc) {
			t.Errorf("%v: sdn-gcc: %v, want %v", c.expected, err, c.sdnGcc)
		}
	}
}

func TestAgentsMessagesAreNoNotices(t *testing.T) {
	l := newLink(t)
	if IsNotice(l.encode(t, sample(1))[ethernetLength:], DefaultProtocol) {
		t.Error("feedback taken for a notice")
	}
	// A notice that gets among them is none of theirs.
	if _, err := l.decoder.DecodeFrame(1, sampleNotice(1).Build(DefaultProtocol)); !errors.Is(err, ErrMalformed) {
		t.Errorf("%v, want %v", err, ErrMalformed)
	}
}

func TestNoticesAreAcceptedOnceWithinTheWindow(t *testing.T) {
	d := noticeDecoder(t, "n1", noticeKey1)
	for _, c := range []struct {
		sequence uint64
		want     error
	}{
		{100, nil}, {100, ErrReplayed}, {102, nil}, {101, nil}, {101, ErrReplayed}, {100, ErrReplayed},
		{39, nil}, {38, ErrReplayed}, {39, ErrReplayed}, {500, nil}, {102, ErrReplayed}, {437, nil}, {436, ErrReplayed},
	} {
		if err := d.take(sampleNotice(c.sequence)); !errors.Is(err, c.want) {
			t.Errorf("sequence %d: %v, want %v", c.sequence, err, c.want)
		}
	}
}

// Under every order in which the network may deliver, each notice counts at most once, and one
// that is overtaken by fewer than 64 counts.
func TestTheWindowUnderReordering(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		d := noticeDecoder(t, "n1", noticeKey1)
		var order []uint64
		for sequence := uint64(1); sequence <= 300; sequence++ {
			order = append(order, sequence, sequence)
		}
		for i := range order {
			j := min(i+random.IntN(31), len(order)-1)
			order[i], order[j] = order[j], order[i]
		}
		accepted := map[uint64]int{}
		highest := uint64(0)
		for _, sequence := range order {
			err := d.take(sampleNotice(sequence))
			switch {
			case err == nil:
				accepted[sequence]++
			case highest < sequence+windowLength && accepted[sequence] == 0:
				t.Fatalf("sequence %d after %d refused: %v", sequence, highest, err)
			}
			highest = max(highest, sequence)
			if accepted[sequence] > 1 {
				t.Fatalf("sequence %d accepted twice", sequence)
			}
		}
	}
}

func TestThePreviousKeyIsAcceptedAfterARotation(t *testing.T) {
	second := model.NoticeKey{ID: 8, Key: bytes.Repeat([]byte{2}, noticeKeyLength)}
	third := model.NoticeKey{ID: 9, Key: bytes.Repeat([]byte{3}, noticeKeyLength)}
	d := noticeDecoder(t, "n1", noticeKey1)
	with := func(key model.NoticeKey, sequence uint64) error {
		n := sampleNotice(sequence)
		n.KeyID, n.Key = key.ID, key.Key
		return d.take(n)
	}
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	check("first key", with(noticeKey1, 5), nil)
	check("add", d.AddKey("n1", second), nil)
	check("first key, in flight", with(noticeKey1, 6), nil)
	check("first key, again", with(noticeKey1, 5), ErrReplayed)
	check("second key counts anew", with(second, 1), nil)
	check("second key, again", with(second, 1), ErrReplayed)
	check("added again", d.AddKey("n1", second), nil)
	check("second key, still", with(second, 1), ErrReplayed)
	check("add", d.AddKey("n1", third), nil)
	check("first key, two rotations on", with(noticeKey1, 7), ErrUnknownKey)
	check("second key", with(second, 2), nil)
	if err := d.AddKey("n1", model.NoticeKey{ID: 9, Key: second.Key}); err == nil {
		t.Error("another secret under a known id was taken")
	}
	if err := d.AddKey("n1", model.NoticeKey{ID: 10, Key: []byte{1}}); err == nil {
		t.Error("a short key was taken")
	}
}

func TestAKeyExpiresWithItsNodesLease(t *testing.T) {
	d := noticeDecoder(t, "n1", noticeKey1)
	// Another node may use the same id: ids are each node's own.
	other := model.NoticeKey{ID: noticeKey1.ID, Key: bytes.Repeat([]byte{4}, noticeKeyLength)}
	if err := d.AddKey("n2", other); err != nil {
		t.Fatal(err)
	}
	if err := d.take(sampleNotice(1)); err != nil {
		t.Fatal(err)
	}
	d.Forget("n1")
	if err := d.take(sampleNotice(2)); !errors.Is(err, ErrForged) {
		t.Errorf("after the lease: %v, want %v", err, ErrForged)
	}
	n := sampleNotice(1)
	n.Key = other.Key
	if got, err := d.Decode(model.NoticesInBandV1, packetOf(n)); err != nil || got.Node != "n2" {
		t.Errorf("the other node: %+v, %v", got, err)
	}
}

func TestNoticesOfEarlierTermsAreRefused(t *testing.T) {
	d := noticeDecoder(t, "n1", noticeKey1)
	for i, c := range []struct {
		term uint64
		port uint32
		want error
	}{{3, 5, nil}, {4, 5, nil}, {3, 5, ErrStale}, {3, 6, nil}, {4, 5, nil}} {
		n := sampleNotice(uint64(i + 1))
		n.Term, n.PortNumber = c.term, c.port
		if err := d.take(n); !errors.Is(err, c.want) {
			t.Errorf("%d: term %d of port %d: %v, want %v", i, c.term, c.port, err, c.want)
		}
	}
}

func FuzzDecodeNotice(f *testing.F) {
	v1, sdnGcc := readNoticeVectors(f)
	for _, v := range append(v1, sdnGcc...) {
		packet := v.packet(f)
		f.Add(packet)
		f.Add(packet[:len(packet)-1])
	}
	f.Fuzz(func(t *testing.T, packet []byte) {
		for _, expected := range []model.NoticeTransport{model.NoticesByLink, model.NoticesInBandV1, model.NoticesInBandSdnGcc} {
			got, err := noticeDecoder(t, "n1", noticeKey1).Decode(expected, packet)
			if err == nil && (expected == model.NoticesByLink || !got.SdnGcc && len(got.Content.Destinations) == 0) {
				t.Fatalf("accepted %+v", got)
			}
		}
		// Signed rightly, what is read must be what stands there.
		from, to, message, ok := parseIP(packet, DefaultProtocol)
		if !ok || len(message) < noticeHeadLength {
			return
		}
		width, ok := checkLength(message)
		if !ok {
			return
		}
		content, ok := decodeNotice(message, width)
		if !ok {
			return
		}
		_, number, _ := splitPort(content.Port)
		again := testnet.Notice{
			Source: from, Destination: to, Key: noticeKey1.Key, PortNumber: number,
			PeriodMicros: uint32(content.PeriodNanos / 1000), Marks: content.Marks, Packets: content.Packets,
			Share: content.ShareBitsPerSecond, Capacity: content.CapacityBitsPerSecond, Destinations: content.Destinations,
		}.Message(DefaultProtocol)
		if message[2] == again[2] && !bytes.Equal(again[noticeHeadLength:len(again)-authenticatorLength],
			message[noticeHeadLength:len(message)-authenticatorLength]) {
			t.Fatalf("read %+v from\n%x", content, message)
		}
	})
}
