package payments

import (
	"encoding/json"
	"maps"
)

// Object is JSON whose fields are the gateway's own.
type Object = map[string]any

// What goes in and what comes out, as docs/contract.md has it. Amounts are decimal texts, times ISO 8601 in UTC. What is not known
// yet is "" or nil.

// Identity is an identity number and its kind, such as CPF, CURP or NIT.
type Identity struct {
	Number string `json:"number,omitempty"`
	Type   string `json:"type,omitempty"`
}

// Customer is the buyer. Which fields are required depends on the method. BuyerID is for virtual accounts.
type Customer struct {
	BuyerID  string    `json:"buyer_id,omitempty"`
	Name     string    `json:"name,omitempty"`
	Email    string    `json:"email,omitempty"`
	Phone    string    `json:"phone,omitempty"`
	Identify *Identity `json:"identify,omitempty"`
}

// Address is the buyer's.
type Address struct {
	ZipCode      string `json:"zip_code,omitempty"`
	State        string `json:"state,omitempty"`
	City         string `json:"city,omitempty"`
	StreetNumber string `json:"street_number,omitempty"`
	Street       string `json:"street,omitempty"`
	Neighborhood string `json:"neighborhood,omitempty"`
}

// OrderFields are what direct payments and checkouts have in common. OutTradeNo is the key: one number, at most one charge.
type OrderFields struct {
	OutTradeNo          string `json:"out_trade_no"`
	OrderCurrency       string `json:"order_currency"`
	OrderAmount         string `json:"order_amount"`
	Subject             string `json:"subject"`
	BuyerID             string `json:"buyer_id"`
	Content             string `json:"content,omitempty"`
	Channel             string `json:"channel,omitempty"`
	ReturnURL           string `json:"return_url,omitempty"`
	NotifyURL           string `json:"notify_url,omitempty"`
	TimeoutExpress      string `json:"timeout_express,omitempty"`
	CancellationExpress string `json:"cancellation_express,omitempty"`
}

// DirectPayment is an order that is paid by one method. Token and AccountVerificationCode are sealed on their way.
type DirectPayment struct {
	OrderFields
	Method                  string    `json:"method"`
	Customer                *Customer `json:"customer,omitempty"`
	Address                 *Address  `json:"address,omitempty"`
	Bank                    string    `json:"bank,omitempty"`
	Token                   string    `json:"token,omitempty"`
	Issuer                  string    `json:"issuer,omitempty"`
	Installments            int       `json:"installments,omitempty"`
	IP                      string    `json:"ip,omitempty"`
	Fingerprint             string    `json:"fingerprint,omitempty"`
	LanguageCode            string    `json:"language_code,omitempty"`
	AccountNumber           string    `json:"account_number,omitempty"`
	AccountVerificationCode string    `json:"account_verification_code,omitempty"`
	Region                  string    `json:"region,omitempty"`
}

// Checkout is an order whose buyer chooses the method on the gateway's page. TradeType is WEB.
type Checkout struct {
	OrderFields
	TradeType string   `json:"trade_type"`
	Method    string   `json:"method,omitempty"`
	Regions   []string `json:"regions,omitempty"`
	Version   string   `json:"version,omitempty"`
}

// RefundedUser is whose money goes back. What the payment knows may be left out.
type RefundedUser struct {
	Identify *Identity `json:"identify,omitempty"`
	Name     string    `json:"name,omitempty"`
	Email    string    `json:"email,omitempty"`
	Phone    string    `json:"phone,omitempty"`
}

// BankInfo is the bank account that the money goes to.
type BankInfo struct {
	BankID   string `json:"bank_id,omitempty"`
	BankName string `json:"bank_name,omitempty"`
	Agency   string `json:"agency,omitempty"`
	Type     string `json:"type,omitempty"`
	Number   string `json:"number,omitempty"`
}

// All is the amount of a refund of all that is left.
const All = "all"

// RefundOptions is a refund: of an Amount, such as 30.00, or of All. An empty amount is refused, because a part may be meant.
// OutRequestNo is its key.
type RefundOptions struct {
	Amount       string        `json:"refund_amount"`
	OutRequestNo string        `json:"out_request_no,omitempty"`
	RefundReason string        `json:"refund_reason,omitempty"`
	UserInfo     *RefundedUser `json:"user_info,omitempty"`
	BankInfo     *BankInfo     `json:"bank_info,omitempty"`
}

