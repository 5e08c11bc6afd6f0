package payments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Receives events, checks that they are genuine, and prints them: PORT=9000 PAYMENTS_EVENTS_SECRETS=whsec_… */
public final class Events {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** Keep them in your database: an event may come again. */
  private static final Set<String> TAKEN = new HashSet<>();

  public static void main(String[] args) throws Exception {
    Map<String, String> env = System.getenv();
    String secret = env.getOrDefault("PAYMENTS_EVENTS_SECRETS", "");
    if (secret.isEmpty()) {
      System.err.println("PAYMENTS_EVENTS_SECRETS is not set. It signs the events, and the worker has it; "
          + "with npm start it stands in .payments/dev.env.");
      System.exit(2);
    }
    Webhook webhook = new Webhook(secret);
    int port = Integer.parseInt(env.getOrDefault("PORT", "9000"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      try (exchange) {
        exchange.sendResponseHeaders(take(webhook, exchange), -1);
      }
    });
    server.start();
    System.out.println(JSON.writeValueAsString(Map.of("port", server.getAddress().getPort())));
  }

  /** The HTTP status of the answer. The server takes one request at a time. */
  private static int take(Webhook webhook, HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Map<String, List<String>> headers = new HashMap<>();
    exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
    try {
      webhook.verify(body, headers);
    } catch (WebhookVerificationException forged) {
      return 401;
    }
    JsonNode event = JSON.readTree(body);
    if (TAKEN.add(event.path("id").asText())) System.out.println(event);
    return 204;
  }
}
