package paymentstest_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"temporal-payment-gateway/clients/go/payments"
	"temporal-payment-gateway/clients/go/paymentstest"
)

// A shop's own tests, on the stack that `npm start` runs in this folder.
func stack(t *testing.T) (*payments.Payments, *paymentstest.Simulator) {
	settings, err := payments.Environment()
	if err != nil {
		t.Fatal(err)
	}
	merchant, err := payments.Connect()
	var missing *payments.ConfigError
	if errors.As(err, &missing) {
		t.Skip(missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(merchant.Close)
	simulator, err := paymentstest.NewSimulator(settings)
	if err != nil {
		t.Skip(err)
	}
	return merchant, simulator
}

func order() payments.DirectPayment {
	return payments.DirectPayment{
		OrderFields: payments.OrderFields{
			OutTradeNo: "shop-" + uuid.NewString(), OrderCurrency: "BRL", OrderAmount: "150.00",
			Subject: "Two tickets", BuyerID: "buyer-1", TimeoutExpress: "90m",
		},
		Method: "PIX",
		Customer: &payments.Customer{
			Name: "Mariana Souza Lima", Email: "mariana@example.com",
			Identify: &payments.Identity{Number: "71493180072", Type: "CPF"},
		},
	}
}

func TestABuyerWhoPaysIsDeliveredToAndGetsAPartBack(t *testing.T) {
	merchant, simulator := stack(t)
	ctx, sold := context.Background(), order()
	data, err := merchant.Pay(ctx, sold)
	if err != nil || !data.Complete || data.QRCode == "" {
		t.Fatal(data, err)
	}
	if err := simulator.Pay(ctx, sold.OutTradeNo); err != nil {
		t.Fatal(err)
	}
	if state, err := merchant.Outcome(ctx, sold.OutTradeNo); err != nil || state.Outcome != "SUCCESS" {
		t.Fatal(state, err)
	}
	part := payments.RefundOptions{Amount: "30.00", OutRequestNo: "r-1"}
	if answer, err := merchant.Refund(ctx, sold.OutTradeNo, part); err != nil || answer.RefundAmount != "30.00" {
		t.Fatal(answer, err)
	}
}

func TestABuyerWhoCancelsGetsNothing(t *testing.T) {
	merchant, simulator := stack(t)
	ctx, sold := context.Background(), order()
	if _, err := merchant.Pay(ctx, sold); err != nil {
		t.Fatal(err)
	}
	if err := simulator.Act(ctx, sold.OutTradeNo, "cancel"); err != nil {
		t.Fatal(err)
	}
	if state, err := merchant.Outcome(ctx, sold.OutTradeNo); err != nil || state.Outcome != "CANCEL" {
		t.Fatal(state, err)
	}
}

func TestAWrongOrderIsRefusedFieldByField(t *testing.T) {
	merchant, _ := stack(t)
	sold := order()
	sold.OrderAmount = "0.00"
	_, err := merchant.Pay(context.Background(), sold)
	var refused *payments.Error
	if !errors.As(err, &refused) || refused.Type != "InvalidRequest" || !slices.Contains(refused.Fields(), "order_amount") {
		t.Fatal(err)
	}
}
