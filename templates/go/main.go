// Command shop sells, hears what becomes of its orders, and gives money back: PORT=9000 go run .
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"temporal-payment-gateway/clients/go/payments"
)

// Order is what became of an order: open, then deliver or do not deliver.
type Order struct {
	Status   string `json:"status"`
	Refunded string `json:"refunded"`
}

// Shop has its orders in memory: put your database there.
type Shop struct {
	payments *payments.Payments
	events   *payments.EventReader
	mutex    sync.Mutex
	orders   map[string]Order
	taken    map[string]bool // the ids of the events that it has taken: one may come again
}

// Sell answers with what the buyer needs to pay; the same order again gets the same answer.
func (s *Shop) Sell(ctx context.Context, number string) (payments.Object, error) {
	s.mutex.Lock()
	if _, isKept := s.orders[number]; !isKept {
		s.orders[number] = Order{Status: "open", Refunded: "0.00"} // kept before the call
	}
	s.mutex.Unlock()
	data, err := s.payments.Pay(ctx, payments.DirectPayment{
		OrderFields: payments.OrderFields{
			OutTradeNo: number, OrderCurrency: "BRL", OrderAmount: "150.00",
			Subject: "Two tickets", BuyerID: "buyer-1", TimeoutExpress: "90m",
		},
		Method: "PIX",
		Customer: &payments.Customer{
			Name: "Mariana Souza Lima", Email: "mariana@example.com",
			Identify: &payments.Identity{Number: "71493180072", Type: "CPF"},
		},
	})
	// Empty: it was refused, or its answer got lost. Once it ends unsold, sell under a new number.
	return payments.Object{"pay_url": data.PayURL, "qr_code": data.QRCode}, err
}

// Take keeps what an event says, once.
func (s *Shop) Take(event payments.MerchantEvent) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.taken[event.ID] || event.Payment == nil {
		return
	}
	order := Order{Status: "do not deliver", Refunded: "0.00"}
	if payments.IsSold(*event.Payment) {
		order.Status = "deliver"
	}
	if event.AfterSale != nil {
		order.Refunded = event.AfterSale.RefundedAmount
	}
	if event.Payment.Outcome != "" {
		s.orders[event.Payment.OutTradeNo] = order
	}
	s.taken[event.ID] = true // in one transaction with what it changes
}

// Orders is what became of each order.
func (s *Shop) Orders() map[string]Order {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	copied := map[string]Order{}
	for number, order := range s.orders {
		copied[number] = order
	}
	return copied
}

// Routes are those of the shop. Only your own people may call the refunds: put them behind your log-in.
func (s *Shop) Routes() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /orders", func(response http.ResponseWriter, _ *http.Request) {
		answer(response, s.Orders(), nil)
	})
	routes.HandleFunc("POST /orders", func(response http.ResponseWriter, request *http.Request) {
		asked, err := read[struct{ Number string }](request)
		if err != nil {
			answer(response, nil, err)
			return
		}
		sold, err := s.Sell(request.Context(), asked.Number)
		answer(response, sold, err)
	})
	routes.HandleFunc("POST /refunds", func(response http.ResponseWriter, request *http.Request) {
		asked, err := read[struct {
			Number       string
			Amount       string // "all" is all that is left
			OutRequestNo string `json:"out_request_no"`
			// Where it goes: a method such as PIX has to know.
			BankInfo *payments.BankInfo `json:"bank_info"`
		}](request)
		if err != nil {
			answer(response, nil, err)
			return
		}
		part := payments.RefundOptions{Amount: asked.Amount, OutRequestNo: asked.OutRequestNo, BankInfo: asked.BankInfo}
		refunded, err := s.payments.Refund(request.Context(), asked.Number, part)
		answer(response, refunded, err)
	})
	routes.HandleFunc("POST /events", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			answer(response, nil, &badRequest{err})
			return
		}
		event, err := s.events.Read(body, request.Header) // the bytes as they came: the signature is over them
		if err == nil {
			s.Take(event)
		}
		answer(response, payments.Object{}, err)
	})
	return routes
}

type badRequest struct{ error }

func read[T any](request *http.Request) (asked T, err error) {
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		return asked, &badRequest{err}
	}
	return asked, nil
}

// answer is JSON; of a failure, its type and whether the same call may help later.
func answer(response http.ResponseWriter, said any, err error) {
	status := http.StatusOK
	var failed *payments.Error
	var notOurs *payments.EventError
	var unreadable *badRequest
	switch {
	case err == nil:
	case errors.As(err, &failed):
		said = payments.Object{"type": failed.Type, "message": failed.Message, "retryable": failed.Retryable(), "details": failed.Details}
		status = http.StatusUnprocessableEntity
		if failed.Retryable() {
			status = http.StatusServiceUnavailable
		}
	case errors.As(err, &notOurs):
		said, status = payments.Object{"message": notOurs.Message}, http.StatusUnauthorized
	case errors.As(err, &unreadable):
		said, status = payments.Object{"message": "The request is no JSON of the form that this route takes."}, http.StatusBadRequest
	default:
		log.Print(err)
		said, status = payments.Object{"message": "Nobody knows yet: send the same again."}, http.StatusInternalServerError
	}
	response.Header().Set("content-type", "application/json")
	response.WriteHeader(status)
	if err := json.NewEncoder(response).Encode(said); err != nil {
		log.Print(err)
	}
}

// open connects with the settings of the environment, or of the stack that runs in this folder.
func open() (*Shop, error) {
	settings, err := payments.Environment()
	if err != nil {
		return nil, err
	}
	secrets, err := settings.Value("PAYMENTS_EVENTS_SECRETS")
	if err != nil {
		return nil, err
	}
	events, err := payments.NewEventReader(secrets)
	if err != nil {
		return nil, err
	}
	merchant, err := payments.Connect()
	if err != nil {
		return nil, err
	}
	return &Shop{payments: merchant, events: events, orders: map[string]Order{}, taken: map[string]bool{}}, nil
}

func main() {
	shop, err := open()
	if err != nil {
		log.Fatal(err)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("The shop listens on http://%s", listener.Addr())
	log.Fatal(http.Serve(listener, shop.Routes()))
}
