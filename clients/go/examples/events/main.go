// Command events receives events, checks that they are genuine, and prints them:
//
//	PORT=9000 PAYMENTS_EVENTS_SECRETS=whsec_… go run ./events
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	secret := os.Getenv("PAYMENTS_EVENTS_SECRETS")
	if secret == "" {
		fmt.Fprintln(os.Stderr, "PAYMENTS_EVENTS_SECRETS is not set. It signs the events, and the worker has it; "+
			"with npm start it stands in .payments/dev.env.")
		os.Exit(2)
	}
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		log.Fatal("PAYMENTS_EVENTS_SECRETS must be whsec_ and base64: ", err)
	}
	var taken sync.Map // keep them in your database: an event may come again
	handler := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || webhook.Verify(body, request.Header) != nil {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(body, &event) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, again := taken.LoadOrStore(event.ID, true); !again {
			fmt.Println(string(body))
		}
		response.WriteHeader(http.StatusNoContent)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"port\":%d}\n", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(handler)))
}
