package payments

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/go-jose/go-jose/v4"
	commonpb "go.temporal.io/api/common/v1"
)

type payload struct {
	Metadata map[string][]byte
	Data     []byte
}

func (p payload) message() *commonpb.Payload {
	return &commonpb.Payload{Metadata: p.Metadata, Data: p.Data}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../../vectors/" + file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEncryptionVectors(t *testing.T) {
	var file struct {
		Setting string
		Vectors []struct {
			Namespace        string
			WorkflowID       string `json:"workflow_id"`
			Clear, Encrypted payload
		}
	}
	read(t, "encryption.json", &file)
	keys, err := keysOf(Settings{"PAYMENTS_ENCRYPTION_KEYS": file.Setting})
	if err != nil || len(file.Vectors) == 0 {
		t.Fatal(err, len(file.Vectors))
	}
	for _, vector := range file.Vectors {
		codec := &Codec{Keys: keys, Owner: []string{vector.Namespace, vector.WorkflowID}}
		own, err := codec.Encode([]*commonpb.Payload{vector.Clear.message()})
		if err != nil {
			t.Fatal(err)
		}
		for _, encrypted := range append(own, vector.Encrypted.message()) {
			if context := string(encrypted.Metadata["encryption-context"]); context != string(vector.Encrypted.Metadata["encryption-context"]) {
				t.Errorf("the context is %s", context)
			}
			opened, err := codec.Decode([]*commonpb.Payload{encrypted})
			if err != nil || string(opened[0].Data) != string(vector.Clear.Data) {
				t.Errorf("%s: %v %v", vector.WorkflowID, opened, err)
			}
		}
		other := &Codec{Keys: keys, Owner: []string{vector.Namespace, "payment:demo-app:another"}}
		if _, err := other.Decode([]*commonpb.Payload{vector.Encrypted.message()}); err == nil {
			t.Error("another workflow reads it")
		}
		if _, err := codec.Decode([]*commonpb.Payload{vector.Clear.message()}); err == nil {
			t.Error("clear text is taken")
		}
	}
}

func TestSealingVectors(t *testing.T) {
	var file struct {
		PrivateJWK jose.JSONWebKey `json:"private_jwk"`
		PublicJWK  jose.JSONWebKey `json:"public_jwk"`
		Vectors    []struct {
			AppID  string `json:"app_id"`
			Number string `json:"out_trade_no"`
			Secret string
			Sealed string
		}
	}
	read(t, "sealing.json", &file)
	for _, vector := range file.Vectors {
		own, err := Seal(vector.Secret, &file.PublicJWK, vector.AppID, vector.Number)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{own, vector.Sealed} {
			sealed, err := jose.ParseEncrypted(text, []jose.KeyAlgorithm{jose.ECDH_ES}, []jose.ContentEncryption{jose.A256GCM})
			if err != nil {
				t.Fatal(err)
			}
			opened, err := sealed.Decrypt(file.PrivateJWK)
			if err != nil || string(opened) != vector.Secret {
				t.Errorf("%s: %q %v", vector.Number, opened, err)
			}
			if apv := sealed.Header.ExtraHeaders["apv"]; apv != base64.RawURLEncoding.EncodeToString([]byte(vector.Number)) {
				t.Errorf("apv is %v", apv)
			}
		}
	}
}
