package payments

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/go-jose/go-jose/v4"
	josecipher "github.com/go-jose/go-jose/v4/cipher"
)

// Seal makes a compact JWE (ECDH-ES, A256GCM) that only the worker opens, and only for this app and order: apu and apv name
// them. go-jose derives the key; its Encrypter leaves apu and apv out of the derivation, so the JWE is put together here.
func Seal(secret string, key *jose.JSONWebKey, appID, number string) (string, error) {
	public, isEC := key.Key.(*ecdsa.PublicKey)
	if !isEC || public.Curve != elliptic.P256() {
		return "", errors.New("the sealing key must be a public JWK on P-256")
	}
	ephemeral, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(map[string]any{
		"alg": "ECDH-ES", "enc": "A256GCM", "kid": key.KeyID, "epk": jose.JSONWebKey{Key: &ephemeral.PublicKey},
		"apu": base64url([]byte(appID)), "apv": base64url([]byte(number)),
	})
	if err != nil {
		return "", err
	}
	// The party infos carry their length in four bytes, as RFC 7518 (4.6.2) says; go-jose adds it.
	shared := josecipher.DeriveECDHES("A256GCM", []byte(appID), []byte(number), ephemeral, public, 32)
	block, err := aes.NewCipher(shared)
	if err != nil {
		return "", err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	sealed := aead.Seal(nil, nonce, []byte(secret), []byte(base64url(header)))
	text, tag := sealed[:len(sealed)-aead.Overhead()], sealed[len(sealed)-aead.Overhead():]
	return base64url(header) + ".." + base64url(nonce) + "." + base64url(text) + "." + base64url(tag), nil
}

func base64url(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }
