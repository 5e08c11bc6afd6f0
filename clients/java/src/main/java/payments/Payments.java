package payments;

import static io.temporal.api.enums.v1.WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE;
import static io.temporal.api.enums.v1.WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY;
import static io.temporal.api.enums.v1.WorkflowIdReusePolicy.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.crypto.ECDHDecrypter;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.temporal.api.enums.v1.WorkflowIdReusePolicy;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowClientOptions;
import io.temporal.common.converter.CodecDataConverter;
import io.temporal.common.converter.DefaultDataConverter;
import io.temporal.envconfig.ClientConfigProfile;
import io.temporal.envconfig.LoadClientConfigProfileOptions;
import io.temporal.serviceclient.WorkflowServiceStubs;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import payments.Answers.AfterSaleState;
import payments.Answers.Bank;
import payments.Answers.InstallmentPlan;
import payments.Answers.PaymentData;
import payments.Answers.PaymentState;
import payments.Answers.RefundAnswer;
import payments.Orders.Checkout;
import payments.Orders.DirectPayment;
import payments.Orders.RefundOptions;

/**
 * The payments of one gateway app, for a merchant's backend. docs/contract.md says what each call means. An order's outTradeNo is its
 * key: the same order again gets the same answer.
 */
public final class Payments implements AutoCloseable {
  private static final String WITHOUT_KEYS =
      "PAYMENTS_ENCRYPTION_KEYS is not set: Temporal would store buyers\u2019 data in clear text. "
          + "Make a key with payment-gateway keys new, or set PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true to run without one.";

  /** What the gateway's answer has for a method, in lower case. Without them it is not complete. */
  private static final Map<String, List<String>> FIELDS_OF_METHOD = Map.of(
      "pix", List.of("qr_code"), "boleto", List.of("barcode"), "spei", List.of("clabe"), "pse", List.of("pay_url"),
      "efecty", List.of("pay_url"),
      "oxxo", List.of("pay_url"),
      "lottery", List.of("pay_url"),
      "depositexpress", List.of("provider_owner", "provider_owner_document", "provider_agency", "provider_number"));

  /** The same order may be asked for with others of these: they tell how the buyer comes and goes. */
  private static final List<String> VOLATILE_FIELDS = List.of("ip", "fingerprint", "language_code", "return_url", "notify_url");

  /** By these the money of a sale goes back, all of it. */
  private static final List<String> MONEY_BACK = List.of("REFUNDED", "DISPUTE", "CHARGEBACK");

  /**
   * Callers of one order share an update for so long, in ms: Temporal takes few at a time. The update waits as long before it fails as
   * pending, so nobody gets the failure of an earlier call.
   */
  private static final long SHARED_FOR = 30_000;

  private final WorkflowServiceStubs service;
  private final WorkflowClient client;
  private final Workflows workflows;
  private final ECKey sealingKey;

  /**
   * Connects by the settings of the environment, or to the stack that `npm start` runs in this folder. It encrypts, and seals where
   * they hold the key. Throws ConfigError where a setting is missing or wrong.
   */
  public static Payments connect() {
    return new Payments(Settings.environment());
  }

  /** Connects by these settings. Throws ConfigError. */
  public Payments(Map<String, String> settings) {
    this(settings, null);
  }

  /**
   * With a connection of your own, which {@link #close} closes. null: one by Temporal's own settings (TEMPORAL_…). Throws ConfigError.
   */
  public Payments(Map<String, String> settings, WorkflowServiceStubs service) {
    String appId = settings.getOrDefault("GATEWAY_APP_ID", "");
    if (appId.isEmpty()) throw new ConfigError("Which app? Set GATEWAY_APP_ID, or run payment-gateway dev in this folder first.");
    List<Codec.Key> keys = Codec.keys(settings);
    if (keys.isEmpty() && !"true".equals(settings.get("PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES"))) throw new ConfigError(WITHOUT_KEYS);
    String jwk = Settings.value(settings, "PAYMENTS_SEALING_PUBLIC_JWK");
    try {
      sealingKey = jwk.isEmpty() ? null : ECKey.parse(jwk);
    } catch (ParseException wrong) {
      throw new ConfigError("PAYMENTS_SEALING_PUBLIC_JWK must be the worker\u2019s public key, as JSON.");
    }
    this.service = service == null
        ? WorkflowServiceStubs.newServiceStubs(temporals(settings, ClientConfigProfile::toWorkflowServiceStubsOptions)) : service;
    WorkflowClientOptions.Builder options =
        WorkflowClientOptions.newBuilder(temporals(settings, ClientConfigProfile::toWorkflowClientOptions));
    if (!keys.isEmpty()) {
      // `true`: messages and stacks of failures are encrypted, too.
      Codec codec = new Codec(keys, List.of(), "true".equals(settings.get("PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT")));
      options.setDataConverter(new CodecDataConverter(DefaultDataConverter.newDefaultInstance(), List.of(codec), true));
    }
    client = WorkflowClient.newInstance(this.service, options.build());
    workflows = new Workflows(client, appId, settings.getOrDefault("PAYMENTS_TASK_QUEUE", "payments"));
  }

