// Package payments starts payments, refunds and virtual accounts from Go, by docs/contract.md and with Temporal's own SDK.
package payments

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-jose/go-jose/v4"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// Object is JSON as the gateway has it: docs/contract.md shows each. Amounts are decimal texts.
type Object = map[string]any

// Longer than the workflows wait for the gateway, so that they answer first if a worker runs.
const (
	createdTimeout = 45 * time.Second
	refundTimeout  = 75 * time.Second
)

const withoutKeys = "PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would store buyers’ data in clear text. " +
	"Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without one."

// Error says why there is no answer. Type is one of the failures of docs/contract.md; PaymentPending and RefundPending mean
// that the work goes on: ask again with the same request. ConfigError means that a setting is missing
// or wrong, and NotFound that Temporal knows nothing under the number.
type Error struct {
	Type    string
	Message string
	Details Object
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// leavesNoOrder: the number can be used again, with the same order or a mended one.
func (e *Error) leavesNoOrder() bool {
	return (e.Type == "NotCreated" || e.Type == "InvalidRequest") && e.Details["may_exist"] != true
}

// Payments are those of one gateway app.
type Payments struct {
	Client    client.Client
	AppID     string
	TaskQueue string
	// SealingKey is the worker's public key. Orders with a token or a PIN need it.
	SealingKey *jose.JSONWebKey
	namespace  string
	converter  converter.DataConverter
}

// Connect reads Temporal's own variables, GATEWAY_APP_ID, PAYMENTS_TASK_QUEUE, PAYMENTS_ENCRYPTION_KEYS and PAYMENTS_SEALING_PUBLIC_JWK.
// Without keys it fails, unless PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES is true.
func Connect() (*Payments, error) {
	appID := os.Getenv("GATEWAY_APP_ID")
	if appID == "" {
		return nil, &Error{Type: "ConfigError", Message: "Which app? Set GATEWAY_APP_ID."}
	}
	keys, err := KeysFromEnvironment()
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 && os.Getenv("PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES") != "true" {
		return nil, &Error{Type: "ConfigError", Message: withoutKeys}
	}
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		options.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), &Codec{Keys: keys})
		options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: options.DataConverter, EncodeCommonAttributes: true,
		})
	}
	dialed, err := client.Dial(options)
	if err != nil {
		return nil, err
	}
	p := &Payments{
		Client: dialed, AppID: appID, TaskQueue: os.Getenv("PAYMENTS_TASK_QUEUE"),
		namespace: options.Namespace, converter: options.DataConverter,
	}
	if p.namespace == "" {
		p.namespace = client.DefaultNamespace
	}
	if p.converter == nil {
		p.converter = converter.GetDefaultDataConverter()
	}
	if p.TaskQueue == "" {
		p.TaskQueue = "payments"
	}
	if jwk := os.Getenv("PAYMENTS_SEALING_PUBLIC_JWK"); jwk != "" {
		p.SealingKey = &jose.JSONWebKey{}
		err = json.Unmarshal([]byte(jwk), p.SealingKey)
	}
	return p, err
}

// Pay starts a direct payment and returns its payment data, such as qr_code. The same order again gets the same answer.
func (p *Payments) Pay(ctx context.Context, order Object) (Object, error) {
	request, err := p.sealed(order)
	if err != nil {
		return nil, err
	}
	return p.create(ctx, "direct", request)
}

// Checkout creates a page of the gateway, web_url, where the buyer chooses how to pay.
func (p *Payments) Checkout(ctx context.Context, order Object) (Object, error) {
	return p.create(ctx, "checkout", order)
}

func (p *Payments) create(ctx context.Context, kind string, request Object) (Object, error) {
	payment := Object{"kind": kind, "app_id": p.AppID, "request": request}
	return whileClosing(func() (Object, error) { return p.createOnce(ctx, fmt.Sprint(request["out_trade_no"]), payment) })
}

