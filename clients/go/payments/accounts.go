package payments

import (
	"context"
	"crypto/sha256"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
)

// Accounts are the virtual accounts (SPEI) of the app.
type Accounts struct{ workflows *workflows }

// Create gives the account of your key as it is now, by default made of the BuyerID: the same key always gets the same account. It
// fails with an Error: InvalidRequest, NotCreated; AccountCanceled: create one under another key; PaymentPending: call again.
func (a *Accounts) Create(ctx context.Context, request NewSpeiAccount, key string) (account SpeiAccountData, err error) {
	if key == "" {
		key = accountKeyOf(request)
	}
	input := Object{"app_id": a.workflows.appID, "request": request}
	id := "create-spei-account:" + a.workflows.appID + ":" + key
	reuse := enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	var made struct {
		AccountID string `json:"account_id"`
	}
	if err = a.workflows.run(ctx, "createSpeiAccount", id, input, reuse, 0, &made); err != nil {
		return account, err
	}
	// The creation may have ended long ago.
	state, err := a.Get(ctx, made.AccountID)
	if err != nil {
		return account, err
	}
	if state.Status == "CANCELED" {
		return account, failure("AccountCanceled", "The virtual account "+made.AccountID+" of the key "+key+" is canceled: the buyer must "+
			"not pay into it. Create another one under another key.", Object{"account_id": made.AccountID})
	}
	return *state.Account, nil
}

// Get is the account's state with its deposits. It fails with NotFound.
func (a *Accounts) Get(ctx context.Context, accountID string) (state SpeiAccountState, err error) {
	err = a.workflows.state(ctx, a.id(accountID), &state)
	return state, err
}

// Cancel cancels the account and waits for the gateway's word. It fails with NotCanceled or PaymentPending.
func (a *Accounts) Cancel(ctx context.Context, accountID string) (state SpeiAccountState, err error) {
	err = a.workflows.update(ctx, a.id(accountID), "cancel", &state)
	return state, err
}

// Recheck asks the gateway for the account now. It fails with PaymentPending.
func (a *Accounts) Recheck(ctx context.Context, accountID string) (state SpeiAccountState, err error) {
	err = a.workflows.update(ctx, a.id(accountID), "recheck", &state)
	return state, err
}

// Quantity asks the gateway how many accounts are left to create. It fails with PaymentPending.
func (a *Accounts) Quantity(ctx context.Context) (state SpeiAccountQuantityState, err error) {
	err = a.workflows.startWithUpdate(ctx, start{
		workflow: "speiAccountQuantity", id: "spei-account-quantity:" + a.workflows.appID, update: "recheck",
		input: Object{"app_id": a.workflows.appID}, reuse: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, timeout: answerTimeout,
	}, &state)
	return state, err
}

func (a *Accounts) id(accountID string) string {
	return "spei-account:" + a.workflows.appID + ":" + accountID
}

// accountKeyOf is a buyer's key. It stands in a workflow id, which everybody who reads Temporal sees, so it is a digest.
func accountKeyOf(request NewSpeiAccount) string {
	return fmt.Sprintf("buyer-%x", sha256.Sum256([]byte(request.Customer.BuyerID)))[:len("buyer-")+32]
}
