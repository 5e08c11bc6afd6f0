package payments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.EmptyWebhookSecretException;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import payments.Answers.MerchantEvent;

/** Reads the requests that the worker posts to PAYMENTS_EVENTS_URL. An event may come again: take each id once. */
public final class EventReader {
  private final List<Webhook> webhooks;

  /** With the setting PAYMENTS_EVENTS_SECRETS, or its file. Throws ConfigError. */
  public EventReader() {
    this(Settings.value(Settings.environment(), "PAYMENTS_EVENTS_SECRETS"));
  }

  /** With these secrets, several separated by commas. Throws ConfigError. */
  public EventReader(String secrets) {
    List<String> texts = Stream.of(secrets.split("[,\\s]+")).filter(text -> !text.isEmpty()).toList();
    if (texts.isEmpty()) {
      throw new ConfigError("PAYMENTS_EVENTS_SECRETS is not set. It signs the events, and the worker has it; "
          + "with npm start it stands in .payments/dev.env.");
    }
    webhooks = texts.stream().map(EventReader::webhook).toList();
  }

  private static Webhook webhook(String secret) {
    try {
      return new Webhook(secret);
    } catch (EmptyWebhookSecretException | IllegalArgumentException wrong) {
      throw new ConfigError("PAYMENTS_EVENTS_SECRETS must be whsec_ and base64, several separated by commas.");
    }
  }

  /** The event, once its signature and its time are proved; the body is the request's, byte by byte. */
  public MerchantEvent read(byte[] body, Map<String, List<String>> headers) throws EventError {
    String text = new String(body, StandardCharsets.UTF_8);
    Map<String, List<String>> named = new HashMap<>();
    headers.forEach((name, values) -> named.put(String.valueOf(name).toLowerCase(Locale.ROOT), values));
    String refused = "";
    for (Webhook webhook : webhooks) {
      try {
        webhook.verify(text, named);
        return Json.MAPPER.readValue(text, MerchantEvent.class);
      } catch (WebhookVerificationException | JsonProcessingException | IllegalArgumentException forged) {
        refused = forged.getMessage();
      }
    }
    throw new EventError("This request is no event of ours: " + refused);
  }
}
