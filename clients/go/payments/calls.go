package payments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// Fields of an order that are sealed, so that only the worker can read them.
var secretFields = []string{"token", "account_verification_code"}

type start struct {
	workflow, id, update string
	input, argument      Object
	reuse                enumspb.WorkflowIdReusePolicy
	timeout              time.Duration
}

func (p *Payments) startWithUpdate(ctx context.Context, s start) (answer Object, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	operation := p.Client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: s.id, TaskQueue: p.TaskQueue, WorkflowIDReusePolicy: s.reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, s.workflow, s.input)
	handle, err := p.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: operation,
		UpdateOptions: client.UpdateWorkflowOptions{
			WorkflowID: s.id, UpdateName: s.update, Args: []any{s.argument}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err == nil {
		err = handle.Get(ctx, &answer)
	}
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return nil, &Error{Type: "Closing", Message: "The workflow was just ending: " + gone.Message}
	}
	return answer, asError(err)
}

func (p *Payments) update(ctx context.Context, id, name string, arguments ...any) (answer Object, err error) {
	ctx, cancel := context.WithTimeout(ctx, createdTimeout)
	defer cancel()
	handle, err := p.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: name, Args: arguments, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(ctx, &answer)
	}
	return answer, asError(err)
}

func (p *Payments) query(ctx context.Context, id string) (state Object, err error) {
	value, err := p.Client.QueryWorkflow(ctx, id, "", "state")
	if err == nil {
		err = value.Get(&state)
	}
	return state, asError(err)
}

func (p *Payments) result(ctx context.Context, id string, into any) error {
	return asError(p.Client.GetWorkflow(ctx, id, "").Get(ctx, into))
}

// original is the input of the run that made the order: a later run only continues it, and names the run before it.
func (p *Payments) original(ctx context.Context, number string) (Object, error) {
	id, runID := p.paymentID(number), ""
	owner := converter.WorkflowSerializationContext{Namespace: p.namespace, WorkflowID: id}
	reader := converter.WithDataConverterSerializationContext(p.converter, owner)
	for {
		first, err := p.Client.GetWorkflowHistory(ctx, id, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
		if err != nil {
			return nil, err
		}
		var made Object
		if err := reader.FromPayloads(first.GetWorkflowExecutionStartedEventAttributes().GetInput(), &made); err != nil {
			return nil, err
		}
		previous, goesOn := made["previous"].(Object)
		if !goesOn {
			return made, nil
		}
		if previous["order"] == nil {
			return nil, &Error{Type: "DuplicateOrder", Message: "The order " + number + " was made elsewhere. Nothing was charged here."}
		}
		runID = fmt.Sprint(previous["run_id"])
	}
}

// run starts a workflow, or finds it, and waits for its result.
func (p *Payments) run(ctx context.Context, workflow, id string, input Object, reuse enumspb.WorkflowIdReusePolicy, into any) error {
	ctx, cancel := context.WithTimeout(ctx, createdTimeout)
	defer cancel()
	_, err := p.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: p.TaskQueue, WorkflowIDReusePolicy: reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, workflow, merged(input, Object{"app_id": p.AppID}))
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return asError(err)
	}
	return p.result(ctx, id, into)
}

// asError makes an Error of a failure of the contract, and of a call without an answer. Other errors stay as they are.
func asError(err error) error {
	var failure *temporal.ApplicationError
	if errors.As(err, &failure) {
		var details Object
		if failure.HasDetails() {
			_ = failure.Details(&details)
		}
		return &Error{Type: failure.Type(), Message: failure.Message(), Details: details}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Type: "PaymentPending", Message: "Temporal keeps it; is a worker running? Ask again with the same request."}
	}
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return &Error{Type: "NotFound", Message: "Temporal knows nothing under this number: " + gone.Message}
	}
	return err
}

// sealed is the order with its secrets sealed: each is a compact JWE that names the app and the order.
func (p *Payments) sealed(order Object) (Object, error) {
	request := Object{}
	for name, value := range order {
		request[name] = value
	}
	for _, name := range secretFields {
		secret, isText := order[name].(string)
		if !isText {
			continue
		}
		if p.SealingKey == nil {
			return nil, &Error{Type: "InvalidRequest", Message: name + " must be sealed: set PAYMENTS_SEALING_PUBLIC_JWK"}
		}
		jwe, err := Seal(secret, p.SealingKey, p.AppID, fmt.Sprint(order["out_trade_no"]))
		if err != nil {
			return nil, err
		}
		request[name] = Object{"sealed": jwe}
	}
	return request, nil
}

// differing names the fields in which two orders differ. Secrets are left out: each seal of one is another text.
func differing(one, other Object) []string {
	a, b := plain(one), plain(other)
	fields := []string{}
	for name := range merged(a, b) {
		if !reflect.DeepEqual(a[name], b[name]) {
			fields = append(fields, name)
		}
	}
	sort.Strings(fields)
	return fields
}

func merged(a, b Object) Object {
	both := Object{}
	for _, one := range []Object{a, b} {
		for name, value := range one {
			both[name] = value
		}
	}
	return both
}

// volatileFields may differ when the same order is asked for again: they tell how the buyer comes and goes.
var volatileFields = []string{"ip", "fingerprint", "language_code", "return_url", "notify_url"}

// plain is what makes it this order and no other, as JSON reads it back: with its kind, and without secrets.
func plain(payment Object) Object {
	var read struct {
		Kind    string
		Request Object
	}
	text, _ := json.Marshal(payment)
	_ = json.Unmarshal(text, &read)
	fields := merged(read.Request, Object{"kind": read.Kind})
	for _, names := range [][]string{secretFields, volatileFields} {
		for _, name := range names {
			delete(fields, name)
		}
	}
	return fields
}

func (p *Payments) paymentID(number string) string { return "payment:" + p.AppID + ":" + number }
