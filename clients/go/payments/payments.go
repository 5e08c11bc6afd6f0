// Package payments has the payments of one gateway app, for a merchant's backend. docs/contract.md says what each call means.
package payments

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

const withoutKeys = "PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would store buyers’ data in clear text. " +
	"Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without one."

// Fields of an order that are sealed, so that only the worker can read them.
var secretFields = []string{"token", "account_verification_code"}

// The same order may be asked for with others of these: they tell how the buyer comes and goes.
var volatileFields = []string{"ip", "fingerprint", "language_code", "return_url", "notify_url"}

// Payments are those of one gateway app. An order's OutTradeNo is its key: the same order again gets the same answer.
type Payments struct {
	// Client is connected to Temporal, for workflows of your own.
	Client client.Client
	// Accounts are the virtual accounts (SPEI) of the app.
	Accounts   *Accounts
	workflows  *workflows
	sealingKey *jose.JSONWebKey
}

// Connect connects by the settings, or to the stack that `npm start` runs in this folder. It encrypts, and seals where they hold
// the key. It fails with a ConfigError where a setting is missing or wrong, and with a TemporalUnreachableError.
func Connect() (*Payments, error) {
	settings, err := Environment()
	if err != nil {
		return nil, err
	}
	return ConnectWith(settings)
}

// ConnectWith connects by these settings.
func ConnectWith(settings Settings) (*Payments, error) {
	appID := settings["GATEWAY_APP_ID"]
	if appID == "" {
		return nil, &ConfigError{"Which app? Set GATEWAY_APP_ID, or run payment-gateway dev in this folder first."}
	}
	keys, err := keysOf(settings)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 && settings["PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES"] != "true" {
		return nil, &ConfigError{withoutKeys}
	}
	var sealingKey *jose.JSONWebKey
	jwk, err := settings.Value("PAYMENTS_SEALING_PUBLIC_JWK")
	if err != nil {
		return nil, err
	}
	if jwk != "" {
		sealingKey = &jose.JSONWebKey{}
		if json.Unmarshal([]byte(jwk), sealingKey) != nil {
			return nil, &ConfigError{"PAYMENTS_SEALING_PUBLIC_JWK must be the worker’s public key, as JSON."}
		}
	}
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: settings})
	if err != nil {
		return nil, &ConfigError{"Temporal’s own settings (TEMPORAL_…) cannot be used: " + firstLineOf(err)}
	}
	if options.HostPort == "" {
		options.HostPort = client.DefaultHostPort
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	options.DataConverter = converter.GetDefaultDataConverter()
	if len(keys) > 0 {
		options.DataConverter = converter.NewCodecDataConverter(options.DataConverter, &Codec{
			Keys: keys, AcceptsClearText: settings["PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT"] == "true",
		})
		options.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: options.DataConverter, EncodeCommonAttributes: true,
		})
	}
	dialed, err := client.Dial(options)
	if err != nil {
		return nil, &TemporalUnreachableError{fmt.Sprintf("Temporal cannot be reached at %s (%s). "+
			"Run npx payment-gateway dev in this folder, or set TEMPORAL_ADDRESS.", options.HostPort, firstLineOf(err))}
	}
	taskQueue := settings["PAYMENTS_TASK_QUEUE"]
	if taskQueue == "" {
		taskQueue = "payments"
	}
	of := &workflows{
		client: dialed, appID: appID, taskQueue: taskQueue, namespace: options.Namespace, converter: options.DataConverter,
	}
	return &Payments{Client: dialed, Accounts: &Accounts{of}, workflows: of, sealingKey: sealingKey}, nil
}

