package payments;

/** A request that is no event of ours: its signature does not hold, or it is too old. Answer it with 401. */
public final class EventError extends Exception {
  EventError(String message) {
    super(message);
  }
}