  /** What Temporal's own settings say: address, namespace, TLS, API key and profile. Only the first line of a failure quotes no key. */
  private static <T> T temporals(Map<String, String> settings, Function<ClientConfigProfile, T> read) {
    try {
      return read.apply(ClientConfigProfile.load(LoadClientConfigProfileOptions.newBuilder().setEnvOverrides(settings).build()));
    } catch (IOException | RuntimeException error) {
      Throwable cause = error.getCause() == null ? error : error.getCause();
      String said = String.valueOf(cause.getMessage()).split("\n", 2)[0];
      throw new ConfigError("Temporal\u2019s own settings (TEMPORAL_\u2026) cannot be used: " + said);
    }
  }

  /** Temporal's client, for workflows of your own. */
  public WorkflowClient client() {
    return client;
  }

  /** Virtual accounts (SPEI). */
  public Accounts accounts() {
    return new Accounts(workflows);
  }

  /**
   * Starts the payment and returns what the buyer needs to pay, such as qrCode. Throws PaymentError: InvalidRequest and NotCreated,
   * DuplicateOrder and DifferentRequest where there is no such order; PaymentPending: it goes on, call again.
   */
  public PaymentData pay(DirectPayment order) {
    Map<String, Object> request = Seal.order(Json.fields(order), workflows.appId, sealingKey);
    String method = String.valueOf(request.get("method")).toLowerCase(Locale.ROOT);
    return create("direct", order.outTradeNo(), request, FIELDS_OF_METHOD.getOrDefault(method, List.of()));
  }

  /** Creates a page of the gateway, webUrl, where the buyer chooses how to pay. Throws as pay does. */
  public PaymentData createCheckout(Checkout order) {
    return create("checkout", order.outTradeNo(), Json.fields(order), List.of("web_url"));
  }

  /** The payment's state now. Throws PaymentError: NotFound, or PaymentPending where no worker answers. */
  public PaymentState state(String outTradeNo) {
    // Temporal forgets a closed payment after its retention, and an after-sale may go on for longer.
    PaymentState after = afterEnd(outTradeNo);
    return after == null ? workflows.state(id(outTradeNo), PaymentState.class) : after;
  }

  /**
   * Waits until the payment has ended, possibly for days, and returns its final state. While Temporal cannot be reached it waits on, and
   * throws PaymentError, PaymentPending, where its thread is interrupted, its gRPC context ends, or this is closed.
   */
  public PaymentState outcome(String outTradeNo) {
    return endOf(outTradeNo, workflows::result);
  }

  /** Whether to deliver: it is paid, nobody has to look first, and neither a refund nor the bank gives all of the money back. */
  public static boolean isSold(PaymentState state) {
    boolean stands = state.attention() == null && !Boolean.TRUE.equals(state.allGoesBack());
    return "SUCCESS".equals(state.outcome()) && stands && (state.tradeStatus() == null || !MONEY_BACK.contains(state.tradeStatus()));
  }

  /** Withdraws an order that was certainly not sent. Throws PaymentError: NotCanceled where the gateway may have it. */
  public PaymentState cancel(String outTradeNo) {
    try {
      return workflows.update(id(outTradeNo), "cancel", PaymentState.class);
    } catch (PaymentError error) {
      if (!error.type().equals("NotFound")) throw error;
    }
    PaymentState ended;
    try {
      ended = endOf(outTradeNo, workflows::resultSoon);
    } catch (PaymentError error) {
      // A payment that has failed by itself fails as it did: a new start may send its order.
      if (Boolean.TRUE.equals(error.details().get("withdrawn"))) return state(outTradeNo);
      throw error;
    }
    Map<String, Object> details = new HashMap<>();
    details.put("outcome", ended.outcome());
    details.put("trade_status", ended.tradeStatus());
    String message = "Order " + outTradeNo + " cannot be withdrawn: its payment has ended as " + ended.outcome() + ".";
    throw PaymentError.of("NotCanceled", message, details);
  }

