// SPDX-License-Identifier: Apache-2.0

package link

import (
	"unicode/utf8"

	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sluice-sdn/sluice/host-agent/internal/model"
)

// escapingCodec is gRPC's own, but sends texts escaped that are not UTF-8: those cannot be marshalled, and a message
// that cannot be sent ends the session.
type escapingCodec struct{ encoding.CodecV2 }

var codec = escapingCodec{encoding.GetCodecV2(grpcproto.Name)}

func (c escapingCodec) Marshal(v any) (mem.BufferSlice, error) {
	data, err := c.CodecV2.Marshal(v)
	message, is := v.(proto.Message)
	if err == nil || !is {
		return data, err
	}
	escaped := proto.Clone(message) // lists in it may be the agent's
	if err := protorange.Range(escaped.ProtoReflect(), escape); err != nil {
		return nil, err
	}
	return c.CodecV2.Marshal(escaped)
}

// escape replaces a value that is a text and not UTF-8.
func escape(path protopath.Values) error {
	value, within := path.Index(-1), path.Index(-2)
	text, is := value.Value.Interface().(string)
	if !is || utf8.ValidString(text) {
		return nil
	}
	replacement := protoreflect.ValueOfString(model.Escaped(text))
	if value.Step.Kind() == protopath.ListIndexStep {
		within.Value.List().Set(value.Step.ListIndex(), replacement)
	} else {
		within.Value.Message().Set(value.Step.FieldDescriptor(), replacement)
	}
	return nil
}
