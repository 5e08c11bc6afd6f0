package payments.testing;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import payments.ConfigError;
import payments.Settings;

/**
 * For your tests: the buyer, the bank and the clock of the simulated gateway that `npm start` runs (docs/simulator.md). Throws
 * IllegalStateException where the state of a trade forbids an action.
 */
public final class Simulator {
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;

  /** Finds it by the setting GATEWAY_BASE_URL. Throws ConfigError where there is none. */
  public Simulator() {
    url = Settings.environment().getOrDefault("GATEWAY_BASE_URL", "");
    if (url.isEmpty()) {
      throw new ConfigError(
          "Where is the simulated gateway? Set GATEWAY_BASE_URL, or run payment-gateway dev in this folder first.");
    }
  }

  /** The buyer pays. */
  public void pay(String outTradeNo) {
    act(outTradeNo, "pay");
  }

  /** Any action of a buyer or a bank: refuse, cancel, dispute, chargeback, … */
  public void act(String outTradeNo, String action) {
    post("trades/" + encoded(outTradeNo) + "/" + action, Map.of());
  }

  /** Money comes into a virtual account. */
  public void deposit(String accountId, String amount) {
    post("accounts/" + encoded(accountId) + "/deposits", Map.of("amount", amount));
  }

  /** The gateway's clock moves, by such as 2h or 3d. Temporal's does not. */
  public void advance(String span) {
    post("clock", Map.of("advance", span));
  }

  private void post(String path, Map<String, String> body) {
    try {
      String text = new ObjectMapper().writeValueAsString(body);
      HttpRequest request = HttpRequest.newBuilder(URI.create(url.replaceAll("/$", "") + "/simulator/" + path))
          .header("content-type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(text))
          .build();
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) throw new IllegalStateException("The simulated gateway refused: " + response.body());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private static String encoded(String number) {
    return URLEncoder.encode(number, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
