package payments

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

// Longer than the workflows wait for the gateway, so that they answer first if a worker runs.
const (
	answerTimeout = 45 * time.Second
	// lookupLives: nobody waits for a later answer, so a worker that comes back must not ask the gateway for it.
	lookupLives   = answerTimeout + 15*time.Second
	refundTimeout = 75 * time.Second
	queryTimeout  = 15 * time.Second
)

const (
	// A workflow that was just ending took nothing: the same call, a second later, starts another one.
	closingTries = 5
	// The pauses of a caller that waits for Temporal: each is twice the one before it.
	firstPause   = time.Second
	longestPause = 10 * time.Second
	// Callers of one order share an update for so long: Temporal takes few at a time. The update waits as long before it fails as pending,
	// so nobody gets the failure of an earlier call.
	sharedFor = 30 * time.Second
	// The list of workflows is a moment behind.
	listedTries = 10
	// The activity by which a run sends its order.
	creation = "gateway.create"
)

// workflows are those of one app on one task queue.
type workflows struct {
	client    client.Client
	appID     string
	taskQueue string
	namespace string
	converter converter.DataConverter
}

type start struct {
	workflow, id, update, updateID string
	input                          any
	arguments                      []any
	reuse                          enumspb.WorkflowIdReusePolicy
	timeout                        time.Duration
}

// startWithUpdate starts the workflow, or finds it, and returns the update's answer, by one call.
func (w *workflows) startWithUpdate(ctx context.Context, s start, into any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	operation := w.client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: s.id, TaskQueue: w.taskQueue, WorkflowIDReusePolicy: s.reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, s.workflow, s.input)
	handle, err := w.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: operation,
		UpdateOptions: client.UpdateWorkflowOptions{
			WorkflowID: s.id, UpdateID: s.updateID, UpdateName: s.update, Args: s.arguments,
			WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err == nil {
		err = handle.Get(ctx, into)
	}
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return failure("Closing", "The workflow was just ending: "+gone.Message, nil)
	}
	return asError(err)
}

func (w *workflows) update(ctx context.Context, id, name string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	handle, err := w.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: name, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(ctx, into)
	}
	return asError(err)
}

// state is what a workflow that has ended well returned, which needs no worker; any other is asked.
func (w *workflows) state(ctx context.Context, id string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	described, err := w.client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return asError(err)
	}
	latest := described.GetWorkflowExecutionInfo()
	if latest.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		return asError(w.client.GetWorkflow(ctx, id, latest.GetExecution().GetRunId()).Get(ctx, into))
	}
	value, err := w.client.QueryWorkflow(ctx, id, "", "state")
	if err == nil {
		err = value.Get(into)
	}
	return asError(err)
}

// running has the input and the state of the run that goes on: a query adds nothing to its history. It is nil where no run goes on, or where
// it shows no state: then an update tells why. It fails with PaymentPending where there is no answer.
func (w *workflows) running(ctx context.Context, id string) (*running, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var read running
	described, err := w.client.DescribeWorkflowExecution(ctx, id, "")
	latest := described.GetWorkflowExecutionInfo()
	if err == nil && latest.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil, nil
	}
	runID := latest.GetExecution().GetRunId()
	if err == nil {
		var value converter.EncodedValue
		if value, err = w.client.QueryWorkflow(ctx, id, runID, "state"); err == nil {
			err = value.Get(&read.state)
		}
	}
	if err == nil {
		read.input, err = w.input(ctx, id, runID)
	}
	var failed *Error
	if errors.As(asError(err), &failed) && failed.Type != "NotFound" {
		return nil, failed
	}
	if err != nil {
		return nil, nil
	}
	return &read, nil
}

// running is a run that goes on.
type running struct {
	input paymentInput
	state PaymentState
}

func (w *workflows) result(ctx context.Context, id string, into any) error {
	return asError(untilReached(ctx, func() error { return w.client.GetWorkflow(ctx, id, "").Get(ctx, into) }))
}

// run starts a workflow, or finds it, and waits for its result. It lives at most so long; 0 is without a limit.
func (w *workflows) run(ctx context.Context, workflow, id string, input any, reuse enumspb.WorkflowIdReusePolicy, lives time.Duration, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := w.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: w.taskQueue, WorkflowIDReusePolicy: reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING, WorkflowExecutionTimeout: lives,
	}, workflow, input)
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return asError(err)
	}
	return w.result(ctx, id, into)
}

