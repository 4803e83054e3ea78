// SPDX-License-Identifier: Apache-2.0

package flowsocket

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"time"
)

// Query sends a request to the agent behind path and returns its answer. A Problem is an error.
func Query(path string, request Request) (json.RawMessage, error) {
	connection, err := net.DialTimeout("unix", path, writeTimeout)
	if err != nil {
		return nil, fmt.Errorf("no host agent answers at %s (is it running, with this run directory?): %w", path, err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(2 * answerTimeout))
	if err := json.NewEncoder(connection).Encode(request); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(connection).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var problem Problem
	if err := json.Unmarshal(line, &problem); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if problem.Type != "" {
		return line, problem
	}
	return line, nil
}
