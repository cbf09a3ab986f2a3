package message_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tidemark/internal/message"
)

func TestImage_Check(t *testing.T) {
	require.NoError(t, message.Image{MediaType: "image/png", Data: "aGk="}.Check())
	for name, bad := range map[string]message.Image{
		"no data":    {MediaType: "image/png"},
		"not base64": {MediaType: "image/png", Data: "!!"},
		"cut off":    {MediaType: "image/png", Data: "aGk"},
		"other type": {MediaType: "image/tiff", Data: "aGk="},
		"no type":    {Data: "aGk="},
	} {
		require.Error(t, bad.Check(), name)
	}
}