// paymentInput is the input of a payment's run.
type paymentInput struct {
	Kind         string `json:"kind"`
	AppID        string `json:"app_id"`
	Request      Object `json:"request"`
	FirstStartID string `json:"first_start_id,omitempty"`
	// MayBe is the order that the run which gave way to this one may have made.
	MayBe *paymentInput `json:"may_be,omitempty"`
}

// order is that with which a run was started, or that the run which gave way to it may have made. It is nil of another adopted trade.
func (i paymentInput) order() *paymentInput {
	if i.Kind == "adopt" {
		return i.MayBe
	}
	return &i
}

// order is the input of the latest run that may have made the order. It fails with DuplicateOrder where none has.
func (w *workflows) order(ctx context.Context, id, number string) (paymentInput, error) {
	described, err := w.client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return paymentInput{}, asError(err)
	}
	latest := described.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	input, err := w.input(ctx, id, latest)
	if err != nil {
		return paymentInput{}, asError(err)
	}
	if order := input.order(); order != nil {
		return *order, nil
	}
	runs, err := w.runsBefore(ctx, id, latest)
	if err != nil {
		return paymentInput{}, asError(err)
	}
	for _, run := range runs {
		input, err := w.input(ctx, id, run.GetExecution().GetRunId())
		if err != nil {
			return paymentInput{}, asError(err)
		}
		order := input.order()
		if order == nil {
			continue
		}
		// The order of a run that gave way was looked at when it did.
		mayBeMade := input.Kind == "adopt"
		if !mayBeMade {
			if mayBeMade, err = w.mayHaveMade(ctx, run.GetExecution()); err != nil {
				return paymentInput{}, asError(err)
			}
		}
		if mayBeMade {
			return *order, nil
		}
	}
	return paymentInput{}, failure("DuplicateOrder", "Order "+number+" was made elsewhere, as the gateway or a person has said, and ours was not made.", nil)
}

// input is that of a run. What is no payment's says nothing of an order.
func (w *workflows) input(ctx context.Context, id, runID string) (read paymentInput, err error) {
	first, err := w.client.GetWorkflowHistory(ctx, id, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		return read, err
	}
	owner := converter.WorkflowSerializationContext{Namespace: w.namespace, WorkflowID: id}
	reader := converter.WithDataConverterSerializationContext(w.converter, owner)
	err = reader.FromPayloads(first.GetWorkflowExecutionStartedEventAttributes().GetInput(), &read)
	if read.Kind == "" {
		read.Kind = "adopt"
	}
	return read, err
}

// runsBefore are the runs under the id before its latest one, that one first which was started last.
func (w *workflows) runsBefore(ctx context.Context, id, latest string) (runs []*workflowpb.WorkflowExecutionInfo, err error) {
	for tries, isListed := 0, false; tries < listedTries && !isListed; tries++ {
		if tries > 0 {
			time.Sleep(200 * time.Millisecond)
		}
		runs = nil
		for token, isFirst := []byte(nil), true; isFirst || len(token) > 0; isFirst = false {
			page, err := w.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
				Namespace: w.namespace, Query: runsOf(id), NextPageToken: token,
			})
			if err != nil {
				return nil, err
			}
			for _, run := range page.GetExecutions() {
				isListed = isListed || run.GetExecution().GetRunId() == latest
				if run.GetExecution().GetWorkflowId() == id && run.GetExecution().GetRunId() != latest &&
					run.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
					runs = append(runs, run)
				}
			}
			token = page.GetNextPageToken()
		}
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].GetStartTime().AsTime().After(runs[j].GetStartTime().AsTime()) })
	return runs, nil
}