  /** Refunds all of a paid order that is left. */
  public RefundAnswer refund(String outTradeNo) {
    return refund(outTradeNo, RefundOptions.of(Orders.ALL, null));
  }

  /**
   * Refunds a paid order: all that is left, or a part. outRequestNo is the key: the same again gets the same answer. Throws PaymentError:
   * OverRefund, NotRefunded, DuplicateRefund, NotFound; PaymentPending: it goes on, call again.
   */
  public RefundAnswer refund(String outTradeNo, RefundOptions refund) {
    Map<String, Object> order = Map.of("app_id", workflows.appId, "out_trade_no", outTradeNo);
    Object[] asked = {asked(outTradeNo, refund)};
    return Json.as(Workflows.whileClosing(tries -> {
      try {
        return workflows.startWithUpdate("afterSale", afterSale(outTradeNo), order, WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
            Workflows.update("refund", null), asked, Workflows.REFUND_TIMEOUT);
      } catch (Workflows.Over never) {
        throw Workflows.noAnswer();
      }
    }), RefundAnswer.class);
  }

  private static Map<String, Object> asked(String outTradeNo, RefundOptions refund) {
    Map<String, Object> asked = Json.fields(refund);
    if (refund.amount() == null) {
      String rule = "must be a decimal as text, such as \"30.00\", or ALL";
      String message = "The refund of order " + outTradeNo + " was not sent: amount: " + rule;
      throw PaymentError.of("InvalidRequest", message, Map.of("issues", List.of(Map.of("field", "amount", "rule", rule))));
    }
    if (refund.amount().equals(Orders.ALL)) asked.remove("refund_amount");
    return asked;
  }

  /**
   * The after-sale of an order: its refunds, their sums, disputes; empty where there was nothing of that. Throws PaymentError: NotFound
   * where nobody knows the order.
   */
  public AfterSaleState refunds(String outTradeNo) {
    try {
      return sale(outTradeNo);
    } catch (PaymentError error) {
      if (!error.type().equals("NotFound")) throw error;
      return emptyLedger(workflows.state(id(outTradeNo), PaymentState.class));
    }
  }

  private AfterSaleState sale(String outTradeNo) {
    return workflows.state(afterSale(outTradeNo), AfterSaleState.class);
  }

  /** That of an order without an after-sale: nothing was refunded, and the payment's state is all that is known. */
  private static AfterSaleState emptyLedger(PaymentState payment) {
    boolean isOver = payment.outcome() != null;
    boolean isPaid = "SUCCESS".equals(payment.outcome()) && payment.mismatch() == null;
    String amount = isPaid ? payment.orderAmount() : null;
    String currency = isPaid ? payment.orderCurrency() : null;
    // It may have been refunded elsewhere before it was known here.
    boolean isComplete = !"refund-elsewhere".equals(payment.attention());
    return new AfterSaleState(payment.appId(), payment.outTradeNo(), payment.tradeNo(), payment.tradeStatus(), amount, currency,
        payment.method(), payment.attention(), payment.attentionSince(), payment.taken(), "0.00", "0.00", "0.00", isComplete, List.of(),
        payment.otherTrades(), List.of(), null, null, null, List.of(), isOver ? payment : null);
  }

  private record Banks(List<Bank> banks) {}

  private record Plans(List<InstallmentPlan> plans) {}

  private record Sealed(String sealed) {}

  /** The banks of a method; an order names one by its bankId. Throws PaymentError: NotAnswered. */
  public List<Bank> banks(Map<String, ?> request) {
    return ask("bankList", Map.of("request", request), Banks.class).banks();
  }

  /** The ways to pay an amount with a card in installments. Throws PaymentError: NotAnswered. */
  public List<InstallmentPlan> installments(Map<String, ?> request) {
    return ask("installments", Map.of("request", request), Plans.class).plans();
  }

  /** A client token for a wallet's component in the buyer's browser, sealed on its way. Throws PaymentError: NotAnswered. */
  public String walletToken(Map<String, ?> request) {
    try {
      ECKey key = new ECKeyGenerator(Curve.P_256).keyUse(KeyUse.ENCRYPTION).generate();
      Map<String, Object> input = Map.of("request", request, "seal_to", key.toPublicJWK().toJSONObject());
      JWEObject sealed = JWEObject.parse(ask("walletToken", input, Sealed.class).sealed());
      sealed.decrypt(new ECDHDecrypter(key));
      return sealed.getPayload().toString();
    } catch (JOSEException | ParseException error) {
      throw new IllegalStateException("The wallet\u2019s token cannot be opened", error);
    }
  }

