package payments;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The settings of the environment, or of the stack that runs in this folder. */
public final class Settings {
  /** Each of these variables names a stack. Where one is set, .payments/dev.env is not read. */
  private static final List<String> NAMES_A_STACK =
      List.of("TEMPORAL_ADDRESS", "TEMPORAL_PROFILE", "GATEWAY_APP_ID", "GATEWAY_APPS_FILE");

  private Settings() {}

  /** The environment, or where it names no stack, the settings of the one that `payment-gateway dev` runs here. Throws ConfigError. */
  public static Map<String, String> environment() {
    Map<String, String> own = System.getenv();
    Path file = Path.of(".payments", "dev.env");
    boolean isNamed = NAMES_A_STACK.stream().anyMatch(name -> !own.getOrDefault(name, "").isEmpty());
    if (isNamed || "production".equals(own.get("NODE_ENV")) || !Files.exists(file)) return own;
    Map<String, String> settings = new HashMap<>();
    try {
      if (!isOwn(file)) {
        throw new ConfigError(file + " is not read: it must be a file of yours with mode 600, as npx payment-gateway dev makes it. "
            + "Run that here, or set TEMPORAL_ADDRESS and the other settings.");
      }
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

  /** A setting, or what the file holds that `…_FILE` names; empty where neither is set. Throws ConfigError. */
  static String value(Map<String, String> settings, String name) {
    String value = settings.getOrDefault(name, "");
    String file = settings.getOrDefault(name + "_FILE", "");
    if (file.isEmpty()) return value;
    if (!value.isEmpty()) throw new ConfigError(name + " and " + name + "_FILE are both set; keep one.");
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException error) {
      throw new ConfigError(name + "_FILE cannot be read: " + error.getMessage());
    }
  }

  /** In a folder of somebody else's, the file could name their Temporal and their keys. Windows has no such modes. */
  private static boolean isOwn(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (view == null) return true;
    PosixFileAttributes known = view.readAttributes();
    boolean isPrivate = known.permissions().equals(PosixFilePermissions.fromString("rw-------"));
    return known.isRegularFile() && isPrivate && known.owner().getName().equals(System.getProperty("user.name"));
  }

  /** The value as a shell reads it, whose quote within quotes is '\''. */
  private static String unquoted(String word) {
    boolean isQuoted = word.length() > 1 && word.startsWith("'") && word.endsWith("'");
    return isQuoted ? word.substring(1, word.length() - 1).replace("'\\''", "'") : word;
  }
}