// NewSpeiAccount is the request for a virtual account.
type NewSpeiAccount struct {
	Customer Customer `json:"customer"`
}

// PaymentData is what the buyer needs to pay. With Complete the fields of the method are there, such as QRCode for PIX. Without,
// the payment was refused, or the gateway's answer was lost (Recovered).
type PaymentData struct {
	Complete              bool   `json:"complete"`
	Recovered             bool   `json:"recovered"`
	OutTradeNo            string `json:"out_trade_no"`
	TradeNo               string `json:"trade_no"`
	TradeStatus           string `json:"trade_status"`
	PayURL                string `json:"pay_url"`
	WebURL                string `json:"web_url"`
	QRCode                string `json:"qr_code"`
	Barcode               string `json:"barcode"`
	CLABE                 string `json:"clabe"`
	Reference             string `json:"reference"`
	BankCode              string `json:"bank_code"`
	BankName              string `json:"bank_name"`
	BeneficiaryName       string `json:"beneficiary_name"`
	WalletURL             string `json:"wallet_url"`
	AppLinkURL            string `json:"app_link_url"`
	ProviderOwner         string `json:"provider_owner"`
	ProviderOwnerDocument string `json:"provider_owner_document"`
	ProviderAgency        string `json:"provider_agency"`
	ProviderNumber        string `json:"provider_number"`
	Code                  string `json:"code"`
	SubCode               string `json:"sub_code"`
	// Fields are all that the gateway sent, also those that this type lacks.
	Fields Object `json:"-"`
}

// Transition is one change of a trade's state. One that a person made has By and Reason.
type Transition struct {
	Time              string `json:"time"`
	From              string `json:"from"`
	To                string `json:"to"`
	Source            string `json:"source"`
	By                string `json:"by,omitempty"`
	Reason            string `json:"reason,omitempty"`
	RefundedElsewhere string `json:"refunded_elsewhere,omitempty"`
}

// OtherTrade is a trade under the order's number that is not this payment's.
type OtherTrade struct {
	TradeNo     string `json:"trade_no"`
	TradeStatus string `json:"trade_status"`
	OrderAmount string `json:"order_amount"`
}

// Earlier is the run before.
type Earlier struct {
	RunID   string `json:"run_id"`
	Outcome string `json:"outcome"`
}

// Refusal is why the gateway refused a payment.
type Refusal struct {
	Code    string `json:"code"`
	SubCode string `json:"sub_code"`
}

// LatePaymentRefund is the refund of money that came after the payment had ended otherwise.
type LatePaymentRefund struct {
	OutRequestNo string `json:"out_request_no"`
	RefundStatus string `json:"refund_status"`
	Reason       string `json:"reason"`
}

// Taken is who has taken on what waits for a person.
type Taken struct {
	By   string `json:"by"`
	Note string `json:"note"`
	Time string `json:"time"`
}

// OtherAmount is what the gateway named where it was not what was ordered.
type OtherAmount struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// PaymentState is what is known of a payment. Outcome is "" while it is under way: then SUCCESS, CANCEL, REFUSED or EXPIRED. In an
// event it has no History and no PaymentData.
type PaymentState struct {
	AppID             string             `json:"app_id"`
	OutTradeNo        string             `json:"out_trade_no"`
	TradeNo           string             `json:"trade_no"`
	TradeStatus       string             `json:"trade_status"`
	OrderAmount       string             `json:"order_amount"`
	OrderCurrency     string             `json:"order_currency"`
	Method            string             `json:"method"`
	Outcome           string             `json:"outcome"`
	ConfirmedBy       string             `json:"confirmed_by"`
	Attention         string             `json:"attention"`
	AttentionSince    string             `json:"attention_since"`
	Taken             *Taken             `json:"taken"`
	ExpiresAt         string             `json:"expires_at"`
	Previous          *Earlier           `json:"previous"`
	RefusedBecause    *Refusal           `json:"refused_because"`
	OtherTrades       []OtherTrade       `json:"other_trades"`
	LatePaymentRefund *LatePaymentRefund `json:"late_payment_refund,omitempty"`
	AllGoesBack       bool               `json:"all_goes_back,omitempty"`
	Mismatch          *OtherAmount       `json:"mismatch,omitempty"`
	History           []Transition       `json:"history,omitempty"`
	PaymentData       Object             `json:"payment_data,omitempty"`
}

