// Command events receives events, checks that they are genuine, and prints them:
//
//	PORT=9000 go run ./examples/events
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

	"temporal-payment-gateway/clients/go/payments"
)

func main() {
	log.SetFlags(0)
	settings, err := payments.Environment()
	var events *payments.EventReader
	var secrets string
	if err == nil {
		secrets, err = settings.Value("PAYMENTS_EVENTS_SECRETS")
	}
	if err == nil {
		events, err = payments.NewEventReader(secrets)
	}
	if err != nil {
		log.Print(err)
		os.Exit(2)
	}
	var taken sync.Map // keep them in your database: an event may come again
	handler := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		event, err := events.Read(body, request.Header)
		if err != nil {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		if _, again := taken.LoadOrStore(event.ID, true); !again {
			text, _ := json.Marshal(event)
			fmt.Println(string(text))
			if event.Payment != nil && payments.IsSold(*event.Payment) {
				log.Printf("order %s is sold: deliver it, once", event.Payment.OutTradeNo)
			}
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
