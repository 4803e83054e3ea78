// SPDX-License-Identifier: Apache-2.0

package port

import (
	"errors"
	"sync"

	"github.com/cilium/ebpf"

	"github.com/sluice-sdn/sluice/host-agent/internal/mapped"
)

// pool has programs that no port uses at the moment, with and without levels: the verifier takes up to a second for
// those that are loaded anew. Their maps are emptied before the next port has them.
type pool struct {
	mu   sync.Mutex
	idle map[bool][]bpfObjects
	// used are those in use, by their map of the port: whether they are for levels.
	used map[*ebpf.Map]bool
}

var programs = &pool{idle: map[bool][]bpfObjects{}, used: map[*ebpf.Map]bool{}}

func (p *pool) load(objects *bpfObjects, levels bool) (source string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	source = BacklogFromQdisc
	if last := len(p.idle[levels]) - 1; last >= 0 {
		*objects = p.idle[levels][last]
		p.idle[levels] = p.idle[levels][:last]
		err = empty(objects)
	} else {
		source, err = anew{}.load(objects, levels)
	}
	if source == BacklogFromQdisc && err == nil {
		p.used[objects.Ports] = levels
	}
	return source, err
}

func (p *pool) unload(objects *bpfObjects) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	levels, ours := p.used[objects.Ports]
	if !ours {
		return objects.Close()
	}
	delete(p.used, objects.Ports)
	p.idle[levels] = append(p.idle[levels], *objects)
	return nil
}

// empty brings every map to what it was when it was made.
func empty(objects *bpfObjects) error {
	failures := []error{objects.Ports.Put(uint32(0), bpfPort{})}
	for _, each := range []*ebpf.Map{objects.Destinations, objects.Missing, objects.Stamps} {
		for {
			key, err := each.NextKeyBytes(nil)
			if err == nil && key != nil {
				err = each.Delete(key)
			}
			if err != nil || key == nil {
				failures = append(failures, err)
				break
			}
		}
	}
	ring, err := mapped.OpenRing(objects.Losses)
	if err == nil {
		for ring.Next() != nil {
		}
		err = ring.Close()
	}
	return errors.Join(append(failures, err)...)
}
