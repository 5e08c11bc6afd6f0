// Command merchant is a merchant's backend in Go: it starts the payment of an order file and prints what the buyer needs to pay, then
// the state, and with --wait how it ended.
//
//	go run ./examples/merchant ../../examples/orders/pix.json --wait
//
// It ends with 0 (sold, or started), 1 (not sold), 2 (wrong order or settings: nothing was sent) or 3 (not known yet: run it again).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"

	"temporal-payment-gateway/clients/go/payments"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Print("usage: merchant ORDER.json [--wait]")
		os.Exit(2)
	}
	code, err := sell(context.Background(), os.Args[1], slices.Contains(os.Args, "--wait"))
	var missing *payments.ConfigError
	var failed *payments.Error
	switch {
	case errors.As(err, &missing):
		show("error", "ConfigError", "message", missing.Message)
		os.Exit(2)
	case errors.As(err, &failed):
		show("error", failed.Type, "message", failed.Message, "details", failed.Details)
		os.Exit(map[string]int{"InvalidRequest": 1, "PaymentPending": 2}[failed.Type] + 1)
	case err != nil:
		log.Print(err) // the error does not mean that the payment failed: it may go on
		os.Exit(3)
	}
	os.Exit(code)
}

// sell pays the order; the same again gets the same answer. It returns the exit code.
func sell(ctx context.Context, file string, waits bool) (code int, err error) {
	var order struct{ Request payments.DirectPayment }
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &order)
	}
	if err != nil {
		return 1, &payments.ConfigError{Message: "The order file cannot be read: " + err.Error()}
	}
	merchant, err := payments.Connect()
	if err != nil {
		return 1, err
	}
	defer merchant.Close()
	data, err := merchant.Pay(ctx, order.Request)
	if err != nil {
		return 1, err
	}
	show("payment_data", data)
	state, err := merchant.State(ctx, order.Request.OutTradeNo)
	if err != nil {
		return 1, err
	}
	show("state", state)
	if !waits {
		return 0, nil
	}
	result, err := merchant.Outcome(ctx, order.Request.OutTradeNo)
	if err != nil {
		return 1, err
	}
	show("result", result)
	switch {
	case payments.IsSold(result):
		return 0, nil
	case result.Attention != "":
		return 3, nil // a person decides first
	}
	return 1, nil
}

// show prints names and values as a line of JSON.
func show(pairs ...any) {
	shown := payments.Object{}
	for at := 0; at < len(pairs); at += 2 {
		shown[fmt.Sprint(pairs[at])] = pairs[at+1]
	}
	text, _ := json.Marshal(shown)
	fmt.Println(string(text))
}
