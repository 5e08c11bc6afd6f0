package payments

import (
	"encoding/json"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// MerchantEvent is any event (docs/events.md). Ask IsSold (sold.go) of its Payment before you deliver. Type says what else it has: that of a virtual account
// (account-..., deposit...) an Account, stuck-payments a Sweep, and every other one a Payment, with an AfterSale after the sale.
type MerchantEvent struct {
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Time       string            `json:"time"`
	Payment    *PaymentState     `json:"payment,omitempty"`
	Transition *Transition       `json:"transition,omitempty"`
	Refund     *Refund           `json:"refund,omitempty"`
	Failure    *Failure          `json:"failure,omitempty"`
	AfterSale  *SaleInEvent      `json:"after_sale,omitempty"`
	Account    *SpeiAccountState `json:"account,omitempty"`
	Deposit    *Deposit          `json:"deposit,omitempty"`
	SetAside   *SetAsideDeposit  `json:"set_aside,omitempty"`
	Sweep      *Swept            `json:"sweep,omitempty"`
}

const withoutSecret = "PAYMENTS_EVENTS_SECRETS is not set. It signs the events, and the worker has it; " +
	"with npm start it stands in .payments/dev.env."

// EventReader reads the requests that the worker posts to PAYMENTS_EVENTS_URL. An event may come again: take each ID once.
type EventReader struct{ webhooks []*standardwebhooks.Webhook }

// NewEventReader takes the setting PAYMENTS_EVENTS_SECRETS, or several secrets separated by commas. It fails with a ConfigError.
func NewEventReader(secrets string) (*EventReader, error) {
	reader := &EventReader{}
	for _, secret := range words(secrets) {
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return nil, &ConfigError{"PAYMENTS_EVENTS_SECRETS must be whsec_ and base64, several separated by commas."}
		}
		reader.webhooks = append(reader.webhooks, webhook)
	}
	if len(reader.webhooks) == 0 {
		return nil, &ConfigError{withoutSecret}
	}
	return reader, nil
}

// Read gives the event, once its signature and its time are proved; body is the request's, byte by byte. It fails with an EventError.
func (r *EventReader) Read(body []byte, header http.Header) (event MerchantEvent, err error) {
	for _, webhook := range r.webhooks {
		if err = webhook.Verify(body, header); err == nil {
			return event, json.Unmarshal(body, &event)
		}
	}
	return event, &EventError{"This request is no event of ours: " + err.Error()}
}

// words are the parts of a setting that has several.
func words(setting string) []string {
	return strings.FieldsFunc(setting, func(r rune) bool { return strings.ContainsRune(", \n\r\t", r) })
}
