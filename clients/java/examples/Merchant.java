import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import payments.Answers.PaymentData;
import payments.Answers.PaymentState;
import payments.ConfigError;
import payments.Orders.DirectPayment;
import payments.PaymentError;
import payments.Payments;

/**
 * A merchant's backend: starts the payment of an order file and prints where the buyer pays, and with --wait how it ended. It ends with
 * 0 (sold, or started), 1 (not sold), 2 (wrong order or settings: nothing was sent) or 3 (not known yet: run it again).
 */
public final class Merchant {
  public static void main(String[] args) throws Exception {
    if (args.length < 1) end(2, "usage: Merchant ORDER.json [--wait]");
    Map<?, ?> request = (Map<?, ?>) read(new File(args[0])).get("request");
    DirectPayment order = DirectPayment.of(String.valueOf(request.get("out_trade_no")), String.valueOf(request.get("method")));
    request.forEach((name, value) -> order.with(String.valueOf(name), value));
    try (Payments payments = Payments.connect()) {
      boolean waits = Arrays.asList(args).contains("--wait");
      end(sell(payments, order, String.valueOf(request.get("out_trade_no")), waits), "");
    } catch (ConfigError error) {
      end(2, "ConfigError: " + error.getMessage());
    } catch (PaymentError error) {
      int code = Map.of("InvalidRequest", 2, "PaymentPending", 3).getOrDefault(error.type(), 1);
      end(code, error.type() + ": " + error.getMessage());
    }
  }

  private static Map<?, ?> read(File file) {
    try {
      return new ObjectMapper().readValue(file, Map.class);
    } catch (IOException error) {
      // Its message may quote the order.
      end(2, "ConfigError: The order file cannot be read: " + file + ", " + error.getClass().getSimpleName());
      return Map.of();
    }
  }

  /** The same order again gets the same answer. Returns the exit code. */
  private static int sell(Payments payments, DirectPayment order, String number, boolean waits) {
    PaymentData data = payments.pay(order);
    System.out.println(data.payUrl() == null ? "Nothing to pay with: it was refused, or its answer got lost. Let it end."
        : "The buyer pays here: " + data.payUrl());
    if (!waits) return 0;
    PaymentState state = payments.outcome(number);
    System.out.println(state.outcome());
    if (Payments.isSold(state)) return 0;
    return state.attention() == null ? 1 : 3; // a person decides first
  }

  private static void end(int code, String message) {
    // In UTF-8, whatever the terminal's locale says: an order may have any name in it.
    if (!message.isEmpty()) new PrintStream(System.err, true, StandardCharsets.UTF_8).println(message);
    System.exit(code);
  }
}