  private PaymentData create(String kind, String outTradeNo, Map<String, Object> request, List<String> needed) {
    Map<String, Object> payment = Map.of("kind", kind, "app_id", workflows.appId, "request", request);
    Map<String, Object> data = Json.fields(Workflows.whileClosing(tries -> startOrAnswer(outTradeNo, payment, tries)));
    // The fields of the type are text: where the gateway sends something else, they count as absent.
    Map<String, Object> all = new HashMap<>(data);
    all.values().removeIf(value -> !(value instanceof String || value instanceof Boolean));
    all.put("complete", needed.stream().allMatch(name -> data.get(name) instanceof String text && !text.isEmpty()));
    all.put("fields", data);
    return Json.as(all, PaymentData.class);
  }

  private Map<?, ?> startOrAnswer(String outTradeNo, Map<String, Object> payment, int tries) {
    Map<?, ?> known = createdNow(outTradeNo, payment);
    if (known != null) return known;
    try {
      // The proof that no run was before this one spares a look for it.
      Map<String, Object> first = new HashMap<>(payment);
      first.put("first_start_id", UUID.randomUUID().toString());
      return start(outTradeNo, first, tries, WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE);
    } catch (Workflows.Over before) {
      // It is answered from the payment that was.
    }
    try {
      return createdBefore(outTradeNo, payment);
    } catch (PaymentError error) {
      if (!error.leavesNoOrder()) throw error;
    }
    try {
      // There is no order, so its number can be used again.
      return start(outTradeNo, payment, tries, WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY);
    } catch (Workflows.Over meanwhile) {
      throw Workflows.noAnswer();
    }
  }

  /** All who send the same order at the same time have one update id. A run that was just ending keeps its id: each try has another. */
  private Map<?, ?> start(String outTradeNo, Map<String, Object> input, int tries, WorkflowIdReusePolicy reuse) throws Workflows.Over {
    String period = System.currentTimeMillis() / SHARED_FOR + ":" + tries;
    String updateId = "created:" + period + ":" + digest(List.of(input.get("kind"), input.get("request")));
    return workflows.startWithUpdate("payment", id(outTradeNo), input, reuse, Workflows.update("created", updateId),
        new Object[] {input}, Workflows.ANSWER_TIMEOUT);
  }

  /** Answers for a payment that goes on, where it has payment data; else null. Throws PaymentError: DifferentRequest if the order was another one. */
  private Map<?, ?> createdNow(String outTradeNo, Map<String, Object> payment) {
    Workflows.Running running = workflows.running(id(outTradeNo));
    if (running == null || running.state().paymentData() == null) return null;
    // Whether a trade that was adopted without an order is this one, its run knows.
    Map<String, Object> made = Workflows.orderOf(running.input());
    if (made == null) return null;
    checkSame(payment, made, running.state());
    return running.state().paymentData();
  }

  /** Answers for a payment that is over. Throws PaymentError: DifferentRequest if the order was another one. */
  private Map<?, ?> createdBefore(String outTradeNo, Map<String, Object> payment) {
    PaymentState state = workflows.resultSoon(id(outTradeNo), PaymentState.class);
    checkSame(payment, workflows.order(id(outTradeNo), outTradeNo), state);
    if (state.paymentData() != null) return state.paymentData();
    // Nothing proves that a trade which was found meanwhile is of this order.
    boolean isDecided = "operator".equals(state.confirmedBy());
    Map<String, Object> answer = new HashMap<>(Map.of("out_trade_no", outTradeNo, "recovered", false));
    answer.put("trade_no", isDecided ? null : state.tradeNo());
    answer.put("trade_status", isDecided || state.tradeStatus() == null ? state.outcome() : state.tradeStatus());
    if (!isDecided && state.refusedBecause() != null) answer.putAll(Json.fields(state.refusedBecause()));
    return answer;
  }

  /** What its result says, or its after-sale: Temporal forgets a closed payment, and money may have come after the end. */
  private PaymentState endOf(String outTradeNo, BiFunction<String, Class<PaymentState>, PaymentState> result) {
    PaymentState ended;
    try {
      ended = result.apply(id(outTradeNo), PaymentState.class);
    } catch (PaymentError error) {
      PaymentState after = error.type().equals("NotFound") ? afterEnd(outTradeNo) : null;
      if (after == null) throw error;
      return after;
    }
    // Who has waited for days gets the outcome, also while no worker answers.
    try {
      PaymentState after = afterEnd(outTradeNo);
      return after == null ? ended : after;
    } catch (PaymentError unanswered) {
      return ended;
    }
  }

