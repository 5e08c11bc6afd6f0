package payments;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The settings of the environment, or of the stack that runs in this folder. */
public final class Settings {
  /** Each of these variables names a stack. Where one is set, .payments/dev.env is not read. */
  private static final List<String> NAMES_A_STACK =
      List.of("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "GATEWAY_APP_ID", "GATEWAY_APPS_FILE");

  private Settings() {}

  /** The environment, or where it names no stack, the settings of the one that `payment-gateway dev` runs in this folder. */
  public static Map<String, String> environment() {
    Map<String, String> own = System.getenv();
    Path file = Path.of(".payments", "dev.env");
    boolean isNamed = NAMES_A_STACK.stream().anyMatch(name -> !own.getOrDefault(name, "").isEmpty());
    if (isNamed || "production".equals(own.get("NODE_ENV")) || !Files.exists(file)) return own;
    Map<String, String> settings = new HashMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        int at = line.indexOf('=');
        if (at > 0) settings.put(line.substring(0, at), unquoted(line.substring(at + 1)));
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    settings.putAll(own);
    return settings;
  }

  /** The value as a shell reads it, whose quote within quotes is '\''. */
  private static String unquoted(String word) {
    boolean isQuoted = word.length() > 1 && word.startsWith("'") && word.endsWith("'");
    return isQuoted ? word.substring(1, word.length() - 1).replace("'\\''", "'") : word;
  }
}