// firstLineOf is what Temporal's SDK says. The lines after it may quote a key.
func firstLineOf(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Close closes the connection.
func (p *Payments) Close() { p.Client.Close() }

// Pay starts the payment and returns what the buyer needs to pay, such as QRCode. It fails with an Error: InvalidRequest and
// NotCreated, DuplicateOrder and DifferentRequest where there is no such order; PaymentPending: it goes on, call again.
func (p *Payments) Pay(ctx context.Context, order DirectPayment) (PaymentData, error) {
	request, err := p.sealed(order)
	if err != nil {
		return PaymentData{}, err
	}
	return p.create(ctx, "direct", request, fieldsOfMethod[strings.ToLower(order.Method)])
}

// CreateCheckout creates a page of the gateway, WebURL, where the buyer chooses how to pay. It fails as Pay does.
func (p *Payments) CreateCheckout(ctx context.Context, order Checkout) (PaymentData, error) {
	request, err := asObject(order)
	if err != nil {
		return PaymentData{}, err
	}
	return p.create(ctx, "checkout", request, []string{"web_url"})
}

// Cancel withdraws an order that was certainly not sent. It fails with NotCanceled where the gateway may have it.
func (p *Payments) Cancel(ctx context.Context, outTradeNo string) (state PaymentState, err error) {
	err = p.workflows.update(ctx, p.id(outTradeNo), "cancel", &state)
	var failed *Error
	if !errors.As(err, &failed) || failed.Type != "NotFound" {
		return state, err
	}
	soon, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	state, err = p.Outcome(soon, outTradeNo)
	if errors.As(err, &failed) && failed.Details["withdrawn"] == true {
		// A payment that has failed by itself fails as it did: a new start may send its order.
		return p.State(ctx, outTradeNo)
	}
	if err != nil {
		return state, err
	}
	message := fmt.Sprintf("Order %s cannot be withdrawn: its payment has ended as %s.", outTradeNo, state.Outcome)
	return state, failure("NotCanceled", message, Object{"outcome": state.Outcome, "trade_status": state.TradeStatus})
}

// Refund refunds a paid order: all that is left, or a part. OutRequestNo is the key: the same again gets the same answer. It fails with an
// Error: OverRefund, NotRefunded, DuplicateRefund, NotFound; PaymentPending: it goes on, call again.
func (p *Payments) Refund(ctx context.Context, outTradeNo string, refund RefundOptions) (answer RefundAnswer, err error) {
	asked, err := asObject(refund)
	if err != nil {
		return answer, err
	}
	switch refund.Amount {
	case All:
		delete(asked, "refund_amount")
	case "":
		rule := `must be a decimal as text, such as "30.00", or All`
		message := fmt.Sprintf("The refund of order %s was not sent: amount: %s", outTradeNo, rule)
		return answer, failure("InvalidRequest", message, Object{"issues": []any{Object{"field": "amount", "rule": rule}}})
	}
	err = whileClosing(ctx, func(int) error {
		return p.workflows.startWithUpdate(ctx, start{
			workflow: "afterSale", id: p.afterSale(outTradeNo), update: "refund", arguments: []any{asked},
			input: Object{"app_id": p.workflows.appID, "out_trade_no": outTradeNo},
			reuse: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, timeout: refundTimeout,
		}, &answer)
	})
	return answer, err
}

// Refunds is the after-sale of an order: its refunds, their sums, disputes; empty where there was nothing of that. It fails with NotFound
// where nobody knows the order.
func (p *Payments) Refunds(ctx context.Context, outTradeNo string) (AfterSaleState, error) {
	state, err := p.sale(ctx, outTradeNo)
	var failed *Error
	if !errors.As(err, &failed) || failed.Type != "NotFound" {
		return state, err
	}
	var payment PaymentState
	if err := p.workflows.state(ctx, p.id(outTradeNo), &payment); err != nil {
		return state, err
	}
	return emptyLedger(payment), nil
}

// sale is the state of the order's after-sale.
func (p *Payments) sale(ctx context.Context, outTradeNo string) (state AfterSaleState, err error) {
	err = p.workflows.state(ctx, p.afterSale(outTradeNo), &state)
	return state, err
}

// emptyLedger is that of an order without an after-sale: nothing was refunded, and the payment's state is all that is known.
func emptyLedger(payment PaymentState) AfterSaleState {
	ledger := AfterSaleState{
		AppID: payment.AppID, OutTradeNo: payment.OutTradeNo, TradeNo: payment.TradeNo, TradeStatus: payment.TradeStatus,
		Method: payment.Method, Attention: payment.Attention, AttentionSince: payment.AttentionSince, Taken: payment.Taken,
		RefundedAmount: "0.00", RefundingAmount: "0.00", RefundedElsewhere: "0.00",
		// It may have been refunded elsewhere before it was known here.
		LedgerComplete: payment.Attention != "refund-elsewhere",
		Refunds:        []Refund{}, OtherTrades: payment.OtherTrades, Claims: []Object{}, History: []Transition{},
	}
	if payment.Outcome != "" {
		ledger.Payment = &payment
	}
	if payment.Outcome == "SUCCESS" && payment.Mismatch == nil {
		ledger.OrderAmount, ledger.OrderCurrency = payment.OrderAmount, payment.OrderCurrency
	}
	return ledger
}

// Banks are those of a method; an order names one by its BankID. It fails with NotAnswered.
func (p *Payments) Banks(ctx context.Context, request Object) ([]Bank, error) {
	var answer struct{ Banks []Bank }
	err := p.ask(ctx, "bankList", Object{"request": request}, &answer)
	return answer.Banks, err
}

// Installments are the ways to pay an amount with a card in installments. It fails with NotAnswered.
func (p *Payments) Installments(ctx context.Context, request Object) ([]InstallmentPlan, error) {
	var answer struct{ Plans []InstallmentPlan }
	err := p.ask(ctx, "installments", Object{"request": request}, &answer)
	return answer.Plans, err
}

// WalletToken is a client token for a wallet's component in the buyer's browser, sealed on its way. It fails with NotAnswered.
func (p *Payments) WalletToken(ctx context.Context, request Object) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	if request == nil {
		request = Object{}
	}
	var answer struct{ Sealed string }
	sealTo := jose.JSONWebKey{Key: &key.PublicKey, Use: "enc"}
	if err := p.ask(ctx, "walletToken", Object{"request": request, "seal_to": sealTo}, &answer); err != nil {
		return "", err
	}
	sealed, err := jose.ParseEncrypted(answer.Sealed, []jose.KeyAlgorithm{jose.ECDH_ES}, []jose.ContentEncryption{jose.A256GCM})
	if err != nil {
		return "", err
	}
	token, err := sealed.Decrypt(key)
	return string(token), err
}

