import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import payments.Answers.MerchantEvent;
import payments.ConfigError;
import payments.EventError;
import payments.EventReader;

/** Receives events, checks that they are genuine, and prints them, on port 9000 or PORT. */
public final class Events {
  private static final ObjectMapper JSON = JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
  /** Keep them in your database: an event may come again. */
  private static final Set<String> TAKEN = new HashSet<>();

  public static void main(String[] args) throws Exception {
    EventReader events = reader();
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9000"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      try (exchange) {
        exchange.sendResponseHeaders(take(events, exchange), -1);
      }
    });
    server.start();
    System.out.println(JSON.writeValueAsString(Map.of("port", server.getAddress().getPort())));
  }

  private static EventReader reader() {
    try {
      return new EventReader();
    } catch (ConfigError error) {
      System.err.println(error.getMessage());
      System.exit(2);
      throw error;
    }
  }

  /** The HTTP status of the answer. The server takes one request at a time. */
  private static int take(EventReader events, HttpExchange exchange) throws IOException {
    try {
      MerchantEvent event = events.read(exchange.getRequestBody().readAllBytes(), exchange.getRequestHeaders());
      if (TAKEN.add(event.id())) System.out.println(JSON.writeValueAsString(event));
      return 204;
    } catch (EventError forged) {
      return 401;
    }
  }
}