// runsOf is the query for the runs under an id. It cannot hold a quotation mark or a backslash, so it may find those of others.
func runsOf(id string) string {
	whole, _, isCut := strings.Cut(strings.ReplaceAll(id, `\`, `"`), `"`)
	text := strings.ReplaceAll(whole, "'", "''")
	if isCut {
		return "WorkflowId STARTS_WITH '" + text + "'"
	}
	return "WorkflowId = '" + text + "'"
}

// mayHaveMade tells whether a run has begun to send its order, and has not failed with the word that there is none.
func (w *workflows) mayHaveMade(ctx context.Context, run *commonpb.WorkflowExecution) (bool, error) {
	id, runID := run.GetWorkflowId(), run.GetRunId()
	isBegun := false
	events := w.client.GetWorkflowHistory(ctx, id, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() && !isBegun {
		event, err := events.Next()
		if err != nil {
			return false, err
		}
		isBegun = event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == creation
	}
	if !isBegun {
		return false, nil
	}
	described, err := w.client.DescribeWorkflowExecution(ctx, id, runID)
	if err != nil || described.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_FAILED {
		return true, err
	}
	once := client.WorkflowRunGetOptions{DisableFollowingRuns: true}
	err = asError(w.client.GetWorkflow(ctx, id, runID).GetWithOptions(ctx, nil, once))
	var failed *Error
	isWithoutOrder := errors.As(err, &failed) && (failed.Type == "DuplicateOrder" || failed.leavesNoOrder())
	return !isWithoutOrder, nil
}

// asError makes an Error of a failure of the contract, and of a call without an answer. Other errors stay as they are.
func asError(err error) error {
	var failed *temporal.ApplicationError
	if errors.As(err, &failed) {
		if failed.Type() == "AcceptedUpdateCompletedWorkflow" {
			return noAnswer()
		}
		var details Object
		if failed.HasDetails() {
			_ = failed.Details(&details)
		}
		return failure(failed.Type(), failed.Message(), details)
	}
	var terminated *temporal.TerminatedError
	var canceled *temporal.CanceledError
	var timedOut *temporal.TimeoutError
	if errors.As(err, &terminated) || errors.As(err, &canceled) || errors.As(err, &timedOut) {
		return failure("PaymentPending", "Somebody ended this workflow in Temporal before its outcome was known. "+
			"The order may exist: look for it there.", nil)
	}
	if errors.Is(err, context.DeadlineExceeded) || isWithoutAnswer(err) {
		return noAnswer()
	}
	// A namespace that is not there is an error of its own: a wrong setting says nothing about a workflow.
	var gone *serviceerror.NotFound
	if errors.As(err, &gone) {
		return failure("NotFound", "Temporal knows nothing under this number: "+gone.Message, nil)
	}
	if err != nil && strings.Contains(err.Error(), "no poller") {
		return noAnswer()
	}
	if brokeOff(err) {
		return failure("PaymentPending", unreachable, nil)
	}
	var unready *serviceerror.WorkflowNotReady
	var refused *serviceerror.FailedPrecondition
	if errors.As(err, &unready) || errors.As(err, &refused) {
		return failure("PaymentPending", "Temporal keeps the order, but the worker cannot process it; has it the same keys as this process?", nil)
	}
	return err
}

const unreachable = "Temporal could not be reached, or broke off the call, so it is unknown whether it has taken it: it may have. " +
	"Make the same call again, with the same number: that is safe, and what was sent is not sent again."

// brokeOff tells whether Temporal restarts, or the connection to it was lost, which has several codes. The call may have been taken.
func brokeOff(err error) bool {
	var unavailable *serviceerror.Unavailable
	var internal *serviceerror.Internal
	var aborted *serviceerror.Aborted
	var lost *serviceerror.DataLoss
	var canceled *serviceerror.Canceled
	return errors.As(err, &unavailable) || errors.As(err, &internal) || errors.As(err, &aborted) ||
		errors.As(err, &lost) || errors.As(err, &canceled)
}

// isClosed: this client takes no more calls.
func isClosed(err error) bool {
	return strings.Contains(err.Error(), "client connection is closing")
}

// isWithoutAnswer: Temporal had no answer in its time, or takes no more calls just now.
func isWithoutAnswer(err error) bool {
	var late *serviceerror.DeadlineExceeded
	var busy *serviceerror.ResourceExhausted
	return errors.As(err, &late) || errors.As(err, &busy)
}

// untilReached asks again while Temporal cannot be reached, or takes no calls, until the context ends.
func untilReached(ctx context.Context, call func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := call()
		if err == nil || ctx.Err() != nil || isClosed(err) || !brokeOff(err) && !isWithoutAnswer(err) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

func noAnswer() *Error {
	return failure("PaymentPending", "There is no answer yet, and what Temporal has taken goes on: can it be reached, and is a worker running? Ask again.", nil)
}

// whileClosing asks once more where the workflow was just ending, and took nothing: the same call starts another one.
func whileClosing(ctx context.Context, call func(tries int) error) error {
	for tries := 1; ; tries++ {
		err := call(tries)
		var failed *Error
		if !errors.As(err, &failed) || failed.Because != "Closing" || tries == closingTries {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return err
		}
	}
}

// digest names a value: 32 hexadecimal digits.
func digest(value any) string {
	text, _ := json.Marshal(value)
	return fmt.Sprintf("%x", sha256.Sum256(text))[:32]
}

// asObject is a value as JSON reads it.
func asObject(value any) (object Object, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &object)
	}
	return object, err
}