func (p *Payments) create(ctx context.Context, kind string, request Object, needed []string) (PaymentData, error) {
	asked := paymentInput{Kind: kind, AppID: p.workflows.appID, Request: request}
	var answer Object
	err := whileClosing(ctx, func(tries int) (err error) {
		answer, err = p.startOrAnswer(ctx, asked, tries)
		return err
	})
	if err != nil {
		return PaymentData{}, err
	}
	return dataOf(answer, needed)
}

func (p *Payments) startOrAnswer(ctx context.Context, asked paymentInput, tries int) (Object, error) {
	answer, err := p.createdNow(ctx, asked)
	if answer != nil || err != nil {
		return answer, err
	}
	// The proof that no run was before this one spares a look for it.
	first := asked
	first.FirstStartID = uuid.NewString()
	answer, err = p.start(ctx, first, tries, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	var over *serviceerror.WorkflowExecutionAlreadyStarted
	if !errors.As(err, &over) {
		return answer, err
	}
	answer, err = p.createdBefore(ctx, asked)
	var failed *Error
	if !errors.As(err, &failed) || !failed.leavesNoOrder() {
		return answer, err
	}
	// There is no order, so its number can be used again.
	answer, err = p.start(ctx, asked, tries, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY)
	if errors.As(err, &over) {
		return nil, noAnswer()
	}
	return answer, err
}

// start has one update id for all who send the same order at the same time. A run that was just ending keeps its id: each try has
// another.
func (p *Payments) start(
	ctx context.Context, input paymentInput, tries int, reuse enumspb.WorkflowIdReusePolicy,
) (answer Object, err error) {
	period := time.Now().Unix() / int64(sharedFor.Seconds())
	err = p.workflows.startWithUpdate(ctx, start{
		workflow: "payment", id: p.id(text(input.Request["out_trade_no"])), input: input,
		update: "created", arguments: []any{input}, reuse: reuse, timeout: answerTimeout,
		updateID: fmt.Sprintf("created:%d:%d:%s", period, tries, digest([]any{input.Kind, input.Request})),
	}, &answer)
	return answer, err
}

// createdNow answers for a payment that goes on, where it has payment data. It fails with DifferentRequest if the order was another one.
func (p *Payments) createdNow(ctx context.Context, asked paymentInput) (Object, error) {
	running, err := p.workflows.running(ctx, p.id(text(asked.Request["out_trade_no"])))
	if err != nil || running == nil || running.state.PaymentData == nil {
		return nil, err
	}
	// Whether a trade that was adopted without an order is this one, its run knows.
	made := running.input.order()
	if made == nil {
		return nil, nil
	}
	if err := checkSame(asked, *made, running.state); err != nil {
		return nil, err
	}
	return running.state.PaymentData, nil
}

// createdBefore answers for a payment that is over. It fails with DifferentRequest if the order was another one.
func (p *Payments) createdBefore(ctx context.Context, asked paymentInput) (Object, error) {
	number := text(asked.Request["out_trade_no"])
	var state PaymentState
	// Another run may go on under the number meanwhile, for days.
	ctx, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	if err := p.workflows.result(ctx, p.id(number), &state); err != nil {
		return nil, err
	}
	made, err := p.workflows.order(ctx, p.id(number), number)
	if err != nil {
		return nil, err
	}
	if err := checkSame(asked, made, state); err != nil {
		return nil, err
	}
	if state.PaymentData != nil {
		return state.PaymentData, nil
	}
	// Nothing proves that a trade which was found meanwhile is of this order.
	if state.ConfirmedBy == "operator" {
		return Object{"out_trade_no": number, "trade_status": state.Outcome, "recovered": false}, nil
	}
	answer := Object{"out_trade_no": number, "trade_no": state.TradeNo, "trade_status": state.TradeStatus, "recovered": false}
	if state.TradeStatus == "" {
		answer["trade_status"] = state.Outcome
	}
	if refused := state.RefusedBecause; refused != nil {
		answer["code"], answer["sub_code"] = refused.Code, refused.SubCode
	}
	return answer, nil
}

// ask is a question to the gateway. Those who ask the same at the same moment share it.
func (p *Payments) ask(ctx context.Context, question string, input Object, into any) error {
	id := fmt.Sprintf("lookup:%s:%s:%s", p.workflows.appID, question, digest(input))
	input["app_id"] = p.workflows.appID
	err := p.workflows.run(ctx, question, id, input, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, lookupLives, into)
	var failed *Error
	if errors.As(err, &failed) && failed.Type == "PaymentPending" {
		return &Error{Type: "NotAnswered", Message: failed.Message, Details: failed.Details, Because: "NotAnswered"}
	}
	return err
}

// sealed is the order with its secrets sealed: each is a compact JWE that names the app and the order.
func (p *Payments) sealed(order DirectPayment) (Object, error) {
	request, err := asObject(order)
	if err != nil {
		return nil, err
	}
	for _, name := range secretFields {
		secret := text(request[name])
		if secret == "" {
			continue
		}
		if p.sealingKey == nil {
			rule := "must be sealed: give the client the worker’s public key (PAYMENTS_SEALING_PUBLIC_JWK)"
			message := fmt.Sprintf("Order %s was not sent: %s %s", order.OutTradeNo, name, rule)
			return nil, failure("InvalidRequest", message, Object{"issues": []any{Object{"field": name, "rule": rule}}})
		}
		jwe, err := Seal(secret, p.sealingKey, p.workflows.appID, order.OutTradeNo)
		if err != nil {
			return nil, err
		}
		request[name] = Object{"sealed": jwe}
	}
	return request, nil
}

// checkSame fails with DifferentRequest, and what is known of the order that was made, if another one is asked for.
func checkSame(asked, made paymentInput, state PaymentState) error {
	fields := differing(made, asked)
	if len(fields) == 0 {
		return nil
	}
	number := text(asked.Request["out_trade_no"])
	message := fmt.Sprintf("Order %s exists with another request: %s. Nothing was sent now.", number, strings.Join(fields, ", "))
	details, _ := asObject(map[string]any{
		"fields": fields, "trade_no": state.TradeNo, "trade_status": state.TradeStatus,
		"order_amount": state.OrderAmount, "outcome": state.Outcome,
	})
	return failure("DifferentRequest", message, details)
}

// differing names the fields that make it another order, such as customer.name. Each seal of the same secret is another text.
func differing(made, asked paymentInput) []string {
	one, other := map[string]string{"kind": made.Kind}, map[string]string{"kind": asked.Kind}
	leaves(made.Request, "", one)
	leaves(asked.Request, "", other)
	fields := []string{}
	for _, names := range []map[string]string{one, other} {
		for name := range names {
			root, _, _ := strings.Cut(name, ".")
			if !slices.Contains(volatileFields, root) && !slices.Contains(fields, name) && !isSame(name, one, other) {
				fields = append(fields, name)
			}
		}
	}
	sort.Strings(fields)
	return fields
}

func isSame(name string, one, other map[string]string) bool {
	a, isInOne := one[name]
	b, isInOther := other[name]
	if !isInOne || !isInOther {
		return false
	}
	if name == "order_currency" {
		return strings.EqualFold(a, b)
	}
	if name != "order_amount" {
		return a == b
	}
	x, isNumber := new(big.Rat).SetString(a)
	y, isOtherNumber := new(big.Rat).SetString(b)
	return a == b || isNumber && isOtherNumber && x.Cmp(y) == 0
}

func leaves(value any, path string, into map[string]string) {
	inner := map[string]any{}
	switch found := value.(type) {
	case nil:
		return
	case Object:
		if _, isSealed := found["sealed"]; isSealed && len(found) == 1 {
			into[path] = "sealed"
			return
		}
		inner = found
	case []any:
		for i, one := range found {
			inner[fmt.Sprint(i)] = one
		}
	default:
		into[path] = fmt.Sprint(found)
		return
	}
	for name, one := range inner {
		leaves(one, strings.TrimPrefix(path+"."+name, "."), into)
	}
}

func (p *Payments) id(outTradeNo string) string {
	return "payment:" + p.workflows.appID + ":" + outTradeNo
}

func (p *Payments) afterSale(outTradeNo string) string {
	return "after-sale:" + p.workflows.appID + ":" + outTradeNo
}
