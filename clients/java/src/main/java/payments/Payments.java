package payments;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.nimbusds.jose.jwk.ECKey;
import io.grpc.Status;
import io.temporal.api.common.v1.Payloads;
import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.UpdateOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.client.WorkflowException;
import io.temporal.client.WorkflowExecutionAlreadyStarted;
import io.temporal.client.WorkflowFailedException;
import io.temporal.client.WorkflowNotFoundException;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowServiceException;
import io.temporal.client.WorkflowStub;
import io.temporal.client.WorkflowUpdateStage;
import io.temporal.common.converter.CodecDataConverter;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.failure.ApplicationFailure;
import io.temporal.payload.context.WorkflowSerializationContext;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Payments, refunds and virtual accounts of one gateway app from Java, by docs/contract.md. Amounts are decimal texts. */
public final class Payments implements AutoCloseable {
  private static final ObjectMapper SORTED = JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private static final String WITHOUT_KEYS =
      "PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would store buyers\u2019 data in clear text. "
          + "Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without one.";

  private final WorkflowServiceStubs service;
  private final WorkflowClient client;
  private final String appId;
  private final String taskQueue;
  private final ECKey sealingKey;

  /**
   * Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, GATEWAY_APP_ID, PAYMENTS_TASK_QUEUE, PAYMENTS_ENCRYPTION_KEYS and
   * PAYMENTS_SEALING_PUBLIC_JWK. Throws IllegalArgumentException where a setting is missing or wrong: without keys, too, unless
   * PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES is true.
   */
  public Payments(Map<String, String> env) throws java.text.ParseException {
    appId = env.getOrDefault("GATEWAY_APP_ID", "");
    if (appId.isEmpty()) throw new IllegalArgumentException("Which app? Set GATEWAY_APP_ID.");
    List<Codec.Key> keys = Codec.keys(env.getOrDefault("PAYMENTS_ENCRYPTION_KEYS", ""));
    if (keys.isEmpty() && !"true".equals(env.get("PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES"))) {
      throw new IllegalArgumentException(WITHOUT_KEYS);
    }
    taskQueue = env.getOrDefault("PAYMENTS_TASK_QUEUE", "payments");
    String jwk = env.getOrDefault("PAYMENTS_SEALING_PUBLIC_JWK", "");
    sealingKey = jwk.isEmpty() ? null : ECKey.parse(jwk);
    String address = env.getOrDefault("TEMPORAL_ADDRESS", "localhost:7233");
    service = WorkflowServiceStubs.newServiceStubs(WorkflowServiceStubsOptions.newBuilder().setTarget(address).build());
    WorkflowClientOptions.Builder options =
        WorkflowClientOptions.newBuilder().setNamespace(env.getOrDefault("TEMPORAL_NAMESPACE", "default"));
    if (!keys.isEmpty()) {
      // `true`: messages and stacks of failures are encrypted, too.
      Codec codec = new Codec(keys, List.of());
      options.setDataConverter(new CodecDataConverter(DefaultDataConverter.newDefaultInstance(), List.of(codec), true));
    }
    client = WorkflowClient.newInstance(service, options.build());
  }

  /** Starts a direct payment and returns its payment data, such as qr_code. The same order again gets the same answer. */
  public Map<?, ?> pay(Map<?, ?> order) throws InterruptedException {
    String id = paymentId(String.valueOf(order.get("out_trade_no")));
    Map<String, Object> payment = Map.of("kind", "direct", "app_id", appId, "request", Seal.order(order, appId, sealingKey));
    return whileClosing(() -> pay(id, payment, String.valueOf(order.get("out_trade_no"))));
  }

  private Map<?, ?> pay(String id, Map<String, Object> payment, String number) {
    try {
      return start(id, payment, WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE);
    } catch (WorkflowServiceException error) {
      // Update-with-start has no exception of its own for a workflow that is over.
      if (Status.fromThrowable(error).getCode() != Status.Code.ALREADY_EXISTS) throw error;
    }
    Map<?, ?> state;
    try {
      state = outcome(number);
    } catch (WorkflowFailedException failed) {
      if (!leavesNoOrder(failed)) throw failed;
      return start(id, payment, WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY);
    }
    return createdBefore(original(id), payment, state);
  }

