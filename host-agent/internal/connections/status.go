// SPDX-License-Identifier: Apache-2.0

package connections

// Status is what is known of connections while controllers have them watched.
type Status struct {
	Watching bool `json:"watching"`
	// Grants are for how many flows and patterns windows are granted.
	Grants int `json:"grants"`
	Injected
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

// Status reads all connections.
func (c *Connections) Status() Status {
	s := Status{
		Watching: c.watching, Grants: len(c.windows.grants), Injected: c.injector.injected,
		Connections: []ConnectionStatus{},
	}
	if !c.watching {
		return s
	}
	for connection := range c.host.Shim.Connections() {
		one := ConnectionStatus{
			Flow: connection.Flow.String(), State: connection.State.String(), DeliveredBytes: connection.DeliveredBytes,
			RoundTripMicros: connection.RoundTripNanos / 1000, LeastRoundTripMicros: connection.LeastRoundTripMicros,
			ScaleUnknown: connection.ScaleUnknown,
		}
		if connection.Granted {
			bytes := connection.Bytes
			one.WindowBytes = &bytes
		}
		s.Connections = append(s.Connections, one)
	}
	return s
}
