module github.com/sluice-sdn/sluice/docs/monitoring/schema

go 1.26.0

require github.com/grafana/grafana-foundation-sdk/go v0.0.22