  private Map<?, ?> start(String id, Map<String, Object> payment, WorkflowIdReusePolicy reuse) {
    Object[] input = {payment};
    return toStart("payment", id, reuse).executeUpdateWithStart(update("created"), input, input);
  }

  /** Whether the number can be used again, with the same order or a mended one. */
  private static boolean leavesNoOrder(WorkflowFailedException failed) {
    if (!(failed.getCause() instanceof ApplicationFailure failure)) return false;
    if (!List.of("NotCreated", "InvalidRequest").contains(failure.getType())) return false;
    return failure.getDetails().getSize() == 0 || !Boolean.TRUE.equals(failure.getDetails().get(Map.class).get("may_exist"));
  }

  /** Answers for a payment that is over, where it was the same order. */
  private static Map<?, ?> createdBefore(Map<?, ?> made, Map<String, Object> payment, Map<?, ?> state) {
    List<String> fields = made.get("kind").equals("adopt") ? List.of() : differing(made, payment);
    if (!fields.isEmpty()) {
      throw ApplicationFailure.newNonRetryableFailure(
          "This out_trade_no was used before with another request.", "DifferentRequest", Map.of("fields", fields));
    }
    if (state.get("payment_data") instanceof Map<?, ?> answer) return answer;
    // A person may have ended it before the gateway had said anything.
    Object said = "operator".equals(state.get("confirmed_by")) ? null : state.get("trade_status");
    return Collections.singletonMap("trade_status", said == null ? state.get("outcome") : said);
  }

  /** The input of the run that made the order; a later run names the run before it. */
  private Map<?, ?> original(String id) {
    Map<?, ?> input = inputOf(id, null);
    while (input.get("previous") instanceof Map<?, ?> previous) {
      if (previous.get("order") == null) {
        throw ApplicationFailure.newNonRetryableFailure("The order of this number was made elsewhere.", "DuplicateOrder", Map.of());
      }
      input = inputOf(id, String.valueOf(previous.get("run_id")));
    }
    return input;
  }

  private Map<?, ?> inputOf(String id, String runId) {
    Payloads payloads = client.streamHistory(id, runId).findFirst().orElseThrow()
        .getWorkflowExecutionStartedEventAttributes().getInput();
    String namespace = client.getOptions().getNamespace();
    return client.getOptions().getDataConverter().withContext(new WorkflowSerializationContext(namespace, id))
        .fromPayloads(0, Optional.of(payloads), Map.class, Map.class);
  }

  /** The same order may be asked for with others of these: they tell how the buyer comes and goes. */
  private static final List<String> VOLATILE_FIELDS =
      List.of("ip", "fingerprint", "language_code", "return_url", "notify_url");

  /** The fields in which two orders differ. Secrets are left out: each seal of one is another text. */
  private static List<String> differing(Map<?, ?> one, Map<?, ?> other) {
    Map<?, ?> a = (Map<?, ?>) one.get("request"), b = (Map<?, ?>) other.get("request");
    TreeSet<String> names = new TreeSet<>();
    for (Map<?, ?> order : List.of(a, b)) order.keySet().forEach(name -> names.add(String.valueOf(name)));
    names.removeAll(Seal.SECRET_FIELDS);
    names.removeAll(VOLATILE_FIELDS);
    names.removeIf(name -> Objects.equals(a.get(name), b.get(name)));
    if (!one.get("kind").equals(other.get("kind"))) names.add("kind");
    return List.copyOf(names);
  }

  /** The payment's state now. */
  public Map<?, ?> state(String number) {
    return afterEnd(number, query(paymentId(number)));
  }

