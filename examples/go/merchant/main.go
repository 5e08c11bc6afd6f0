// Command merchant is a merchant's backend in Go: it takes one task as JSON, prints the answer as JSON, and ends with 0; or it
// prints the failure and ends with 1. With --wait a payment's outcome follows.
//
//	go run ./merchant pay < ../orders/pix.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"temporal-payment-gateway/examples/go/payments"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: merchant pay|checkout|state|outcome|cancel|refund|refunds|account|banks [NUMBER] < REQUEST.json")
	}
	merchant, err := payments.Connect()
	if err != nil {
		log.Fatal(err)
	}
	defer merchant.Client.Close()
	answer, err := do(merchant, os.Args[1], append(os.Args, "")[2])
	var failure *payments.Error
	if errors.As(err, &failure) {
		print(payments.Object{"error": failure.Type, "message": failure.Message, "details": failure.Details})
		os.Exit(1)
	}
	if err != nil {
		log.Fatal(err)
	}
	print(answer)
}

func do(merchant *payments.Payments, task, number string) (payments.Object, error) {
	ctx := context.Background()
	switch task {
	case "pay":
		return merchant.Pay(ctx, request())
	case "checkout":
		return merchant.Checkout(ctx, request())
	case "state":
		return merchant.State(ctx, number)
	case "outcome":
		return merchant.Outcome(ctx, number)
	case "cancel":
		return merchant.Cancel(ctx, number)
	case "refund":
		return merchant.Refund(ctx, number, request())
	case "refunds":
		return merchant.Refunds(ctx, number)
	case "create-account":
		return merchant.CreateAccount(ctx, number, request())
	case "account":
		return merchant.Account(ctx, number)
	case "banks":
		return merchant.Banks(ctx, request())
	}
	return nil, fmt.Errorf("there is no task %q", task)
}

// request reads an order file, { kind, request }, or a bare request from standard input.
func request() payments.Object {
	var read payments.Object
	if err := json.NewDecoder(os.Stdin).Decode(&read); err != nil {
		log.Fatal("standard input must be JSON: ", err)
	}
	if inner, isFile := read["request"].(map[string]any); isFile {
		return inner
	}
	return read
}

func print(value payments.Object) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}
