package payments;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Why there is no answer. Its type is InvalidRequest, NotCreated, DuplicateOrder, DifferentRequest, PaymentPending, NotCanceled,
 * OverRefund, NotRefunded, DuplicateRefund, NotAnswered, NotFound or AccountCanceled, in every language. Repeating a call is always safe.
 */
public final class PaymentError extends RuntimeException {
  /** Of these the work goes on, or nobody has taken it yet: the same call again, until there is an answer. */
  private static final List<String> PENDING = List.of("PaymentPending", "RefundPending", "Closing", "NotAnswered");

  private final String type;
  private final String because;
  private final transient Map<?, ?> details;

  private PaymentError(String type, String because, String message, Map<?, ?> details) {
    super(message);
    this.type = type;
    this.because = because;
    this.details = details;
  }

  /** The error for a failure of the contract: whatever waits is PaymentPending. */
  static PaymentError of(String failure, String message, Map<?, ?> details) {
    return new PaymentError(PENDING.contains(failure) ? "PaymentPending" : failure, failure, message, details);
  }

  /** A question that has no answer. */
  PaymentError asNotAnswered() {
    return type.equals("PaymentPending") ? new PaymentError("NotAnswered", "NotAnswered", getMessage(), details) : this;
  }

  public String type() {
    return type;
  }

  /** The failure's own type where this one is PaymentPending, such as RefundPending. */
  public String because() {
    return because;
  }

  /** Those of docs/contract.md. */
  public Map<?, ?> details() {
    return details;
  }

  /** Whether the same call may give another answer later. */
  public boolean retryable() {
    if (type.equals("PaymentPending")) return true;
    Object said = details.get("retryable");
    return (said == null ? type.equals("NotAnswered") : said.equals(true)) && !mayExist();
  }

  /** A wrong field, such as customer.name, and the rule that it breaks. */
  public record Issue(String field, String rule) {}

  /** The wrong fields of an InvalidRequest. */
  public List<Issue> issues() {
    List<Issue> issues = new ArrayList<>();
    if (details.get("issues") instanceof List<?> found) {
      for (Object one : found) {
        if (one instanceof Map<?, ?> issue) issues.add(new Issue(String.valueOf(issue.get("field")), String.valueOf(issue.get("rule"))));
      }
    }
    return issues;
  }

  /** In what the requests differ (DifferentRequest), or the wrong fields (InvalidRequest). */
  public List<String> fields() {
    if (details.get("fields") instanceof List<?> found) return found.stream().map(String::valueOf).toList();
    return issues().stream().map(Issue::field).toList();
  }

  /** What is left of the payment (OverRefund); null where it is not said. */
  public String left() {
    return text("left");
  }

  /** The gateway's code; null where it gave none. */
  public String code() {
    return text("code");
  }

  /** The gateway's code of the cause; null where it gave none. */
  public String subCode() {
    return text("sub_code");
  }

  /** There may be an order all the same: it is watched, and its number cannot be used again before that is over. */
  public boolean mayExist() {
    return Boolean.TRUE.equals(details.get("may_exist"));
  }

  /** Whether the number can be used again, with the same order or a mended one. */
  boolean leavesNoOrder() {
    return (type.equals("NotCreated") || type.equals("InvalidRequest")) && !mayExist();
  }

  private String text(String name) {
    return details.get(name) instanceof String found ? found : null;
  }
}
