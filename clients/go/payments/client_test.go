package payments

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// busy is a Temporal where another program has started the next run under the number meanwhile.
type busy struct {
	client.Client
	t    *testing.T
	ends error
}

func (b *busy) NewWithStartWorkflowOperation(
	client.StartWorkflowOptions, any, ...any,
) client.WithStartWorkflowOperation {
	return nil
}

func (b *busy) DescribeWorkflowExecution(
	context.Context, string, string,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return nil, serviceerror.NewNotFound("nobody has started it yet")
}

func (b *busy) UpdateWithStartWorkflow(
	context.Context, client.UpdateWithStartWorkflowOptions,
) (client.WorkflowUpdateHandle, error) {
	return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("it is over", "", "")
}

func (b *busy) GetWorkflow(context.Context, string, string) client.WorkflowRun {
	return &busyRun{busy: b}
}

type busyRun struct {
	client.WorkflowRun
	busy *busy
}

func (r *busyRun) Get(ctx context.Context, _ any) error {
	if _, ends := ctx.Deadline(); !ends {
		r.busy.t.Error("it waits for the end of a payment, for days")
	}
	return r.busy.ends
}

func TestPayHasItsDeadlineWhereAnotherRunGoesOn(t *testing.T) {
	refused := temporal.NewNonRetryableApplicationError("refused", "NotCreated", nil)
	for _, ends := range []error{context.DeadlineExceeded, refused} {
		merchant := &Payments{workflows: &workflows{client: &busy{t: t, ends: ends}, appID: "demo-app"}}
		_, err := merchant.Pay(context.Background(), DirectPayment{OrderFields: OrderFields{OutTradeNo: "order-1"}, Method: "PIX"})
		var failed *Error
		if !errors.As(err, &failed) || failed.Type != "PaymentPending" {
			t.Errorf("%v: %v", ends, err)
		}
	}
}

// restarting is a Temporal that cannot be reached for some calls.
type restarting struct {
	client.Client
	client.WorkflowRun
	fails error
	calls int
}

func (r *restarting) GetWorkflow(context.Context, string, string) client.WorkflowRun { return r }

func (r *restarting) DescribeWorkflowExecution(
	context.Context, string, string,
) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return nil, serviceerror.NewNotFound("it has no after-sale")
}

func (r *restarting) Get(_ context.Context, into any) error {
	if r.calls--; r.calls >= 0 {
		return r.fails
	}
	into.(*PaymentState).Outcome = "SUCCESS"
	return nil
}

func TestAnOutcomeIsWaitedForWhileTemporalCannotBeReached(t *testing.T) {
	for _, fails := range []error{
		serviceerror.NewUnavailable("connection refused"), serviceerror.NewCanceled("the transport is closing"),
		serviceerror.NewDeadlineExceeded("no answer"), serviceerror.NewResourceExhausted(0, "busy"),
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			merchant := &Payments{workflows: &workflows{client: &restarting{fails: fails, calls: 7}, appID: "demo-app"}}
			state, err := merchant.Outcome(context.Background(), "order-1")
			if err != nil || state.Outcome != "SUCCESS" || time.Since(began) != 45*time.Second {
				t.Error(fails, state.Outcome, err, time.Since(began))
			}
		})
	}
}

func TestAnOutcomeIsWaitedForNoLongerThanTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(context.Background(), 2500*time.Millisecond)
		defer stop()
		never := &restarting{fails: serviceerror.NewUnavailable("connection refused"), calls: 1000}
		_, err := (&Payments{workflows: &workflows{client: never, appID: "demo-app"}}).Outcome(ctx, "order-1")
		var pending *Error
		if !errors.As(err, &pending) || pending.Type != "PaymentPending" || never.calls != 998 {
			t.Error(err, never.calls)
		}
		closed := &restarting{fails: serviceerror.NewCanceled("grpc: the client connection is closing"), calls: 1}
		_, err = (&Payments{workflows: &workflows{client: closed, appID: "demo-app"}}).Outcome(context.Background(), "order-1")
		if !errors.As(err, &pending) || closed.calls != 0 {
			t.Error(err, closed.calls)
		}
	})
}

func TestFieldsThatAreNoTextCountAsAbsent(t *testing.T) {
	data, err := dataOf(Object{"clabe": Object{"number": 1.0}, "reference": 1234567.0, "trade_no": "T1"}, []string{"clabe"})
	if err != nil || data.TradeNo != "T1" || data.Complete || data.Fields["reference"] != 1234567.0 {
		t.Error(data, err)
	}
}

func TestClearTextIsReadDuringAMigration(t *testing.T) {
	keys, err := keysOf(Settings{"PAYMENTS_ENCRYPTION_KEYS": "a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
	if err != nil {
		t.Fatal(err)
	}
	clear := payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte("1")}.message()
	for _, accepts := range []bool{true, false} {
		codec := (&Codec{Keys: keys, AcceptsClearText: accepts}).of("default", "payment:demo-app:order-1")
		if _, err := each([]*commonpb.Payload{clear}, codec.decrypt); (err == nil) != accepts {
			t.Error(accepts, err)
		}
	}
}

func TestACallThatARestartOfTemporalBrokeOffIsPending(t *testing.T) {
	for _, err := range []error{
		serviceerror.NewUnavailable("connection refused"), serviceerror.NewInternal("stream terminated by RST_STREAM"),
		serviceerror.NewCanceled("the transport is closing"),
	} {
		var pending *Error
		if !errors.As(asError(err), &pending) || pending.Type != "PaymentPending" || !pending.Retryable() {
			t.Errorf("%v is %v", err, asError(err))
		}
	}
	// A wrong setting is not mended by the same call.
	refused := serviceerror.NewPermissionDenied("no", "")
	if asError(refused) != refused {
		t.Errorf("%v is %v", refused, asError(refused))
	}
}