func (p *Payments) createOnce(ctx context.Context, number string, payment Object) (Object, error) {
	answer, err := p.startPayment(ctx, number, payment, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	var over *serviceerror.WorkflowExecutionAlreadyStarted
	if !errors.As(err, &over) {
		return answer, err
	}
	answer, err = p.createdBefore(ctx, number, payment)
	var failure *Error
	if errors.As(err, &failure) && failure.leavesNoOrder() {
		return p.startPayment(ctx, number, payment, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
	}
	return answer, err
}

func (p *Payments) startPayment(ctx context.Context, number string, payment Object, reuse enumspb.WorkflowIdReusePolicy) (Object, error) {
	return p.startWithUpdate(ctx, start{
		workflow: "payment", id: p.paymentID(number), input: payment, update: "created", argument: payment,
		reuse: reuse, timeout: createdTimeout,
	})
}

// createdBefore answers for a payment that is over, where it was the same order.
func (p *Payments) createdBefore(ctx context.Context, number string, payment Object) (Object, error) {
	var state struct {
		PaymentData Object `json:"payment_data"`
		TradeStatus string `json:"trade_status"`
		Outcome     string `json:"outcome"`
		ConfirmedBy string `json:"confirmed_by"`
	}
	if err := p.result(ctx, p.paymentID(number), &state); err != nil {
		return nil, err
	}
	made, err := p.original(ctx, number)
	if err != nil {
		return nil, err
	}
	if fields := differing(made, payment); made["kind"] != "adopt" && len(fields) > 0 {
		message := fmt.Sprintf("Order %s was made before with another request: %v differ.", number, fields)
		return nil, &Error{Type: "DifferentRequest", Message: message, Details: Object{"fields": fields}}
	}
	if state.PaymentData != nil {
		return state.PaymentData, nil
	}
	status := state.TradeStatus
	// A person may have ended it before the gateway had said anything.
	if state.ConfirmedBy == "operator" || status == "" {
		status = state.Outcome
	}
	return Object{"out_trade_no": number, "trade_status": status}, nil
}

// State is the payment's state now.
func (p *Payments) State(ctx context.Context, number string) (state Object, err error) {
	state, err = p.query(ctx, p.paymentID(number))
	if err != nil {
		return nil, err
	}
	return p.afterEnd(ctx, number, state)
}

// Outcome waits until the payment has ended, possibly for days, and returns its final state.
func (p *Payments) Outcome(ctx context.Context, number string) (state Object, err error) {
	if err = p.result(ctx, p.paymentID(number), &state); err != nil {
		return nil, err
	}
	return p.afterEnd(ctx, number, state)
}

// afterEnd is the payment as it is now, where it has ended and an after-sale follows it: late money, refunds, disputes.
func (p *Payments) afterEnd(ctx context.Context, number string, state Object) (Object, error) {
	sale, err := p.Refunds(ctx, number)
	var known *Error
	if errors.As(err, &known) && known.Type == "NotFound" {
		return state, nil
	}
	// Without an outcome it is of a run that made no order, and the number may be used again.
	if payment, ends := sale["payment"].(Object); ends && payment["outcome"] != nil {
		return payment, err
	}
	return state, err
}

// Cancel withdraws an order that was certainly not sent. It fails with NotCanceled where the gateway has it.
func (p *Payments) Cancel(ctx context.Context, number string) (Object, error) {
	return p.update(ctx, p.paymentID(number), "cancel")
}

// Recheck asks the gateway now and returns the state.
func (p *Payments) Recheck(ctx context.Context, number string) (Object, error) {
	return p.update(ctx, p.paymentID(number), "recheck")
}

// Resolve is a person's decision on how the payment ends: outcome, reason and who decided.
func (p *Payments) Resolve(ctx context.Context, number, outcome, reason, by string) (Object, error) {
	return p.update(ctx, p.paymentID(number), "resolve", Object{"outcome": outcome, "reason": reason, "by": by})
}

// Refund asks for a refund of all or a part. Its out_request_no is the idempotency key.
func (p *Payments) Refund(ctx context.Context, number string, refund Object) (Object, error) {
	return whileClosing(func() (Object, error) {
		return p.startWithUpdate(ctx, start{
			workflow: "afterSale", id: "after-sale:" + p.AppID + ":" + number, update: "refund", argument: refund,
			input: Object{"app_id": p.AppID, "out_trade_no": number},
			reuse: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, timeout: refundTimeout,
		})
	})
}

// whileClosing asks once more where the workflow was just ending, and took nothing: the same call starts another one.
func whileClosing(call func() (Object, error)) (Object, error) {
	for tries := 1; ; tries++ {
		answer, err := call()
		var failure *Error
		if !errors.As(err, &failure) || failure.Type != "Closing" || tries == 5 {
			return answer, err
		}
		time.Sleep(time.Second)
	}
}

// Refunds is the after-sale of an order: its refunds, their sums, disputes.
func (p *Payments) Refunds(ctx context.Context, number string) (Object, error) {
	return p.query(ctx, "after-sale:"+p.AppID+":"+number)
}

// CreateAccount gives the virtual account (SPEI) of your key. The same key always gets the same account.
func (p *Payments) CreateAccount(ctx context.Context, key string, request Object) (account Object, err error) {
	input := Object{"request": request}
	return account, p.run(ctx, "createSpeiAccount", "create-spei-account:"+p.AppID+":"+key, input,
		enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, &account)
}

// Account is the state of a virtual account, with its deposits.
func (p *Payments) Account(ctx context.Context, accountID string) (Object, error) {
	return p.query(ctx, "spei-account:"+p.AppID+":"+accountID)
}

// CancelAccount cancels a virtual account and waits for the gateway's word.
func (p *Payments) CancelAccount(ctx context.Context, accountID string) (Object, error) {
	return p.update(ctx, "spei-account:"+p.AppID+":"+accountID, "cancel")
}

// Banks are those of a method; an order names one by its bank_id.
func (p *Payments) Banks(ctx context.Context, request Object) (Object, error) {
	return p.ask(ctx, "bankList", Object{"request": request})
}

// Installments are the ways to pay an amount with a card in installments.
func (p *Payments) Installments(ctx context.Context, request Object) (Object, error) {
	return p.ask(ctx, "installments", Object{"request": request})
}

// WalletToken is a client token for a wallet's component in the buyer's browser. It is sealed on its way.
func (p *Payments) WalletToken(ctx context.Context, request Object) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	sealTo := jose.JSONWebKey{Key: &key.PublicKey, Use: "enc"}
	answer, err := p.ask(ctx, "walletToken", Object{"request": merged(request, nil), "seal_to": sealTo})
	if err != nil {
		return "", err
	}
	sealed, err := jose.ParseEncrypted(
		fmt.Sprint(answer["sealed"]), []jose.KeyAlgorithm{jose.ECDH_ES}, []jose.ContentEncryption{jose.A256GCM})
	if err != nil {
		return "", err
	}
	token, err := sealed.Decrypt(key)
	return string(token), err
}

func (p *Payments) ask(ctx context.Context, question string, input Object) (answer Object, err error) {
	text, _ := json.Marshal(input)
	id := fmt.Sprintf("lookup:%s:%s:%x", p.AppID, question, sha256.Sum256(text))
	return answer, p.run(ctx, question, id, input, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, &answer)
}
