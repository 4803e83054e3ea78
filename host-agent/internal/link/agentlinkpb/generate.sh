#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Generates the agent link's Go code from its .proto into the directory given (default: here).
# Needs protoc (Debian: protobuf-compiler; or set PROTOC); the Go plugins are tools of this module.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
cd "$here"
if ! command -v "${PROTOC:=protoc}" > /dev/null; then
  echo "generate.sh: '$PROTOC' not found; install Debian's protobuf-compiler or set PROTOC" >&2
  exit 1
fi
module=github.com/sluice-sdn/sluice/host-agent/internal/link/agentlinkpb
"$PROTOC" -I ../../../../api/src/main/proto \
  --plugin=protoc-gen-go="$(go tool -n protoc-gen-go)" \
  --plugin=protoc-gen-go-grpc="$(go tool -n protoc-gen-go-grpc)" \
  --go_out="$out" --go_opt=module=$module \
  --go-grpc_out="$out" --go-grpc_opt=module=$module \
  sluice/agentlink/v1/agent_link.proto
