package payments;

import java.util.List;
import java.util.Map;

/** What comes out, as docs/contract.md has it. Amounts are decimal texts, times ISO 8601 in UTC; what is not known yet is null. */
public final class Answers {
  private Answers() {}

  /**
   * What the buyer needs to pay. Where it is complete, the fields of the method are there, such as qrCode for PIX; else the payment
   * was refused, or the gateway's answer was lost (recovered). fields are all that the gateway sent.
   */
  public record PaymentData(boolean complete, boolean recovered, String outTradeNo, String tradeNo, String tradeStatus,
      String payUrl, String webUrl, String qrCode, String barcode, String clabe, String reference, String bankCode, String bankName,
      String beneficiaryName, String walletUrl, String appLinkUrl, String providerOwner, String providerOwnerDocument,
      String providerAgency, String providerNumber, String code, String subCode, Map<String, Object> fields) {}

  /** One change of a trade's state. One that a person made has by and reason. */
  public record Transition(String time, String from, String to, String source, String by, String reason, String refundedElsewhere) {}

  /** A trade under the order's number that is not this payment's. */
  public record OtherTrade(String tradeNo, String tradeStatus, String orderAmount) {}

  /** The run before. */
  public record Earlier(String runId, String outcome) {}

  /** Why the gateway refused a payment. */
  public record Refusal(String code, String subCode) {}

  /** The refund of money that came after the payment had ended otherwise. */
  public record LatePaymentRefund(String outRequestNo, String refundStatus, String reason) {}

  /** Who has taken on what waits for a person. */
  public record Taken(String by, String note, String time) {}

  /** What the gateway named where it was not what was ordered. */
  public record OtherAmount(String amount, String currency) {}

  /**
   * What is known of a payment. outcome is null while it is under way: then SUCCESS, CANCEL, REFUSED or EXPIRED. In an event it has no
   * history and no paymentData.
   */
  public record PaymentState(String appId, String outTradeNo, String tradeNo, String tradeStatus, String orderAmount,
      String orderCurrency, String method, String outcome, String confirmedBy, String attention, String attentionSince, Taken taken,
      String expiresAt, Earlier previous,
      Refusal refusedBecause, List<OtherTrade> otherTrades, LatePaymentRefund latePaymentRefund, Boolean allGoesBack,
      OtherAmount mismatch,
      List<Transition> history, Map<String, Object> paymentData) {}

  /** Who decided, and why. */
  public record Decision(String by, String reason) {}

  /** Why there is no refund. */
  public record Failure(String type, String message, Map<String, Object> details) {}

  /** A refund of an order. outcome is null until the gateway has taken it. */
  public record Refund(String outRequestNo, String tradeNo, int attempt, String refundAmount, String refundCurrency, boolean partial,
      String refundStatus, String outcome, String confirmedBy, String attention, String requestedAt, String startedAt, String sentAt,
      Map<String, Object> answer, Failure failure, Decision resolved) {}

  /** The last DISPUTE or CHARGEBACK. */
  public record BankSaid(String tradeStatus, String time) {}

  /** What follows the sale of an order: its refunds, their sums, disputes. */
  public record AfterSaleState(String appId, String outTradeNo, String tradeNo, String tradeStatus, String orderAmount,
      String orderCurrency, String method, String attention, String attentionSince, Taken taken, String refundedAmount,
      String refundingAmount, String refundedElsewhere,
      boolean ledgerComplete, List<Refund> refunds, List<OtherTrade> otherTrades, List<Map<String, Object>> claims, BankSaid bankSaid,
      String answerBy, String watchedUntil, List<Transition> history, PaymentState payment) {}

  /** The gateway's answer to a refund. */
  public record RefundAnswer(boolean recovered, String outTradeNo, String tradeNo, String outRequestNo, String refundAmount,
      String refundCurrency, String refundStatus) {}

  /** A virtual account. accountNumber is its CLABE. */
  public record SpeiAccountData(String accountId, String accountNumber, String provider, String status, String notifyUrl,
      String beneficiaryName, String buyerId) {}

  /** Money that was counted. */
  public record Deposit(String outTradeNo, String tradeNo, String amount, String currency, String transferredAt, String countedAt) {}

  /** Money that was notified and not counted. */
  public record SetAsideDeposit(String outTradeNo, String tradeNo, String amount, String currency, String transferredAt,
      String because) {}

  /** The deposits of an account: the last ones, the newest first. In an event they are a count and sums by currency alone. */
  public record Deposits(int count, Map<String, String> total, int pending, List<Deposit> latest, List<SetAsideDeposit> setAside) {}

  /** The deposit that a person has to see. */
  public record UnseenDeposit(String outTradeNo, String tradeNo, String amount, String currency) {}

  /** Something that a person has to see: of a deposit, or of the account, where the deposit is null. */
  public record UnseenEntry(int no, String because, UnseenDeposit deposit) {}

  /** What is known of a virtual account. */
  public record SpeiAccountState(String appId, String accountId, SpeiAccountData account, String status, String attention,
      String attentionSince, Taken taken, List<UnseenEntry> unseen, Deposits deposits) {}

  /** How many virtual accounts the app has left to create. */
  public record SpeiAccountQuantityState(String appId, Integer availableQuantity, Integer low, Integer seen, String checkedAt,
      String attention, String attentionSince, Taken taken) {}

  /** A bank of a method; an order names it by its bankId. */
  public record Bank(String bankId, String bankName, String languageCode, String channel, String logo, String currency,
      String minAmount) {}

  /** A way to pay an amount with a card: in so many (stage) installments. */
  public record InstallmentPlan(int stage, String amountEach, String amount, String rate) {}

  /** The refunds of an order as an event shows them, and by when a dispute has to be answered. */
  public record SaleInEvent(String refundedAmount, String refundingAmount, String refundedElsewhere, boolean ledgerComplete,
      String answerBy, List<Refund> refunds) {}

  /** One of the payments that a sweep found. */
  public record StuckPayment(String workflowId, String status) {}

  /** What a sweep for stuck payments found. */
  public record Swept(int stuck, int underAttention, List<StuckPayment> some) {}

  /**
   * Any event (docs/events.md). Its type says what else it has: that of a virtual account (account-…, deposit…) an account, stuck-payments a
   * sweep, and every other one a payment, with an afterSale after the sale.
   */
  public record MerchantEvent(String id, String type, String time, PaymentState payment, Transition transition, Refund refund, Failure failure,
      SaleInEvent afterSale, SpeiAccountState account, Deposit deposit, SetAsideDeposit setAside, Swept sweep) {}
}
