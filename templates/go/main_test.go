package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"temporal-payment-gateway/clients/go/payments"
	"temporal-payment-gateway/clients/go/paymentstest"
)

// The shop's own tests, on the stack that `payment-gateway dev` runs in this folder.
func post(t *testing.T, shop *Shop, path string, body payments.Object) (int, payments.Object) {
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response := httptest.NewRecorder()
	shop.Routes().ServeHTTP(response, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(text)))
	var said payments.Object
	if err := json.Unmarshal(response.Body.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	return response.Code, said
}

func TestAnOrderThatIsPaidIsDeliveredAndAPartGoesBack(t *testing.T) {
	shop, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer shop.payments.Close()
	settings, err := payments.Environment()
	if err != nil {
		t.Fatal(err)
	}
	simulator, err := paymentstest.NewSimulator(settings)
	if err != nil {
		t.Fatal(err)
	}
	ctx, number := context.Background(), "shop-"+rand.Text()
	if _, sold := post(t, shop, "/orders", payments.Object{"number": number}); sold["qr_code"] == "" {
		t.Fatal(sold)
	}
	if err := simulator.Pay(ctx, number); err != nil {
		t.Fatal(err)
	}
	payment, err := shop.payments.Outcome(ctx, number)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		shop.Take(payments.MerchantEvent{ID: "event-1", Payment: &payment})
	}
	if order := shop.Orders()[number]; order.Status != "deliver" {
		t.Fatal(order)
	}
	bank := payments.BankInfo{BankName: "Banco do Brasil", Agency: "1234", Type: "CHECKING", Number: "56789-0"}
	part := payments.Object{"number": number, "amount": "30.00", "out_request_no": "r-1", "bank_info": bank}
	if _, said := post(t, shop, "/refunds", part); said["refund_amount"] != "30.00" {
		t.Fatal(said)
	}
	if code, said := post(t, shop, "/events", payments.Object{"id": "event-2"}); code != http.StatusUnauthorized {
		t.Fatal(code, said)
	}
}