// Decision is who decided, and why.
type Decision struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Failure is why there is no refund, or no order.
type Failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Details Object `json:"details"`
}

// Refund is one of an order. Outcome is "" until the gateway has taken it.
type Refund struct {
	OutRequestNo   string    `json:"out_request_no"`
	TradeNo        string    `json:"trade_no"`
	Attempt        int       `json:"attempt"`
	RefundAmount   string    `json:"refund_amount"`
	RefundCurrency string    `json:"refund_currency"`
	Partial        bool      `json:"partial"`
	RefundStatus   string    `json:"refund_status"`
	Outcome        string    `json:"outcome"`
	ConfirmedBy    string    `json:"confirmed_by"`
	Attention      string    `json:"attention"`
	RequestedAt    string    `json:"requested_at"`
	StartedAt      string    `json:"started_at"`
	SentAt         string    `json:"sent_at"`
	Answer         Object    `json:"answer"`
	Failure        *Failure  `json:"failure"`
	Resolved       *Decision `json:"resolved"`
}

// BankSaid is the last DISPUTE or CHARGEBACK.
type BankSaid struct {
	TradeStatus string `json:"trade_status"`
	Time        string `json:"time"`
}

// AfterSaleState is what follows the sale of an order: its refunds, their sums, disputes.
type AfterSaleState struct {
	AppID             string        `json:"app_id"`
	OutTradeNo        string        `json:"out_trade_no"`
	TradeNo           string        `json:"trade_no"`
	TradeStatus       string        `json:"trade_status"`
	OrderAmount       string        `json:"order_amount"`
	OrderCurrency     string        `json:"order_currency"`
	Method            string        `json:"method"`
	Attention         string        `json:"attention"`
	AttentionSince    string        `json:"attention_since"`
	Taken             *Taken        `json:"taken"`
	RefundedAmount    string        `json:"refunded_amount"`
	RefundingAmount   string        `json:"refunding_amount"`
	RefundedElsewhere string        `json:"refunded_elsewhere"`
	LedgerComplete    bool          `json:"ledger_complete"`
	Refunds           []Refund      `json:"refunds"`
	OtherTrades       []OtherTrade  `json:"other_trades"`
	Claims            []Object      `json:"claims"`
	BankSaid          *BankSaid     `json:"bank_said"`
	AnswerBy          string        `json:"answer_by"`
	WatchedUntil      string        `json:"watched_until"`
	History           []Transition  `json:"history"`
	Payment           *PaymentState `json:"payment"`
}

// RefundAnswer is the gateway's answer to a refund.
type RefundAnswer struct {
	Recovered      bool   `json:"recovered"`
	OutTradeNo     string `json:"out_trade_no"`
	TradeNo        string `json:"trade_no"`
	OutRequestNo   string `json:"out_request_no"`
	RefundAmount   string `json:"refund_amount"`
	RefundCurrency string `json:"refund_currency"`
	RefundStatus   string `json:"refund_status"`
}

// SpeiAccountData is a virtual account. AccountNumber is its CLABE.
type SpeiAccountData struct {
	AccountID       string `json:"account_id"`
	AccountNumber   string `json:"account_number"`
	Provider        string `json:"provider"`
	Status          string `json:"status"`
	NotifyURL       string `json:"notify_url"`
	BeneficiaryName string `json:"beneficiary_name"`
	BuyerID         string `json:"buyer_id"`
}

// Deposit is money that was counted.
type Deposit struct {
	OutTradeNo    string `json:"out_trade_no"`
	TradeNo       string `json:"trade_no"`
	Amount        string `json:"amount"`
	Currency      string `json:"currency"`
	TransferredAt string `json:"transferred_at"`
	CountedAt     string `json:"counted_at"`
}

// SetAsideDeposit is money that was notified and not counted.
type SetAsideDeposit struct {
	OutTradeNo    string `json:"out_trade_no"`
	TradeNo       string `json:"trade_no"`
	Amount        string `json:"amount"`
	Currency      string `json:"currency"`
	TransferredAt string `json:"transferred_at"`
	Because       string `json:"because"`
}

// Deposits are those of an account: the last ones, the newest first. In an event they are a count and sums alone.
type Deposits struct {
	Count    int               `json:"count"`
	Total    map[string]string `json:"total"`
	Pending  int               `json:"pending"`
	Latest   []Deposit         `json:"latest,omitempty"`
	SetAside []SetAsideDeposit `json:"set_aside,omitempty"`
}

