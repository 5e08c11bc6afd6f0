package payments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The merchant of examples/java for a test: takes one task after the other, each a line of JSON, and prints each answer. */
public final class Tasks {
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    try (Payments payments = new Payments(System.getenv());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode asked = json.readTree(line);
        Map<?, ?> request = json.convertValue(asked.get("request"), Map.class);
        String task = asked.get("task").asText();
        System.out.println(json.writeValueAsString(
            Merchant.said(payments, task, asked.get("number").asText(), () -> request)));
      }
    }
  }
}
