// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
)

// message is a JSON-RPC 1.0 request, notification or response (RFC 7047 section 4).
type message struct {
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
	ID     json.RawMessage `json:"id"`
}

// reply answers a request.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  any             `json:"error"`
	ID     json.RawMessage `json:"id"`
}

const (
	methodMonitor = "monitor"
	methodUpdate  = "update"
	methodEcho    = "echo"
)

// monitorID is the only request that is ever made of a connection.
const monitorID = `"sluice"`

// session is one connection to a database server.
type session struct {
	conn   net.Conn
	reader *json.Decoder
	budget *io.LimitedReader
}

func newSession(conn net.Conn) *session {
	budget := &io.LimitedReader{R: conn}
	return &session{conn: conn, reader: json.NewDecoder(budget), budget: budget}
}

// maxMessageBytes is far more than the interfaces of one host take.
const maxMessageBytes = 64 << 20

// monitor subscribes to the tables, now and after every change.
func (s *session) monitor(database string, tables map[string]monitored) error {
	params, err := json.Marshal([]any{database, json.RawMessage(monitorID), tables})
	if err != nil {
		return err
	}
	return s.send(message{Method: methodMonitor, Params: params, ID: json.RawMessage(monitorID)})
}

// monitored are the columns of a table to be reported.
type monitored struct {
	Columns []string `json:"columns"`
}

func (s *session) send(m any) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.conn.Write(text)
	return err
}

// next waits for the next change and returns it; it answers the server's own questions meanwhile.
func (s *session) next() (tableUpdates, error) {
	for {
		var m message
		s.budget.N = maxMessageBytes
		if err := s.reader.Decode(&m); err != nil {
			if s.budget.N <= 0 {
				return nil, fmt.Errorf("a message of more than %d bytes", maxMessageBytes)
			}
			if errors.Is(err, io.EOF) {
				return nil, errors.New("the server closed the connection")
			}
			return nil, err
		}
		switch {
		case m.Method == methodEcho:
			if err := s.send(reply{Result: m.Params, ID: m.ID}); err != nil {
				return nil, err
			}
		case m.Method == methodUpdate:
			return updateOf(m.Params)
		case m.Method == "" && string(m.ID) == monitorID:
			if len(m.Error) > 0 && !bytes.Equal(m.Error, []byte("null")) {
				return nil, fmt.Errorf("the server refuses to be monitored: %s", m.Error)
			}
			var updates tableUpdates
			err := json.Unmarshal(m.Result, &updates)
			return updates, err
		}
	}
}

// updateOf reads a notification: [monitor, table-updates].
func updateOf(params json.RawMessage) (tableUpdates, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(params, &parts); err != nil {
		return nil, err
	}
	if len(parts) != 2 {
		return nil, fmt.Errorf("an update of %d parts instead of 2", len(parts))
	}
	var updates tableUpdates
	err := json.Unmarshal(parts[1], &updates)
	return updates, err
}

// tableUpdates are changed rows by table and UUID.
type tableUpdates map[string]map[string]struct {
	// New is the row as it is; absent: it was deleted.
	New row `json:"new"`
}

// row is the monitored columns of a row.
type row map[string]json.RawMessage

// text is a column of type string; empty where it is absent or of another type.
func (r row) text(column string) string {
	var value string
	if json.Unmarshal(r[column], &value) != nil {
		return ""
	}
	return value
}

// references are the UUIDs in a column: ["uuid", X] or ["set", [["uuid", X], ...]].
func (r row) references(column string) []string {
	var tagged []json.RawMessage
	var tag, uuid string
	if json.Unmarshal(r[column], &tagged) != nil || len(tagged) != 2 || json.Unmarshal(tagged[0], &tag) != nil {
		return nil
	}
	if tag == "uuid" {
		if json.Unmarshal(tagged[1], &uuid) != nil {
			return nil
		}
		return []string{uuid}
	}
	var members [][2]string
	if tag != "set" || json.Unmarshal(tagged[1], &members) != nil {
		return nil
	}
	var uuids []string
	for _, member := range members {
		uuids = append(uuids, member[1])
	}
	return uuids
}

// numbers are the integers in a column: N or ["set", [N, ...]].
func (r row) numbers(column string) []uint16 {
	var number uint16
	if json.Unmarshal(r[column], &number) == nil {
		return []uint16{number}
	}
	var tagged []json.RawMessage
	var members []uint16
	if json.Unmarshal(r[column], &tagged) != nil || len(tagged) != 2 || json.Unmarshal(tagged[1], &members) != nil {
		return nil
	}
	return members
}

// strings is a column of strings by strings: ["map", [[K, V], ...]].
func (r row) strings(column string) map[string]string {
	var tagged []json.RawMessage
	var pairs [][2]string
	values := map[string]string{}
	if json.Unmarshal(r[column], &tagged) != nil || len(tagged) != 2 || json.Unmarshal(tagged[1], &pairs) != nil {
		return values
	}
	for _, pair := range pairs {
		values[pair[0]] = pair[1]
	}
	return values
}
