// SPDX-License-Identifier: Apache-2.0

package metadata

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	podsTimeout  = 2 * time.Second
	maxPodsBytes = 64 << 20
	// maxLabels of a pod are reported, the first ones in order.
	maxLabels = 64
)

type pod struct{ namespace, name string }

// pods are the kubelet's, with their labels.
type pods struct {
	url    string
	labels map[pod]map[string]string
}

// read reads them anew; after an error they are what they were.
func (p *pods) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, podsTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the kubelet answers %s: set readOnlyPort in its configuration, or remove kubeletPods", answer.Status)
	}
	var list struct {
		Items []struct {
			Metadata struct {
				Namespace string            `json:"namespace"`
				Name      string            `json:"name"`
				Labels    map[string]string `json:"labels"`
			} `json:"metadata"`
		} `json:"items"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxPodsBytes)).Decode(&list); err != nil {
		return err
	}
	p.labels = make(map[pod]map[string]string, len(list.Items))
	for _, one := range list.Items {
		p.labels[pod{one.Metadata.Namespace, one.Metadata.Name}] = reported(one.Metadata.Labels)
	}
	return nil
}

// The forms of labels that an API server admits.
var (
	keyForm   = regexp.MustCompile(`^([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	valueForm = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$`)
)

// reported are those of labels that controllers take; static pods' are not admitted by any API server.
func reported(labels map[string]string) map[string]string {
	taken := map[string]string{}
	for _, key := range slices.SortedFunc(maps.Keys(labels), strings.Compare) {
		if len(taken) < maxLabels && keyForm.MatchString(key) && valueForm.MatchString(labels[key]) {
			taken[key] = labels[key]
		}
	}
	return taken
}
