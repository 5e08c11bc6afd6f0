package payments;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.failure.ApplicationFailure;
import java.util.Map;
import java.util.concurrent.Callable;

/** A merchant's backend: it takes one task, its request as JSON, and prints the answer, or the failure and ends with 1. */
public final class Merchant {
  /** ASCII, which every terminal prints. */
  private static final ObjectMapper JSON = JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  public static void main(String[] args) throws Exception {
    if (args.length < 1) {
      System.err.println("usage: Merchant pay|state|outcome|refund|refunds|create-account|account|banks [NUMBER] < REQUEST.json");
      System.exit(2);
    }
    try (Payments payments = connected()) {
      Map<?, ?> said = said(payments, args[0], args.length > 1 ? args[1] : "", Merchant::request);
      System.out.println(JSON.writeValueAsString(said));
      if (said.containsKey("error")) System.exit(1);
    }
  }

  /** The answer to a task, or its failure: `error`, `message` and `details`. */
  static Map<?, ?> said(Payments payments, String task, String number, Callable<Map<?, ?>> request) throws Exception {
    try {
      return answer(payments, task, number, request);
    } catch (WorkflowNotFoundException unknown) {
      String message = "Temporal knows nothing under this number: " + unknown.getExecution().getWorkflowId();
      return Map.of("error", "NotFound", "message", message);
    } catch (RuntimeException error) {
      ApplicationFailure failure = failureOf(error);
      Object details = failure.getDetails().getSize() == 0 ? Map.of() : failure.getDetails().get(Map.class);
      return Map.of("error", failure.getType(), "message", failure.getOriginalMessage(), "details", details);
    }
  }

  /** Ends with 2 and a sentence where a setting is missing or wrong. */
  private static Payments connected() throws Exception {
    try {
      return new Payments(System.getenv());
    } catch (IllegalArgumentException wrong) {
      print("ConfigError", wrong.getMessage());
      System.exit(2);
      throw wrong;
    }
  }

  private static void print(String error, String message) throws Exception {
    System.out.println(JSON.writeValueAsString(Map.of("error", error, "message", message)));
  }

  private static Map<?, ?> answer(Payments payments, String task, String number, Callable<Map<?, ?>> request)
      throws Exception {
    return switch (task) {
      case "pay" -> payments.pay(request.call());
      case "state" -> payments.state(number);
      case "outcome" -> payments.outcome(number);
      case "refund" -> payments.refund(number, request.call());
      case "refunds" -> payments.refunds(number);
      case "create-account" -> payments.createAccount(number, request.call());
      case "account" -> payments.account(number);
      case "banks" -> payments.banks(request.call());
      default -> throw new IllegalArgumentException("no task is named " + task);
    };
  }

  /** The request that is piped in; an order file of examples/orders has it inside. */
  private static Map<?, ?> request() throws Exception {
    Map<?, ?> file = JSON.readValue(System.in, Map.class);
    if ("checkout".equals(file.get("kind"))) {
      print("InvalidRequest", "This client makes no checkout: those for Go and Python do.");
      System.exit(2);
    }
    return file.get("request") instanceof Map<?, ?> request ? request : file;
  }

  /** The failure of the contract is a cause of what the SDK throws; whatever has none is thrown on. */
  private static ApplicationFailure failureOf(RuntimeException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ApplicationFailure failure) return failure;
    }
    throw error;
  }
}
