package payments;

import com.fasterxml.jackson.databind.JsonNode;
import io.grpc.StatusRuntimeException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import payments.Orders.Checkout;
import payments.Orders.DirectPayment;
import payments.Orders.NewSpeiAccount;
import payments.Orders.RefundOptions;
import payments.testing.Simulator;

/** Makes the calls of the contract's cases (clients/cases.json): each is a line of JSON, and so is what it prints of it. */
public final class Cases {
  public static void main(String[] args) throws Exception {
    try (Payments payments = Payments.connect();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(Json.MAPPER.writeValueAsString(said(payments, Json.MAPPER.readTree(line))));
      }
    }
  }

  private static Map<String, ?> said(Payments payments, JsonNode asked) {
    try {
      Object answer = answer(payments, asked);
      return answer == null ? Map.of() : Map.of("answer", answer);
    } catch (PaymentError error) {
      Map<String, Object> failed = new HashMap<>(Map.of("type", error.type(), "because", error.because(), "message", error.getMessage()));
      failed.putAll(Map.of("retryable", error.retryable(), "fields", error.fields(), "issues", error.issues()));
      failed.put("left", error.left());
      failed.put("code", error.code());
      failed.put("sub_code", error.subCode());
      return Map.of("error", failed);
    } catch (EventError error) {
      return Map.of("error", Map.of("type", "EventError", "message", error.getMessage()));
    } catch (StatusRuntimeException error) {
      return Map.of("error", Map.of("type", "Temporal", "message", error.getMessage()));
    }
  }

  private static Object answer(Payments payments, JsonNode asked) throws EventError {
    String number = asked.path("number").asText();
    return switch (asked.get("call").asText()) {
      case "pay" -> payments.pay(DirectPayment.of(Json.fields(asked.get("order"))));
      case "createCheckout" -> payments.createCheckout(Checkout.of(Json.fields(asked.get("order"))));
      case "state" -> payments.state(number);
      case "outcome" -> payments.outcome(number);
      case "cancel" -> payments.cancel(number);
      case "refund" -> asked.has("refund") ? payments.refund(number, refund(asked.get("refund"))) : payments.refund(number);
      case "refunds" -> payments.refunds(number);
      case "isSold" -> Payments.isSold(Json.as(asked.get("state"), Answers.PaymentState.class));
      case "banks" -> payments.banks(Json.fields(asked.get("request")));
      case "installments" -> payments.installments(Json.fields(asked.get("request")));
      case "walletToken" -> payments.walletToken(Map.of());
      case "accounts.create" -> payments.accounts().create(Json.as(asked.get("account"), NewSpeiAccount.class),
          asked.has("number") ? number : null);
      case "accounts.get" -> payments.accounts().get(number);
      case "accounts.cancel" -> payments.accounts().cancel(number);
      case "accounts.recheck" -> payments.accounts().recheck(number);
      case "accounts.quantity" -> payments.accounts().quantity();
      case "simulator.act" -> acted(() -> new Simulator().act(number, asked.get("action").asText()));
      case "simulator.deposit" -> acted(() -> new Simulator().deposit(number, asked.get("amount").asText()));
      case "events.read" -> new EventReader(asked.get("secrets").asText())
          .read(asked.get("body").asText().getBytes(StandardCharsets.UTF_8), headers(asked.get("headers")));
      case "types" -> types();
      default -> throw new IllegalArgumentException("no call " + asked);
    };
  }

  private static RefundOptions refund(JsonNode asked) {
    return RefundOptions.of(asked.path("amount").asText(), asked.path("out_request_no").asText());
  }

  private static Object acted(Runnable act) {
    act.run();
    return null;
  }

  private static Map<String, List<String>> headers(JsonNode given) {
    Map<String, List<String>> headers = new HashMap<>();
    given.properties().forEach(header -> headers.put(header.getKey(), List.of(header.getValue().asText())));
    return headers;
  }

  /** The fields of each type, to compare them with the schemas. */
  private static Map<String, List<String>> types() {
    Map<String, List<String>> types = new HashMap<>();
    for (Class<?> type : Answers.class.getDeclaredClasses()) {
      types.put(type.getSimpleName(), Stream.of(type.getRecordComponents()).map(Cases::nameOf).toList());
    }
    return types;
  }

  private static String nameOf(RecordComponent component) {
    return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT);
  }
}