  /** The payment as it is now, where it has ended and an after-sale follows it: late money, refunds, disputes. */
  private PaymentState afterEnd(String outTradeNo) {
    try {
      // Without an outcome it is of a run that made no order, and the number may be used again.
      PaymentState payment = sale(outTradeNo).payment();
      return payment == null || payment.outcome() == null ? null : payment;
    } catch (PaymentError error) {
      if (!error.type().equals("NotFound")) throw error;
      return null;
    }
  }

  /** Those who ask the same at the same moment share one question. */
  private <T> T ask(String question, Map<String, Object> input, Class<T> type) {
    Map<String, Object> asked = new HashMap<>(input);
    asked.put("app_id", workflows.appId);
    String id = "lookup:" + workflows.appId + ":" + question + ":" + digest(input);
    try {
      return workflows.run(question, id, asked, WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, Workflows.LOOKUP_LIVES, type);
    } catch (PaymentError error) {
      throw error.asNotAnswered();
    }
  }

  /** 32 hexadecimal digits that name a value. */
  static String digest(Object value) {
    try {
      String text = value instanceof String own ? own : Json.MAPPER.writeValueAsString(value);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, 32);
    } catch (JsonProcessingException | NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Throws PaymentError: DifferentRequest, with what is known of the order that was made, if another one is asked for. */
  private static void checkSame(Map<String, Object> asked, Map<String, Object> made, PaymentState state) {
    List<String> fields = differing(made, asked);
    if (fields.isEmpty()) return;
    Map<String, Object> details = new HashMap<>(Map.of("fields", fields));
    details.put("trade_no", state.tradeNo());
    details.put("trade_status", state.tradeStatus());
    details.put("order_amount", state.orderAmount());
    details.put("outcome", state.outcome());
    String number = String.valueOf(Json.fields(asked.get("request")).get("out_trade_no"));
    String message = "Order " + number + " exists with another request: " + String.join(", ", fields) + ". Nothing was sent now.";
    throw PaymentError.of("DifferentRequest", message, details);
  }

  /** The fields that make it another order, such as customer.name. Each seal of the same secret is another text. */
  private static List<String> differing(Map<String, Object> made, Map<String, Object> asked) {
    Map<String, String> one = leaves(made), other = leaves(asked);
    TreeSet<String> names = new TreeSet<>(one.keySet());
    names.addAll(other.keySet());
    names.removeIf(name -> VOLATILE_FIELDS.contains(name.split("\\.", 2)[0]) || isSame(name, one.get(name), other.get(name)));
    return new ArrayList<>(names);
  }

  private static boolean isSame(String name, String one, String other) {
    if (one == null || other == null) return false;
    if (name.equals("order_currency")) return one.equalsIgnoreCase(other);
    if (!name.equals("order_amount") || one.equals(other)) return one.equals(other);
    try {
      return new BigDecimal(one).compareTo(new BigDecimal(other)) == 0;
    } catch (NumberFormatException odd) {
      return false;
    }
  }

  private static Map<String, String> leaves(Map<String, Object> payment) {
    Map<String, String> found = new TreeMap<>(Map.of("kind", String.valueOf(payment.get("kind"))));
    addLeaves(payment.get("request"), "", found);
    return found;
  }

  private static void addLeaves(Object value, String path, Map<String, String> found) {
    if (value instanceof Map<?, ?> inner) {
      if (inner.keySet().equals(Set.of("sealed"))) found.put(path, "sealed");
      else inner.forEach((name, one) -> addLeaves(one, path.isEmpty() ? String.valueOf(name) : path + "." + name, found));
    } else if (value instanceof List<?> inner) {
      for (int at = 0; at < inner.size(); at++) addLeaves(inner.get(at), path + "." + at, found);
    } else if (value != null) {
      found.put(path, String.valueOf(value));
    }
  }

  private String id(String outTradeNo) {
    return "payment:" + workflows.appId + ":" + outTradeNo;
  }

  private String afterSale(String outTradeNo) {
    return "after-sale:" + workflows.appId + ":" + outTradeNo;
  }

  @Override
  public void close() {
    workflows.close();
    service.shutdownNow();
  }
}
