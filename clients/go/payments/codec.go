package payments

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

const (
	encoding  = "binary/encrypted"
	info      = "temporal-payment-gateway payload 1"
	saltBytes = 32
	keyBytes  = 32
)

var wrongKeys = &ConfigError{"PAYMENTS_ENCRYPTION_KEYS must be id:base64 of 32 bytes, several separated by commas, each id once"}

var keyForm = regexp.MustCompile(`^([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]{43}=)$`)

// Key encrypts payloads; its ID stands beside them in clear text.
type Key struct {
	ID    string
	Bytes []byte
}

// Codec encrypts payloads with AES-256-GCM, in the format of docs/contract.md. The first key encrypts, all of them decrypt. A
// payload is bound to its owner, which the SDK tells, and one of another owner is refused. So is clear text, unless AcceptsClearText.
type Codec struct {
	Keys  []Key
	Owner []string
	// AcceptsClearText: what was written before there were keys is read, too (PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT).
	AcceptsClearText bool
}

// keysOf reads PAYMENTS_ENCRYPTION_KEYS, or the file that PAYMENTS_ENCRYPTION_KEYS_FILE names. No message quotes a key.
func keysOf(settings Settings) (keys []Key, err error) {
	setting, err := settings.Value("PAYMENTS_ENCRYPTION_KEYS")
	if err != nil {
		return nil, err
	}
	for _, one := range words(setting) {
		found := keyForm.FindStringSubmatch(one)
		if found == nil || slices.ContainsFunc(keys, func(key Key) bool { return key.ID == found[1] }) {
			return nil, wrongKeys
		}
		bytes, err := base64.StdEncoding.DecodeString(found[2])
		if err != nil {
			return nil, wrongKeys
		}
		keys = append(keys, Key{ID: found[1], Bytes: bytes})
	}
	return keys, nil
}

// WithSerializationContext gives the codec for the payloads of one workflow or activity.
func (c *Codec) WithSerializationContext(context converter.SerializationContext) converter.PayloadCodec {
	switch of := context.(type) {
	case converter.WorkflowSerializationContext:
		return c.of(of.Namespace, of.WorkflowID)
	case converter.ActivitySerializationContext:
		return c.of(of.Namespace, of.WorkflowID, "activity", "")
	}
	return c
}

func (c *Codec) of(owner ...string) *Codec {
	return &Codec{Keys: c.Keys, Owner: owner, AcceptsClearText: c.AcceptsClearText}
}

// Encode encrypts every payload.
func (c *Codec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return each(payloads, c.encrypt)
}

// Decode decrypts every payload, and refuses clear text, unless AcceptsClearText, and what belongs to another owner.
func (c *Codec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return each(payloads, c.decrypt)
}

func each(payloads []*commonpb.Payload, do func(*commonpb.Payload) (*commonpb.Payload, error)) ([]*commonpb.Payload, error) {
	done := make([]*commonpb.Payload, len(payloads))
	for i, payload := range payloads {
		one, err := do(payload)
		if err != nil {
			return nil, err
		}
		done[i] = one
	}
	return done, nil
}

func (c *Codec) encrypt(payload *commonpb.Payload) (*commonpb.Payload, error) {
	clear, err := proto.Marshal(payload)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	key, owner := c.Keys[0], ownerText(c.Owner)
	aead, nonce, err := key.derived(salt)
	if err != nil {
		return nil, err
	}
	metadata := map[string][]byte{"encoding": []byte(encoding), "encryption-key-id": []byte(key.ID)}
	if len(c.Owner) > 0 {
		metadata["encryption-context"] = owner
	}
	return &commonpb.Payload{Metadata: metadata, Data: aead.Seal(salt, nonce, clear, authenticated(key.ID, owner))}, nil
}

func (c *Codec) decrypt(payload *commonpb.Payload) (*commonpb.Payload, error) {
	if string(payload.Metadata["encoding"]) != encoding {
		if c.AcceptsClearText {
			return payload, nil
		}
		return nil, fmt.Errorf("a payload is in clear text, which anybody could have put there")
	}
	id, owner := string(payload.Metadata["encryption-key-id"]), payload.Metadata["encryption-context"]
	if !c.mayRead(owner) {
		return nil, fmt.Errorf("a payload was made for another workflow, activity or namespace, and moved here")
	}
	for _, key := range c.Keys {
		if key.ID != id || len(payload.Data) < saltBytes {
			continue
		}
		aead, nonce, err := key.derived(payload.Data[:saltBytes])
		if err != nil {
			return nil, err
		}
		clear, err := aead.Open(nil, nonce, payload.Data[saltBytes:], authenticated(id, owner))
		if err != nil {
			return nil, fmt.Errorf("a payload was changed, or encrypted with another key of the name %q", id)
		}
		opened := &commonpb.Payload{}
		return opened, proto.Unmarshal(clear, opened)
	}
	return nil, fmt.Errorf("a payload was encrypted with the key %q, which PAYMENTS_ENCRYPTION_KEYS does not have", id)
}

// mayRead tells whether both name the same owner. What was typed in Temporal UI names the namespace alone.
func (c *Codec) mayRead(made []byte) bool {
	if len(c.Owner) == 0 {
		return true
	}
	var owner []string
	if json.Unmarshal(made, &owner) != nil || len(owner) == 0 || owner[0] != c.Owner[0] {
		return false
	}
	return len(owner) == 1 || owner[1] == c.Owner[1]
}

// derived is the key and the nonce of one payload.
func (k Key) derived(salt []byte) (cipher.AEAD, []byte, error) {
	bytes, err := hkdf.Key(sha256.New, k.Bytes, salt, info, keyBytes+12)
	if err != nil {
		return nil, nil, err
	}
	block, err := aes.NewCipher(bytes[:keyBytes])
	if err != nil {
		return nil, nil, err
	}
	aead, err := cipher.NewGCM(block)
	return aead, bytes[keyBytes:], err
}

func authenticated(id string, owner []byte) []byte {
	return append([]byte(id+"\n"), owner...)
}

// ownerText is JSON as every language writes it: without blanks, and without Go's escapes for HTML.
func ownerText(owner []string) []byte {
	if len(owner) == 0 {
		return nil
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(owner)
	return []byte(strings.TrimSuffix(text.String(), "\n"))
}
