package payments;

import io.temporal.api.enums.v1.WorkflowIdConflictPolicy;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.UpdateOptions;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.client.WorkflowUpdateStage;
import io.temporal.common.converter.CodecDataConverter;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.util.List;
import java.util.Map;

/** Payments and refunds of one gateway app from Java, by docs/contract.md. Amounts are decimal texts. */
public final class Payments implements AutoCloseable {
  private final WorkflowServiceStubs service;
  private final WorkflowClient client;
  private final String appId;
  private final String taskQueue;

  /** Reads TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, GATEWAY_APP_ID, PAYMENTS_TASK_QUEUE and PAYMENTS_ENCRYPTION_KEYS. */
  public Payments(Map<String, String> env) {
    appId = env.get("GATEWAY_APP_ID");
    taskQueue = env.getOrDefault("PAYMENTS_TASK_QUEUE", "payments");
    String address = env.getOrDefault("TEMPORAL_ADDRESS", "localhost:7233");
    service = WorkflowServiceStubs.newServiceStubs(WorkflowServiceStubsOptions.newBuilder().setTarget(address).build());
    List<Codec.Key> keys = Codec.keys(env.getOrDefault("PAYMENTS_ENCRYPTION_KEYS", ""));
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
  public Map<?, ?> pay(Map<?, ?> order) {
    Map<String, Object> payment = Map.of("kind", "direct", "app_id", appId, "request", order);
    WorkflowStub stub = toStart("payment", paymentId(String.valueOf(order.get("out_trade_no"))),
        WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE);
    return stub.executeUpdateWithStart(update("created"), new Object[] {payment}, new Object[] {payment});
  }

  /** The payment's state now. */
  public Map<?, ?> state(String number) {
    return client.newUntypedWorkflowStub(paymentId(number)).query("state", Map.class);
  }

  /** Waits until the payment has ended, possibly for days, and returns its final state. */
  public Map<?, ?> outcome(String number) {
    return client.newUntypedWorkflowStub(paymentId(number)).getResult(Map.class);
  }

  /** Asks for a refund of all or a part. Its out_request_no is the idempotency key. */
  public Map<?, ?> refund(String number, Map<?, ?> refund) {
    WorkflowStub stub = toStart("afterSale", "after-sale:" + appId + ":" + number,
        WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE);
    return stub.executeUpdateWithStart(
        update("refund"), new Object[] {refund}, new Object[] {Map.of("app_id", appId, "out_trade_no", number)});
  }

  private String paymentId(String number) {
    return "payment:" + appId + ":" + number;
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
