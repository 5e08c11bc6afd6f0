package payments;

import static io.temporal.api.enums.v1.WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE;
import static io.temporal.api.enums.v1.WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY;

import java.util.Map;
import java.util.Objects;
import payments.Answers.SpeiAccountData;
import payments.Answers.SpeiAccountQuantityState;
import payments.Answers.SpeiAccountState;
import payments.Orders.NewSpeiAccount;

/** Virtual accounts (SPEI) of the app. */
public final class Accounts {
  private final Workflows workflows;

  Accounts(Workflows workflows) {
    this.workflows = workflows;
  }

  /** The account of the buyer, by a key that is made of the buyerId. */
  public SpeiAccountData create(NewSpeiAccount request) {
    return create(request, null);
  }

  /**
   * The account of your key as it is now, null for one that is made of the buyerId: the same key always gets the same account. Throws
   * PaymentError: InvalidRequest, NotCreated; AccountCanceled: create one under another key; PaymentPending: call again.
   */
  public SpeiAccountData create(NewSpeiAccount request, String key) {
    String chosen = key == null || key.isEmpty() ? keyOf(request) : key;
    Map<String, Object> input = Map.of("app_id", workflows.appId, "request", Json.fields(request));
    Map<?, ?> made = workflows.run("createSpeiAccount", "create-spei-account:" + workflows.appId + ":" + chosen, input,
        WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, null, Map.class);
    // The creation may have ended long ago.
    SpeiAccountState state = get(String.valueOf(made.get("account_id")));
    if (!"CANCELED".equals(state.status())) return state.account();
    throw PaymentError.of("AccountCanceled", "The virtual account " + state.accountId() + " of the key " + chosen + " is canceled: the buyer"
        + " must not pay into it. Create another one under another key.", Map.of("account_id", state.accountId()));
  }

  /** The account's state with its deposits. Throws PaymentError: NotFound. */
  public SpeiAccountState get(String accountId) {
    return workflows.state(id(accountId), SpeiAccountState.class);
  }

  /** Cancels the account and waits for the gateway's word. Throws PaymentError: NotCanceled, PaymentPending. */
  public SpeiAccountState cancel(String accountId) {
    return workflows.update(id(accountId), "cancel", SpeiAccountState.class);
  }

  /** Asks the gateway for the account now. Throws PaymentError: PaymentPending. */
  public SpeiAccountState recheck(String accountId) {
    return workflows.update(id(accountId), "recheck", SpeiAccountState.class);
  }

  /** Asks the gateway how many accounts are left to create. Throws PaymentError: PaymentPending. */
  public SpeiAccountQuantityState quantity() {
    Map<String, Object> app = Map.of("app_id", workflows.appId);
    try {
      return Json.as(workflows.startWithUpdate("speiAccountQuantity", "spei-account-quantity:" + workflows.appId, app,
          WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, Workflows.update("recheck", null), new Object[0], Workflows.ANSWER_TIMEOUT),
          SpeiAccountQuantityState.class);
    } catch (Workflows.Over never) {
      throw Workflows.noAnswer();
    }
  }

  private String id(String accountId) {
    return "spei-account:" + workflows.appId + ":" + accountId;
  }

  /** A buyer's key. It stands in a workflow id, which everybody who reads Temporal sees, so it is a digest. */
  private static String keyOf(NewSpeiAccount request) {
    return "buyer-" + Payments.digest(Objects.toString(request.customer().buyerId(), ""));
  }
}
