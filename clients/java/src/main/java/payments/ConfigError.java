package payments;

/** A setting is missing or wrong. The message says which, and never quotes a secret. */
public final class ConfigError extends RuntimeException {
  public ConfigError(String message) {
    super(message);
  }
}