// UnseenDeposit is the deposit that a person has to see.
type UnseenDeposit struct {
	OutTradeNo string `json:"out_trade_no"`
	TradeNo    string `json:"trade_no"`
	Amount     string `json:"amount"`
	Currency   string `json:"currency"`
}

// UnseenEntry is something that a person has to see: of a deposit, or of the account, where Deposit is nil.
type UnseenEntry struct {
	No      int            `json:"no"`
	Because string         `json:"because"`
	Deposit *UnseenDeposit `json:"deposit"`
}

// SpeiAccountState is what is known of a virtual account.
type SpeiAccountState struct {
	AppID          string           `json:"app_id"`
	AccountID      string           `json:"account_id"`
	Account        *SpeiAccountData `json:"account"`
	Status         string           `json:"status"`
	Attention      string           `json:"attention"`
	AttentionSince string           `json:"attention_since"`
	Taken          *Taken           `json:"taken"`
	Unseen         []UnseenEntry    `json:"unseen"`
	Deposits       Deposits         `json:"deposits"`
}

// SpeiAccountQuantityState is how many virtual accounts the app has left to create.
type SpeiAccountQuantityState struct {
	AppID             string `json:"app_id"`
	AvailableQuantity *int   `json:"available_quantity"`
	Low               *int   `json:"low"`
	Seen              *int   `json:"seen"`
	CheckedAt         string `json:"checked_at"`
	Attention         string `json:"attention"`
	AttentionSince    string `json:"attention_since"`
	Taken             *Taken `json:"taken"`
}

// Bank is one of a method; an order names it by its BankID.
type Bank struct {
	BankID       string `json:"bank_id"`
	BankName     string `json:"bank_name"`
	LanguageCode string `json:"language_code"`
	Channel      string `json:"channel"`
	Logo         string `json:"logo"`
	Currency     string `json:"currency"`
	MinAmount    string `json:"min_amount"`
}

// InstallmentPlan is a way to pay an amount with a card: in Stage installments.
type InstallmentPlan struct {
	Stage      int    `json:"stage"`
	AmountEach string `json:"amount_each"`
	Amount     string `json:"amount"`
	Rate       string `json:"rate"`
}

// SaleInEvent is the refunds of an order as an event shows them, and by when a dispute has to be answered.
type SaleInEvent struct {
	RefundedAmount    string   `json:"refunded_amount"`
	RefundingAmount   string   `json:"refunding_amount"`
	RefundedElsewhere string   `json:"refunded_elsewhere"`
	LedgerComplete    bool     `json:"ledger_complete"`
	AnswerBy          string   `json:"answer_by"`
	Refunds           []Refund `json:"refunds"`
}

// Swept is what a sweep for stuck payments found.
type Swept struct {
	Stuck          int            `json:"stuck"`
	UnderAttention int            `json:"under_attention"`
	Some           []StuckPayment `json:"some"`
}

// StuckPayment is one of them.
type StuckPayment struct {
	WorkflowID string `json:"workflow_id"`
	Status     string `json:"status"`
}

// What the gateway's answer has for a method, in lower case. Without them it is not complete.
var fieldsOfMethod = map[string][]string{
	"pix": {"qr_code"}, "boleto": {"barcode"}, "spei": {"clabe"}, "pse": {"pay_url"}, "efecty": {"pay_url"},
	"oxxo": {"pay_url"}, "lottery": {"pay_url"},
	"depositexpress": {"provider_owner", "provider_owner_document", "provider_agency", "provider_number"},
}

// dataOf is the payment data that the gateway sent, with whether the fields that its method needs are there. Those of the type are
// text: where the gateway sends something else, they count as absent, and are in Fields.
func dataOf(fields Object, needed []string) (PaymentData, error) {
	data := PaymentData{Fields: fields}
	known := maps.Clone(fields)
	maps.DeleteFunc(known, func(name string, value any) bool { _, isText := value.(string); return !isText && name != "recovered" })
	written, err := json.Marshal(known)
	if err == nil {
		err = json.Unmarshal(written, &data)
	}
	data.Complete = true
	for _, name := range needed {
		data.Complete = data.Complete && text(fields[name]) != ""
	}
	return data, err
}
