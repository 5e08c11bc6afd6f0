// How a merchant learns that an order is sold: Outcome waits for its end, an event tells of it (events.go), and IsSold decides.

package payments

import (
	"context"
	"errors"
	"slices"
)

// Money of a sale goes back by these, all of it.
var moneyBack = []string{"REFUNDED", "DISPUTE", "CHARGEBACK"}

// IsSold tells whether to deliver: it is paid, nobody has to look first, and neither a refund nor the bank gives all of the money back.
func IsSold(state PaymentState) bool {
	stands := state.Attention == "" && !state.AllGoesBack
	return state.Outcome == "SUCCESS" && stands && !slices.Contains(moneyBack, state.TradeStatus)
}

// State is the payment's state now. It fails with an Error: NotFound, or PaymentPending where no worker answers.
func (p *Payments) State(ctx context.Context, outTradeNo string) (state PaymentState, err error) {
	// Temporal forgets a closed payment after its retention, and an after-sale may go on for longer.
	after, err := p.afterEnd(ctx, outTradeNo)
	if err == nil && after != nil {
		return *after, nil
	}
	if err == nil {
		err = p.workflows.state(ctx, p.id(outTradeNo), &state)
	}
	return state, err
}

// Outcome waits until the payment has ended, possibly for days, and returns its final state. While Temporal cannot be reached it waits on,
// until the context ends: then it fails with PaymentPending.
func (p *Payments) Outcome(ctx context.Context, outTradeNo string) (state PaymentState, err error) {
	if err = p.workflows.result(ctx, p.id(outTradeNo), &state); err != nil {
		var failed *Error
		if !errors.As(err, &failed) || failed.Type != "NotFound" {
			return state, err
		}
		after, unanswered := p.afterEnd(ctx, outTradeNo)
		if unanswered != nil {
			return state, unanswered
		}
		if after != nil {
			return *after, nil
		}
		return state, err
	}
	// Money may have come after the end. Who has waited for days gets the outcome, also while no worker answers.
	if after, err := p.afterEnd(ctx, outTradeNo); err == nil && after != nil {
		return *after, nil
	}
	return state, nil
}

// afterEnd is the payment as it is now, where it has ended and an after-sale follows it: late money, refunds, disputes.
func (p *Payments) afterEnd(ctx context.Context, outTradeNo string) (*PaymentState, error) {
	sale, err := p.sale(ctx, outTradeNo)
	var failed *Error
	if errors.As(err, &failed) && failed.Type == "NotFound" {
		return nil, nil
	}
	// Without an outcome it is of a run that made no order, and the number may be used again.
	if err != nil || sale.Payment == nil || sale.Payment.Outcome == "" {
		return nil, err
	}
	return sale.Payment, nil
}
