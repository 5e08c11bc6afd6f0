// Command merchant is a merchant's backend in Go: it takes one task as JSON, prints the answer or the failure as JSON, and ends
// with 0 (answered), 1 (refused), 2 (wrong input or settings: nothing was sent) or 3 (not known yet: run it again).
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

const usage = `usage: merchant pay|checkout|banks|installments|wallet-token < REQUEST.json
       merchant refund|create-account NUMBER < REQUEST.json
       merchant state|outcome|cancel|recheck|refunds|account|cancel-account NUMBER`

var ctx = context.Background()

// tasks are what it can do; number is the second word of the command line.
var tasks = map[string]func(merchant *payments.Payments, number string) (payments.Object, error){
	"pay":      func(m *payments.Payments, _ string) (payments.Object, error) { return pay(m) },
	"checkout": func(m *payments.Payments, _ string) (payments.Object, error) { return m.Checkout(ctx, request()) },
	"state":    func(m *payments.Payments, number string) (payments.Object, error) { return m.State(ctx, number) },
	"outcome":  func(m *payments.Payments, number string) (payments.Object, error) { return m.Outcome(ctx, number) },
	"cancel":   func(m *payments.Payments, number string) (payments.Object, error) { return m.Cancel(ctx, number) },
	"recheck":  func(m *payments.Payments, number string) (payments.Object, error) { return m.Recheck(ctx, number) },
	"refund": func(m *payments.Payments, number string) (payments.Object, error) {
		return m.Refund(ctx, number, request())
	},
	"refunds": func(m *payments.Payments, number string) (payments.Object, error) { return m.Refunds(ctx, number) },
	"create-account": func(m *payments.Payments, key string) (payments.Object, error) {
		return m.CreateAccount(ctx, key, request())
	},
	"account":        func(m *payments.Payments, id string) (payments.Object, error) { return m.Account(ctx, id) },
	"cancel-account": func(m *payments.Payments, id string) (payments.Object, error) { return m.CancelAccount(ctx, id) },
	"banks":          func(m *payments.Payments, _ string) (payments.Object, error) { return m.Banks(ctx, request()) },
	"installments":   func(m *payments.Payments, _ string) (payments.Object, error) { return m.Installments(ctx, request()) },
	"wallet-token": func(m *payments.Payments, _ string) (payments.Object, error) {
		token, err := m.WalletToken(ctx, request())
		return payments.Object{"client_token": token}, err
	},
}

// Exit codes of the failures; every other failure is a refusal.
var exitCodes = map[string]int{"InvalidRequest": 2, "ConfigError": 2, "PaymentPending": 3, "RefundPending": 3}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		wrongUse(usage)
	}
	answer, err := run(os.Args[1], append(os.Args, "")[2])
	var failure *payments.Error
	if errors.As(err, &failure) {
		print(payments.Object{"error": failure.Type, "message": failure.Message, "details": failure.Details})
		if code, isKnown := exitCodes[failure.Type]; isKnown {
			os.Exit(code)
		}
		os.Exit(1)
	}
	if err != nil {
		log.Print(err) // the error does not mean that the payment failed: it may go on
		os.Exit(3)
	}
	print(answer)
}

func run(task, number string) (payments.Object, error) {
	do, isKnown := tasks[task]
	if !isKnown {
		wrongUse(fmt.Sprintf("there is no task %q\n%s", task, usage))
	}
	merchant, err := payments.Connect()
	if err != nil {
		return nil, err
	}
	defer merchant.Client.Close()
	return do(merchant, number)
}

func wrongUse(message string) {
	log.Print(message)
	os.Exit(2)
}

// pay sends an order file, { kind, request }, as its kind says, or a bare request as a direct payment.
func pay(merchant *payments.Payments) (payments.Object, error) {
	file := standardInput()
	order := requestOf(file)
	if file["kind"] == "checkout" {
		return merchant.Checkout(ctx, order)
	}
	return merchant.Pay(ctx, order)
}

func request() payments.Object { return requestOf(standardInput()) }

// requestOf is the request in an order file, or the object itself.
func requestOf(file payments.Object) payments.Object {
	if inner, isFile := file["request"].(map[string]any); isFile {
		return inner
	}
	return file
}

func standardInput() (read payments.Object) {
	if err := json.NewDecoder(os.Stdin).Decode(&read); err != nil {
		wrongUse("standard input must be JSON: " + err.Error())
	}
	return read
}

func print(value payments.Object) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}
