package payments

import "slices"

// Error says why there is no answer. Type is one of InvalidRequest, NotCreated, DuplicateOrder, DifferentRequest,
// PaymentPending, NotCanceled, OverRefund, NotRefunded, DuplicateRefund, NotAnswered, NotFound and AccountCanceled, in every language.
// Find it with errors.As; repeating a call is always safe.
type Error struct {
	Type    string
	Message string
	// Details are those of docs/contract.md.
	Details Object
	// Because is the failure's own type where Type is PaymentPending, such as RefundPending.
	Because string
}

// ConfigError says which setting is missing or wrong, and never quotes a secret.
type ConfigError struct{ Message string }

// TemporalUnreachableError says where Temporal cannot be reached, and what to do.
type TemporalUnreachableError struct{ Message string }

// EventError says that a request is no event of ours: answer it with 401.
type EventError struct{ Message string }

// Of these the work goes on, or nobody has taken it yet: the same call again, until there is an answer.
var pending = []string{"PaymentPending", "RefundPending", "Closing", "NotAnswered"}

func (e *Error) Error() string       { return e.Type + ": " + e.Message }
func (e *ConfigError) Error() string { return e.Message }
func (e *EventError) Error() string  { return e.Message }

func (e *TemporalUnreachableError) Error() string { return e.Message }

// failure is the error for a failure of the contract: whatever waits is PaymentPending.
func failure(of, message string, details Object) *Error {
	if slices.Contains(pending, of) {
		return &Error{Type: "PaymentPending", Message: message, Details: details, Because: of}
	}
	return &Error{Type: of, Message: message, Details: details, Because: of}
}

// Retryable tells whether the same call may give another answer later.
func (e *Error) Retryable() bool {
	if e.Type == "PaymentPending" {
		return true
	}
	said, isSaid := e.Details["retryable"].(bool)
	return (said || !isSaid && e.Type == "NotAnswered") && !e.MayExist()
}

// Issue is a wrong field, such as customer.name, and the rule that it breaks.
type Issue struct{ Field, Rule string }

// Issues are the wrong fields of an InvalidRequest.
func (e *Error) Issues() []Issue {
	issues := []Issue{}
	for _, one := range list(e.Details["issues"]) {
		issue, _ := one.(map[string]any)
		issues = append(issues, Issue{Field: text(issue["field"]), Rule: text(issue["rule"])})
	}
	return issues
}

// Fields are those in which the requests differ (DifferentRequest), or the wrong ones (InvalidRequest).
func (e *Error) Fields() []string {
	fields := []string{}
	for _, one := range list(e.Details["fields"]) {
		fields = append(fields, text(one))
	}
	for _, issue := range e.Issues() {
		fields = append(fields, issue.Field)
	}
	return fields
}

// Left is what is left of the payment (OverRefund).
func (e *Error) Left() string { return text(e.Details["left"]) }

// Code is the gateway's code, where it gave one.
func (e *Error) Code() string { return text(e.Details["code"]) }

// SubCode is the gateway's code of the cause, where it gave one.
func (e *Error) SubCode() string { return text(e.Details["sub_code"]) }

// MayExist tells that there may be an order all the same: it is watched, and its number cannot be used again before that is over.
func (e *Error) MayExist() bool { return e.Details["may_exist"] == true }

// leavesNoOrder: the number can be used again, with the same order or a mended one.
func (e *Error) leavesNoOrder() bool {
	return (e.Type == "NotCreated" || e.Type == "InvalidRequest") && !e.MayExist()
}

func text(value any) string {
	found, _ := value.(string)
	return found
}

func list(value any) []any {
	found, _ := value.([]any)
	return found
}
