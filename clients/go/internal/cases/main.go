// Command cases makes the calls of the contract's cases (clients/cases.json): each is a line of JSON, and so is what it prints of it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"

	"temporal-payment-gateway/clients/go/payments"
	"temporal-payment-gateway/clients/go/paymentstest"
)

var ctx = context.Background()

type asked struct {
	Call   string
	Number string
	Order  json.RawMessage
	Refund *struct {
		Amount       string
		OutRequestNo string `json:"out_request_no"`
	}
	Request payments.Object
	State   payments.PaymentState
	Account payments.NewSpeiAccount
	Action  string
	Amount  string
	Secrets string
	Body    string
	Headers map[string]string
}

func main() {
	merchant, err := payments.Connect()
	if err != nil {
		log.Fatal(err)
	}
	defer merchant.Close()
	settings, err := payments.Environment()
	if err != nil {
		log.Fatal(err)
	}
	simulator, err := paymentstest.NewSimulator(settings)
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var one asked
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			log.Fatal(err)
		}
		answer, err := call(merchant, simulator, one)
		text, _ := json.Marshal(said(answer, err))
		fmt.Println(string(text))
	}
}

func call(p *payments.Payments, simulator *paymentstest.Simulator, one asked) (any, error) {
	switch one.Call {
	case "pay":
		var order payments.DirectPayment
		if err := json.Unmarshal(one.Order, &order); err != nil {
			return nil, err
		}
		return p.Pay(ctx, order)
	case "createCheckout":
		var order payments.Checkout
		if err := json.Unmarshal(one.Order, &order); err != nil {
			return nil, err
		}
		return p.CreateCheckout(ctx, order)
	case "state":
		return p.State(ctx, one.Number)
	case "outcome":
		return p.Outcome(ctx, one.Number)
	case "cancel":
		return p.Cancel(ctx, one.Number)
	case "refund":
		options := payments.RefundOptions{Amount: payments.All}
		if one.Refund != nil {
			options = payments.RefundOptions{Amount: one.Refund.Amount, OutRequestNo: one.Refund.OutRequestNo}
		}
		return p.Refund(ctx, one.Number, options)
	case "refunds":
		return p.Refunds(ctx, one.Number)
	case "isSold":
		return payments.IsSold(one.State), nil
	case "banks":
		return p.Banks(ctx, one.Request)
	case "installments":
		return p.Installments(ctx, one.Request)
	case "walletToken":
		return p.WalletToken(ctx, nil)
	case "accounts.create":
		return p.Accounts.Create(ctx, one.Account, one.Number)
	case "accounts.get":
		return p.Accounts.Get(ctx, one.Number)
	case "accounts.cancel":
		return p.Accounts.Cancel(ctx, one.Number)
	case "accounts.recheck":
		return p.Accounts.Recheck(ctx, one.Number)
	case "accounts.quantity":
		return p.Accounts.Quantity(ctx)
	case "simulator.act":
		return nil, simulator.Act(ctx, one.Number, one.Action)
	case "simulator.deposit":
		return nil, simulator.Deposit(ctx, one.Number, one.Amount)
	case "events.read":
		events, err := payments.NewEventReader(one.Secrets)
		if err != nil {
			return nil, err
		}
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		return events.Read([]byte(one.Body), header)
	case "types":
		return types(), nil
	}
	return nil, fmt.Errorf("no call %q", one.Call)
}

func said(answer any, err error) payments.Object {
	var failed *payments.Error
	var forged *payments.EventError
	switch {
	case errors.As(err, &failed):
		issues := []payments.Object{}
		for _, issue := range failed.Issues() {
			issues = append(issues, payments.Object{"field": issue.Field, "rule": issue.Rule})
		}
		return payments.Object{"error": payments.Object{
			"type": failed.Type, "because": failed.Because, "message": failed.Message, "retryable": failed.Retryable(),
			"fields": failed.Fields(), "issues": issues, "left": failed.Left(), "code": failed.Code(), "sub_code": failed.SubCode(),
		}}
	case errors.As(err, &forged):
		return payments.Object{"error": payments.Object{"type": "EventError", "message": forged.Message}}
	case err != nil:
		return payments.Object{"error": payments.Object{"type": "Temporal", "message": err.Error()}}
	}
	return payments.Object{"answer": answer}
}

// types are the fields of each type, to compare them with the schemas.
func types() map[string][]string {
	found := map[string][]string{}
	for _, one := range []any{
		payments.PaymentState{}, payments.Transition{}, payments.OtherTrade{}, payments.LatePaymentRefund{}, payments.OtherAmount{},
		payments.AfterSaleState{}, payments.Refund{}, payments.BankSaid{}, payments.SpeiAccountData{}, payments.SpeiAccountState{},
		payments.Deposits{}, payments.Deposit{}, payments.SetAsideDeposit{}, payments.UnseenEntry{}, payments.UnseenDeposit{}, payments.SpeiAccountQuantityState{},
		payments.Bank{}, payments.InstallmentPlan{}, payments.SaleInEvent{}, payments.Swept{}, payments.StuckPayment{},
	} {
		of := reflect.TypeOf(one)
		fields := []string{}
		for at := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(at).Tag.Get("json"), ",")
			fields = append(fields, name)
		}
		found[of.Name()] = fields
	}
	return found
}
