package message

import (
	"encoding/base64"
	"errors"
)

// imageTypes are the media types that all providers take.
var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// errImage says what an image must be.
var errImage = errors.New("an image is base64 data of type image/png, image/jpeg, image/gif or image/webp")

// Check refuses an image that a provider would refuse. It is for images that come in from outside: stored once, a bad
// one would stand in every later request of its session.
func (b Image) Check() error {
	if !imageTypes[b.MediaType] || b.Data == "" {
		return errImage
	}
	if _, err := base64.StdEncoding.DecodeString(b.Data); err != nil {
		return errImage
	}
	return nil
}

// IsImageType reports whether all providers take images of this media type.
func IsImageType(mediaType string) bool { return imageTypes[mediaType] }
