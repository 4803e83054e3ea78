// SPDX-License-Identifier: Apache-2.0

package agent

// FlowsStatus is what the agent knows of connections while controllers want to know.
type FlowsStatus struct {
	Watching bool `json:"watching"`
	// Grants are for how many flows and patterns windows are granted.
	Grants int `json:"grants"`
	VoiceStatus
	Connections []ConnectionStatus `json:"connections"`
}

// ConnectionStatus is one connection in the direction in which the endpoint sends.
type ConnectionStatus struct {
	Flow                 string `json:"flow"`
	State                string `json:"state"`
	DeliveredBytes       uint64 `json:"deliveredBytes"`
	RoundTripMicros      int64  `json:"roundTripMicros"`
	LeastRoundTripMicros uint32 `json:"leastRoundTripMicros"`
	// WindowBytes is what is granted; absent: nothing is.
	WindowBytes  *uint32 `json:"windowBytes,omitempty"`
	ScaleUnknown bool    `json:"scaleUnknown,omitempty"`
}

func (a *Agent) flowsStatus() FlowsStatus {
	f := &a.flows
	s := FlowsStatus{Watching: f.watching, Grants: len(f.grants), VoiceStatus: f.voice.VoiceStatus, Connections: []ConnectionStatus{}}
	if !f.watching {
		return s
	}
	for c := range a.shim.Connections() {
		one := ConnectionStatus{
			Flow: c.Flow.String(), State: c.State.String(), DeliveredBytes: c.DeliveredBytes,
			RoundTripMicros: c.RoundTripNanos / 1000, LeastRoundTripMicros: c.LeastRoundTripMicros,
			ScaleUnknown: c.ScaleUnknown,
		}
		if c.Granted {
			bytes := c.Bytes
			one.WindowBytes = &bytes
		}
		s.Connections = append(s.Connections, one)
	}
	return s
}
