// SPDX-License-Identifier: Apache-2.0

package congestion

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/sluice-sdn/sluice/host-agent/internal/congestion/choice"
	"github.com/sluice-sdn/sluice/host-agent/internal/netspace"
)

// Settings are what is to be loaded and chosen.
type Settings struct {
	Controls     []string
	QueueBound   time.Duration
	Choices      []choice.Choice
	Routes       []choice.Route
	Cgroups      []choice.Cgroup
	RunDirectory string
	BPFDirectory string
	// goesWithin is how long the kernel may take to give a name up whose pin has been removed; 0: as long as it does.
	goesWithin time.Duration
}

// Record keeps what has been chosen where a successor, or a clean-up, finds it.
type Record interface {
	Chosen() []choice.Chosen
	// SetChosen is called before the change that it describes.
	SetChosen(chosen []choice.Chosen) error
}

// Keeper keeps the controls in the kernel, and the choices in force; one goroutine's.
type Keeper struct {
	settings Settings
	record   Record
	log      *slog.Logger
	controls *Controls // nil: none is loaded
	failure  error     // why not
	troubles map[string]string
	chooser  *chooser // nil: no route, nor cgroup, is chosen for
}

// Overview is what `sluice-agent status` shows.
type Overview struct {
	Controls []Status `json:"controls"`
	// Chosen are the choices in force.
	Chosen []choice.Chosen `json:"chosen"`
	// Routes are the network namespaces of which some route names a control.
	Routes []RouteStatus `json:"routes,omitempty"`
	// Cgroups are how many use which control.
	Cgroups []CgroupStatus `json:"cgroups,omitempty"`
	// Conditions are what is wrong.
	Conditions []string `json:"conditions,omitempty"`
}

// Start ends an earlier agent's choices and loads the controls. A kernel that cannot have them is no failure: an
// agent does everything else without.
func Start(settings Settings, record Record, log *slog.Logger) (*Keeper, error) {
	k := &Keeper{settings: settings, record: record, log: log, troubles: map[string]string{}}
	if err := k.restore(); err != nil {
		return nil, err
	}
	if len(settings.Controls) == 0 {
		return k, RemovePins(settings.BPFDirectory)
	}
	if k.controls, k.failure = Load(settings); k.failure != nil {
		log.Error("continues without congestion controls", "error", k.failure)
	} else if len(settings.Routes)+len(settings.Cgroups) > 0 {
		k.chooser = startChooser(settings)
	}
	k.Follow()
	return k, nil
}

// Follow puts choices into force whose namespace has come, or come anew.
func (k *Keeper) Follow() {
	if k == nil || k.controls == nil {
		return
	}
	for _, wanted := range k.settings.Choices {
		k.note(wanted.Namespace, k.follow(wanted))
	}
}

func (k *Keeper) follow(wanted choice.Choice) error {
	chosen := k.record.Chosen()
	at := slices.IndexFunc(chosen, func(c choice.Chosen) bool { return c.Namespace == wanted.Namespace })
	inode, err := netspace.InodeOf(wanted.Namespace)
	if err != nil || at >= 0 && chosen[at].Inode == inode {
		return err
	}
	found, err := choice.Read(wanted)
	if err != nil {
		return err
	}
	now := slices.Clone(chosen)
	if at >= 0 {
		if err := chosen[at].Restore(); err != nil { // the one that was at the path before
			return err
		}
		now[at] = found
	} else {
		now = append(now, found)
	}
	if err := k.record.SetChosen(now); err != nil {
		return err
	}
	if err := found.Put(); err != nil {
		return errors.Join(err, k.record.SetChosen(chosen))
	}
	return nil
}

// note logs what is wrong with a namespace once.
func (k *Keeper) note(namespace string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && k.troubles[namespace] != text {
		k.log.Warn("congestion control not chosen; tried again every second", "error", text)
	}
	k.troubles[namespace] = text
}

// Overview describes all; arrivedMarks came for endpoints of the host.
func (k *Keeper) Overview(arrivedMarks uint64) *Overview {
	if k == nil || len(k.settings.Controls) == 0 {
		return nil
	}
	o := &Overview{Controls: []Status{}, Chosen: append([]choice.Chosen{}, k.record.Chosen()...)}
	if k.failure != nil {
		o.Conditions = append(o.Conditions, k.failure.Error())
	} else {
		o.Controls = k.controls.Status()
	}
	for _, wanted := range k.settings.Choices {
		if text := k.troubles[wanted.Namespace]; text != "" {
			o.Conditions = append(o.Conditions, text)
		}
	}
	chosen := k.chooser.overview()
	o.Routes, o.Cgroups = chosen.routes, chosen.cgroups
	o.Conditions = append(o.Conditions, chosen.conditions...)
	o.Conditions = append(o.Conditions, marksConditions(o.Controls, arrivedMarks)...)
	return o
}

// marksConditions are about marks that do not come through.
func marksConditions(controls []Status, arrivedMarks uint64) []string {
	var conditions []string
	var connections, received uint64
	for _, s := range controls {
		connections += s.Connections
		received += s.ReceivedMarks
		if s.ConnectionsWithoutECN > 0 {
			conditions = append(conditions, fmt.Sprintf("%s: %d connections have not agreed on ECN, the last with %s, and use cubic: "+
				"both ends need the control, or net.ipv4.tcp_ecn=1, before they connect and listen",
				s.Name, s.ConnectionsWithoutECN, s.LastWithoutECN))
		}
	}
	if connections > 0 && arrivedMarks > 0 && received == 0 {
		conditions = append(conditions, fmt.Sprintf("%d packets for endpoints arrived with CE, and no connection received a mark: "+
			"with ecn: clear endpoints receive none, set ecn: preserve", arrivedMarks))
	}
	return conditions
}

// Close leaves all as it is, for a successor, but for routes and cgroups: as with hints.
func (k *Keeper) Close() error {
	if k == nil || k.controls == nil {
		return nil
	}
	controls, chooser := k.controls, k.chooser
	k.controls, k.chooser = nil, nil
	return errors.Join(chooser.close(), controls.Close())
}

// Remove ends the choices and takes the controls out of the kernel.
func (k *Keeper) Remove() error {
	if k == nil {
		return nil
	}
	chooser := k.chooser
	k.chooser = nil
	// First who names the controls, then these.
	return errors.Join(k.restore(), chooser.close(), RemovePins(k.settings.BPFDirectory), k.Close())
}

// restore has every namespace use what it had used before.
func (k *Keeper) restore() error {
	chosen := k.record.Chosen()
	if len(chosen) == 0 {
		return nil
	}
	if err := choice.RestoreAll(chosen); err != nil {
		return err
	}
	return k.record.SetChosen(nil)
}
