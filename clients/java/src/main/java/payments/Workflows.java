package payments;

import com.google.protobuf.util.Timestamps;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.temporal.api.common.v1.Payloads;
import io.temporal.api.enums.v1.WorkflowExecutionStatus;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.api.errordetails.v1.NamespaceNotFoundFailure;
import io.temporal.client.UpdateOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowExecutionMetadata;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowQueryException;
import io.temporal.client.WorkflowStub;
import io.temporal.client.WorkflowTargetOptions;
import io.temporal.client.WorkflowUpdateStage;
import io.temporal.client.WorkflowUpdateTimeoutOrCancelledException;
import io.temporal.common.converter.DataConverterException;
import io.temporal.failure.ApplicationFailure;
import io.temporal.failure.CanceledFailure;
import io.temporal.failure.TerminatedFailure;
import io.temporal.failure.TimeoutFailure;
import io.temporal.payload.codec.PayloadCodecException;
import io.temporal.payload.context.WorkflowSerializationContext;
import io.temporal.serviceclient.StatusUtils;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import payments.Answers.PaymentState;

/** Calls of Temporal's client on one app's workflows, and what their errors mean. */
@SuppressWarnings("rawtypes") // a class for Temporal's SDK names no arguments
final class Workflows implements AutoCloseable {
  /** Longer than the workflows wait for the gateway, so that they answer first if a worker runs. In seconds. */
  static final int ANSWER_TIMEOUT = 45, REFUND_TIMEOUT = 75, QUERY_TIMEOUT = 15;

  /** Nobody waits for a later answer to a question: a worker that comes back must not ask the gateway for it. */
  static final Duration LOOKUP_LIVES = Duration.ofSeconds(ANSWER_TIMEOUT + 15);

  /** A workflow that was just ending took nothing: the same call, a second later, starts another one. */
  private static final int CLOSING_TRIES = 5;

  /** The pauses of a caller that waits for Temporal, in ms: each is twice the one before it. */
  private static final long FIRST_PAUSE = 1_000, LONGEST_PAUSE = 10_000;

  /** Temporal cannot be reached, has no answer in its time, or takes no more calls just now. */
  private static final Set<Status.Code> WITHOUT_ANSWER = Set.of(Status.Code.UNAVAILABLE, Status.Code.INTERNAL, Status.Code.ABORTED,
      Status.Code.DATA_LOSS, Status.Code.UNKNOWN, Status.Code.DEADLINE_EXCEEDED, Status.Code.CANCELLED, Status.Code.RESOURCE_EXHAUSTED);

  /** The list of workflows is a moment behind. */
  private static final int LISTED_TRIES = 10;

  /** The activity by which a run sends its order. */
  private static final String CREATION = "gateway.create";