  /** The payment as it is now, where it has ended and an after-sale follows it: late money, refunds, disputes. */
  private Map<?, ?> afterEnd(String number, Map<?, ?> state) {
    try {
      // Without an outcome it is of a run that made no order, and the number may be used again.
      Object ended = refunds(number).get("payment");
      return ended instanceof Map<?, ?> payment && payment.get("outcome") != null ? payment : state;
    } catch (WorkflowNotFoundException none) {
      return state;
    }
  }

  /** Waits until the payment has ended, possibly for days, and returns its final state. */
  public Map<?, ?> outcome(String number) {
    return afterEnd(number, client.newUntypedWorkflowStub(paymentId(number)).getResult(Map.class));
  }

  /** Asks for a refund of all or a part. Its out_request_no is the idempotency key. */
  public Map<?, ?> refund(String number, Map<?, ?> refund) throws InterruptedException {
    Object[] order = {Map.of("app_id", appId, "out_trade_no", number)};
    WorkflowIdReusePolicy reuse = WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE;
    return whileClosing(() -> toStart("afterSale", "after-sale:" + appId + ":" + number, reuse)
        .executeUpdateWithStart(update("refund"), new Object[] {refund}, order));
  }

  /** A workflow that was just ending took nothing: the same call, a second later, starts another one. */
  private static Map<?, ?> whileClosing(Supplier<Map<?, ?>> call) throws InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        return call.get();
      } catch (WorkflowException error) {
        if (!isClosing(error) || tries == 5) throw error;
        Thread.sleep(1_000);
      }
    }
  }

  private static boolean isClosing(WorkflowException error) {
    if (error.getCause() instanceof ApplicationFailure failure) return failure.getType().equals("Closing");
    return Status.fromThrowable(error).getCode() == Status.Code.NOT_FOUND;
  }

  /** The after-sale of an order: its refunds, their sums, disputes. */
  public Map<?, ?> refunds(String number) {
    return query("after-sale:" + appId + ":" + number);
  }

  /** Gives the virtual account (SPEI) of your key. The same key always gets the same account. */
  public Map<?, ?> createAccount(String key, Map<?, ?> request) {
    return run("createSpeiAccount", "create-spei-account:" + appId + ":" + key, request,
        WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY);
  }

  /** The state of a virtual account, with its deposits. */
  public Map<?, ?> account(String accountId) {
    return query("spei-account:" + appId + ":" + accountId);
  }

  /** The banks of a method; an order names one by its bank_id. */
  public Map<?, ?> banks(Map<?, ?> request) throws Exception {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(SORTED.writeValueAsString(request).getBytes(StandardCharsets.UTF_8));
    return run("bankList", "lookup:" + appId + ":bankList:" + HexFormat.of().formatHex(digest), request,
        WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE);
  }

  private String paymentId(String number) {
    return "payment:" + appId + ":" + number;
  }

  private Map<?, ?> query(String id) {
    return client.newUntypedWorkflowStub(id).query("state", Map.class);
  }

  /** Starts a workflow, or finds it, and waits for its result. */
  private Map<?, ?> run(String type, String id, Map<?, ?> request, WorkflowIdReusePolicy reuse) {
    WorkflowStub stub = toStart(type, id, reuse);
    try {
      stub.start(Map.of("app_id", appId, "request", request));
    } catch (WorkflowExecutionAlreadyStarted before) {
      stub = client.newUntypedWorkflowStub(id);
    }
    return stub.getResult(Map.class);
  }

  private WorkflowStub toStart(String type, String id, WorkflowIdReusePolicy reuse) {
    return client.newUntypedWorkflowStub(type, WorkflowOptions.newBuilder()
        .setWorkflowId(id)
        .setTaskQueue(taskQueue)
        .setWorkflowIdReusePolicy(reuse)
        .setWorkflowIdConflictPolicy(WorkflowIdConflictPolicy.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING)
        .build());
  }

  private static UpdateOptions<Map> update(String name) {
    return UpdateOptions.newBuilder(Map.class).setUpdateName(name).setWaitForStage(WorkflowUpdateStage.COMPLETED).build();
  }

  @Override
  public void close() {
    service.shutdownNow();
  }
}
