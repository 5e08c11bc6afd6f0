// Package paymentstest is for your tests: the buyer, the bank and the clock of the simulated gateway that `npm start` runs
// (docs/simulator.md).
package paymentstest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"temporal-payment-gateway/clients/go/payments"
)

// Simulator does what buyers and banks do. A call fails where the state of a trade forbids it.
type Simulator struct{ url string }

// NewSimulator finds it by the setting GATEWAY_BASE_URL. It fails with a payments.ConfigError where there is none.
func NewSimulator(settings payments.Settings) (*Simulator, error) {
	found := settings["GATEWAY_BASE_URL"]
	if found == "" {
		return nil, &payments.ConfigError{
			Message: "Where is the simulated gateway? Set GATEWAY_BASE_URL, or run payment-gateway dev in this folder first.",
		}
	}
	return &Simulator{strings.TrimSuffix(found, "/")}, nil
}

// Pay is the buyer who pays.
func (s *Simulator) Pay(ctx context.Context, outTradeNo string) error {
	return s.Act(ctx, outTradeNo, "pay")
}

// Act is any action of a buyer or a bank: refuse, cancel, dispute, chargeback, …
func (s *Simulator) Act(ctx context.Context, outTradeNo, action string) error {
	return s.post(ctx, "trades/"+url.PathEscape(outTradeNo)+"/"+action, payments.Object{})
}

// Deposit is money that comes into a virtual account.
func (s *Simulator) Deposit(ctx context.Context, accountID, amount string) error {
	return s.post(ctx, "accounts/"+url.PathEscape(accountID)+"/deposits", payments.Object{"amount": amount})
}

// Advance moves the gateway's clock, by such as 2h or 3d. Temporal's does not move.
func (s *Simulator) Advance(ctx context.Context, span string) error {
	return s.post(ctx, "clock", payments.Object{"advance": span})
}

func (s *Simulator) post(ctx context.Context, path string, body payments.Object) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/simulator/"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	said, _ := io.ReadAll(response.Body)
	return fmt.Errorf("the simulated gateway refused: %s", said)
}