  private final ScheduledExecutorService deadlines = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "payments-deadlines");
    thread.setDaemon(true);
    return thread;
  });
  private final WorkflowClient client;
  private final String taskQueue;
  final String appId;

  Workflows(WorkflowClient client, String appId, String taskQueue) {
    this.client = client;
    this.appId = appId;
    this.taskQueue = taskQueue;
  }

  /** The number is taken by a workflow that is over. */
  static final class Over extends Exception {}

  /** A run that goes on. */
  record Running(Map<String, Object> input, PaymentState state) {}

  /**
   * The input and the state of the run that goes on: a query adds nothing to its history. Null where no run goes on, or where it shows no
   * state: then an update tells why. Throws PaymentError: PaymentPending where there is no answer.
   */
  Running running(String id) {
    try {
      return answered(QUERY_TIMEOUT, () -> {
        WorkflowExecutionMetadata run = client.newUntypedWorkflowStub(id).describe();
        if (run.getStatus() != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING) return null;
        Map<?, ?> state = stub(run).query("state", Map.class);
        return new Running(input(id, run.getExecution().getRunId()), Json.as(state, PaymentState.class));
      });
    } catch (PaymentError error) {
      if (!error.type().equals("NotFound")) throw error;
      return null;
    } catch (WorkflowQueryException | DataConverterException | PayloadCodecException untold) {
      return null;
    }
  }

  private WorkflowStub stub(WorkflowExecutionMetadata run) {
    return client.newUntypedWorkflowStub(WorkflowTargetOptions.newBuilder().setWorkflowExecution(run.getExecution()).build());
  }

  /** What a workflow that has ended well returned is its state, and needs no worker; any other is asked. */
  <T> T state(String id, Class<T> type) {
    return Json.as(answered(QUERY_TIMEOUT, () -> {
      WorkflowStub latest = client.newUntypedWorkflowStub(id);
      WorkflowExecutionMetadata run = latest.describe();
      if (run.getStatus() != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED) return latest.query("state", Map.class);
      // Of this run: another one may have begun meanwhile, and has none yet.
      return stub(run).getResult(Map.class);
    }), type);
  }

  <T> T update(String id, String name, Class<T> type) {
    return Json.as(answered(ANSWER_TIMEOUT, () -> client.newUntypedWorkflowStub(id).update(name, Map.class)), type);
  }

  /** Waits for its end, possibly for days, also while Temporal cannot be reached. */
  <T> T result(String id, Class<T> type) {
    return Json.as(answered(0, () -> untilReached(() -> client.newUntypedWorkflowStub(id).getResult(Map.class))), type);
  }

  <T> T resultSoon(String id, Class<T> type) {
    return Json.as(answered(0, () -> client.newUntypedWorkflowStub(id).getResult(ANSWER_TIMEOUT, TimeUnit.SECONDS, Map.class)), type);
  }

  /** Starts a workflow, or finds it, and waits for its result. It lives at most so long; null is without a limit. */
  <T> T run(String type, String id, Object input, WorkflowIdReusePolicy reuse, Duration lives, Class<T> answer) {
    try {
      answered(ANSWER_TIMEOUT, () -> toStart(type, id, reuse, lives).start(input));
    } catch (WorkflowExecutionAlreadyStarted before) {
      // Its result is the answer.
    }
    return resultSoon(id, answer);
  }

  /** Starts the workflow, or finds it, and returns the update's answer, by one call. */
  Map<?, ?> startWithUpdate(String type, String id, Object input, WorkflowIdReusePolicy reuse, UpdateOptions<Map> update,
      Object[] arguments, int seconds) throws Over {
    try {
      // Not found is a run that was just ending.
      return answered(seconds, "Closing", () -> toStart(type, id, reuse, null).executeUpdateWithStart(update, arguments, new Object[] {input}));
    } catch (PaymentError error) {
      throw error;
    } catch (RuntimeException error) {
      if (Status.fromThrowable(error).getCode() == Status.Code.ALREADY_EXISTS) throw new Over();
      throw error;
    }
  }

  static UpdateOptions<Map> update(String name, String id) {
    UpdateOptions.Builder<Map> options =
        UpdateOptions.newBuilder(Map.class).setUpdateName(name).setWaitForStage(WorkflowUpdateStage.COMPLETED);
    return (id == null ? options : options.setUpdateId(id)).build();
  }

  private WorkflowStub toStart(String type, String id, WorkflowIdReusePolicy reuse, Duration lives) {
    return client.newUntypedWorkflowStub(type, WorkflowOptions.newBuilder()
        .setWorkflowId(id)
        .setTaskQueue(taskQueue)
        .setWorkflowIdReusePolicy(reuse)
        .setWorkflowExecutionTimeout(lives)
        .setWorkflowIdConflictPolicy(WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
        .build());
  }

  /** The input of the latest run that may have made the order. Throws PaymentError: DuplicateOrder where none has. */
  Map<String, Object> order(String id, String outTradeNo) {
    Map<String, Object> made = answered(ANSWER_TIMEOUT, () -> orderUnder(id));
    if (made != null) return made;
    throw PaymentError.of("DuplicateOrder", "Order " + outTradeNo + " was made elsewhere, as the gateway or a person has said, and ours was not made.", Map.of());
  }

  private Map<String, Object> orderUnder(String id) {
    String latest = client.newUntypedWorkflowStub(id).describe().getExecution().getRunId();
    Map<String, Object> order = orderOf(input(id, latest));
    if (order != null) return order;
    for (WorkflowExecutionMetadata run : runsBefore(id, latest)) {
      Map<String, Object> input = input(id, run.getExecution().getRunId());
      order = orderOf(input);
      // The order of a run that gave way was looked at when it did.
      if (order != null && (isAdopted(input) || mayHaveMade(run))) return order;
    }
    return null;
  }

  /** The order that a run was started with, or that the run which gave way to it may have made. Null of another adopted trade. */
  static Map<String, Object> orderOf(Map<String, Object> input) {
    if (!isAdopted(input)) return input;
    return input.get("may_be") instanceof Map<?, ?> order ? Json.fields(order) : null;
  }

  private static boolean isAdopted(Map<String, Object> input) {
    return input.getOrDefault("kind", "adopt").equals("adopt");
  }

  /** A run's input. What is no payment's says nothing of an order. */
  private Map<String, Object> input(String id, String runId) {
    Payloads payloads = client.streamHistory(id, runId).findFirst().orElseThrow()
        .getWorkflowExecutionStartedEventAttributes().getInput();
    WorkflowSerializationContext reader = new WorkflowSerializationContext(client.getOptions().getNamespace(), id);
    Object read = client.getOptions().getDataConverter().withContext(reader)
        .fromPayloads(0, Optional.of(payloads), Object.class, Object.class);
    return read instanceof Map<?, ?> input ? Json.fields(input) : Map.of();
  }

  /** The runs under the id before its latest one, that one first which was started last. */
  private List<WorkflowExecutionMetadata> runsBefore(String id, String latest) {
    List<WorkflowExecutionMetadata> runs = List.of();
    for (int tries = 0; tries < LISTED_TRIES; tries++) {
      runs = client.listExecutions(runsOf(id)).filter(run -> run.getExecution().getWorkflowId().equals(id)).toList();
      if (runs.stream().anyMatch(run -> run.getExecution().getRunId().equals(latest))) break;
      pause(200);
    }
    return runs.stream()
        .filter(run -> !run.getExecution().getRunId().equals(latest))
        .filter(run -> run.getStatus() != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW)
        .sorted(Comparator.comparing(
            (WorkflowExecutionMetadata run) -> run.getWorkflowExecutionInfo().getStartTime(), Timestamps.comparator()).reversed())
        .toList();
  }

  /** The query for the runs under an id. It cannot hold a quotation mark or a backslash, so it may find those of others. */
  private static String runsOf(String id) {
    String whole = id.split("[\"\\\\]", 2)[0];
    String text = whole.replace("'", "''");
    return whole.equals(id) ? "WorkflowId = '" + text + "'" : "WorkflowId STARTS_WITH '" + text + "'";
  }

  /** Whether a run has begun to send its order, and has not failed with the word that there is none. */
  private boolean mayHaveMade(WorkflowExecutionMetadata run) {
    boolean isBegun = client.streamHistory(run.getExecution().getWorkflowId(), run.getExecution().getRunId())
        .anyMatch(event -> event.getActivityTaskScheduledEventAttributes().getActivityType().getName().equals(CREATION));
    if (!isBegun) return false;
    if (stub(run).describe().getStatus() != WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED) return true;
    try {
      answered(0, () -> stub(run).getResult(Map.class));
      return true;
    } catch (PaymentError error) {
      return !error.type().equals("DuplicateOrder") && !error.leavesNoOrder();
    }
  }

  /** Asks once more where the workflow was just ending, and took nothing: the same call starts another one. */
  static <T> T whileClosing(IntFunction<T> call) {
    for (int tries = 1; ; tries++) {
      try {
        return call.apply(tries);
      } catch (PaymentError error) {
        if (!error.because().equals("Closing") || tries == CLOSING_TRIES) throw error;
        pause(1_000);
      }
    }
  }

  /** Asks again while Temporal has no answer, until the caller's gRPC context ends, its thread is interrupted, or the client is closed. */
  private <T> T untilReached(Supplier<T> call) {
    for (long pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        return call.get();
      } catch (RuntimeException error) {
        boolean isOver = Context.current().isCancelled() || client.getWorkflowServiceStubs().isShutdown();
        if (isOver || !isWithoutAnswer(error)) throw error;
      }
      Deadline deadline = Context.current().getDeadline();
      pause(deadline == null ? pause : Math.max(0, Math.min(deadline.timeRemaining(TimeUnit.MILLISECONDS), pause)));
    }
  }

  private static boolean isWithoutAnswer(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof CancellationException) return true;
      if (cause instanceof StatusRuntimeException said) return WITHOUT_ANSWER.contains(said.getStatus().getCode());
    }
    return false;
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw noAnswer();
    }
  }

  private <T> T answered(int seconds, Callable<T> call) {
    return answered(seconds, "NotFound", call);
  }

  /**
   * The answer within some seconds (0: whenever it comes). A failure of the contract, and none in time, become a PaymentError.
   * `notFound` is what Temporal's own means.
   */
  private <T> T answered(int seconds, String notFound, Callable<T> call) {
    try {
      if (seconds == 0) return call.call();
      try (Context.CancellableContext context = Context.current().withDeadlineAfter(seconds, TimeUnit.SECONDS, deadlines)) {
        return context.call(call);
      }
    } catch (RuntimeException error) {
      throw asError(error, notFound);
    } catch (TimeoutException late) {
      throw noAnswer();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  /** The PaymentError for what Temporal's client throws; every other error as it is. */
  private static RuntimeException asError(RuntimeException error, String notFound) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ApplicationFailure failure) {
        if (failure.getType().equals("AcceptedUpdateCompletedWorkflow")) return noAnswer();
        Map<?, ?> details = failure.getDetails().getSize() == 0 ? Map.of() : failure.getDetails().get(Map.class);
        return PaymentError.of(failure.getType(), failure.getOriginalMessage(), details);
      }
      if (cause instanceof TerminatedFailure || cause instanceof CanceledFailure || cause instanceof TimeoutFailure) {
        return PaymentError.of("PaymentPending", "Somebody ended this workflow in Temporal before its outcome was known. "
            + "The order may exist: look for it there.", Map.of());
      }
      if (cause instanceof TimeoutException || cause instanceof CancellationException) return noAnswer();
      if (cause instanceof WorkflowUpdateTimeoutOrCancelledException) return noAnswer();
    }
    // That is a wrong setting, and says nothing about a workflow.
    StatusRuntimeException missing = withoutNamespace(error);
    if (missing != null) return missing;
    Status status = Status.fromThrowable(error);
    String said = String.valueOf(status.getDescription());
    if (error instanceof WorkflowNotFoundException || status.getCode() == Status.Code.NOT_FOUND) {
      return PaymentError.of(notFound, "Temporal knows nothing under this number: " + error.getMessage(), Map.of());
    }
    return switch (status.getCode()) {
      case DEADLINE_EXCEEDED, CANCELLED, RESOURCE_EXHAUSTED -> noAnswer();
      case UNAVAILABLE, INTERNAL, ABORTED, DATA_LOSS -> unreachable();
      // Every error that is not Temporal's has this code, too.
      case UNKNOWN -> isOfTemporal(error) ? unreachable() : error;
      case FAILED_PRECONDITION -> said.contains("no poller") ? noAnswer() : PaymentError.of("PaymentPending",
          "Temporal keeps the order, but the worker cannot process it; has it the same keys as this process?", Map.of());
      default -> error;
    };
  }

  /** Temporal's word that it does not have the namespace; null of every other error. */
  private static StatusRuntimeException withoutNamespace(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof StatusRuntimeException said && StatusUtils.hasFailure(said, NamespaceNotFoundFailure.class)) return said;
    }
    return null;
  }

  private static boolean isOfTemporal(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof StatusRuntimeException) return true;
    }
    return false;
  }

  /** Temporal restarts, or the connection to it was lost. The call may have been taken. */
  private static PaymentError unreachable() {
    return PaymentError.of("PaymentPending", "Temporal could not be reached, or broke off the call, so it is unknown whether it has "
        + "taken it: it may have. Make the same call again, with the same number: that is safe, and what was sent is not sent again.", Map.of());
  }

  static PaymentError noAnswer() {
    return PaymentError.of("PaymentPending", "There is no answer yet, and what Temporal has taken goes on: can it be reached, and is a worker running? Ask again.", Map.of());
  }

  @Override
  public void close() {
    deadlines.shutdownNow();
  }
}
