package payments;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What goes in, as docs/contract.md has it. Amounts are decimal texts. */
public final class Orders {
  private Orders() {}

  /** An identity number and its kind, such as CPF, CURP or NIT. */
  public record Identity(String number, String type) {}

  /** The buyer; null for what is not needed: that depends on the method. */
  public record Customer(String name, String email, String phone, Identity identify) {}

  /** The buyer's address. */
  public record Address(String zipCode, String state, String city, String streetNumber, String street, String neighborhood) {}

  /** Whose money goes back; null for what the payment knows. */
  public record RefundedUser(String name, String email, String phone, Identity identify) {}

  /** The bank account that the money goes to. */
  public record BankInfo(String bankId, String bankName, String agency, String type, String number) {}

  /** The buyer of a virtual account. */
  public record AccountCustomer(String buyerId, String name, String email, String phone, Identity identify) {}

  /** The request for a virtual account. */
  public record NewSpeiAccount(AccountCustomer customer) {}

  /** The amount of a refund of all that is left. */
  public static final String ALL = "all";

  /** A refund: of an amount, such as 30.00, or of ALL. None is refused, because a part may be meant. outRequestNo is its key. */
  public record RefundOptions(@JsonProperty("refund_amount") String amount, String outRequestNo, String refundReason, RefundedUser userInfo, BankInfo bankInfo) {
    /** With no more than an amount and a key. */
    public static RefundOptions of(String amount, String outRequestNo) {
      return new RefundOptions(amount, outRequestNo, null, null, null);
    }
  }

  /** What direct payments and checkouts have in common. outTradeNo is the key: one number, at most one charge. */
  public abstract static class OrderFields<Self extends OrderFields<Self>> {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    abstract Self self();

    @JsonAnyGetter
    public Map<String, Object> fields() {
      return fields;
    }

    /** A field by the gateway's own name. */
    public Self with(String name, Object value) {
      fields.put(name, value);
      return self();
    }

    String outTradeNo() {
      return String.valueOf(fields.get("out_trade_no"));
    }

    public Self price(String currency, String amount) {
      return with("order_currency", currency).with("order_amount", amount);
    }

    public Self subject(String subject) {
      return with("subject", subject);
    }

    public Self content(String content) {
      return with("content", content);
    }

    public Self channel(String channel) {
      return with("channel", channel);
    }

    public Self buyerId(String buyerId) {
      return with("buyer_id", buyerId);
    }

    public Self returnUrl(String returnUrl) {
      return with("return_url", returnUrl);
    }

    public Self timeoutExpress(String span) {
      return with("timeout_express", span);
    }

    public Self cancellationExpress(String span) {
      return with("cancellation_express", span);
    }
  }

  /** An order that is paid by one method. Its token and its accountVerificationCode are sealed on their way. */
  public static final class DirectPayment extends OrderFields<DirectPayment> {
    public static DirectPayment of(String outTradeNo, String method) {
      return new DirectPayment().with("out_trade_no", outTradeNo).with("method", method);
    }

    /** An order as JSON has it. */
    public static DirectPayment of(Map<String, ?> request) {
      DirectPayment order = new DirectPayment();
      request.forEach(order::with);
      return order;
    }

    @Override
    DirectPayment self() {
      return this;
    }

    public DirectPayment customer(Customer customer) {
      return with("customer", customer);
    }

    public DirectPayment address(Address address) {
      return with("address", address);
    }

    public DirectPayment bank(String bankId) {
      return with("bank", bankId);
    }

    public DirectPayment token(String token) {
      return with("token", token);
    }

    public DirectPayment issuer(String issuer) {
      return with("issuer", issuer);
    }

    public DirectPayment installments(int installments) {
      return with("installments", installments);
    }

    public DirectPayment ip(String ip) {
      return with("ip", ip);
    }

    public DirectPayment fingerprint(String fingerprint) {
      return with("fingerprint", fingerprint);
    }

    public DirectPayment languageCode(String languageCode) {
      return with("language_code", languageCode);
    }

    /** The account and its PIN, in the card-number channel of a wallet. */
    public DirectPayment account(String number, String verificationCode) {
      return with("account_number", number).with("account_verification_code", verificationCode);
    }

    public DirectPayment region(String region) {
      return with("region", region);
    }
  }

  /** An order whose buyer chooses the method on the gateway's page. */
  public static final class Checkout extends OrderFields<Checkout> {
    public static Checkout of(String outTradeNo) {
      return new Checkout().with("trade_type", "WEB").with("out_trade_no", outTradeNo);
    }

    /** An order as JSON has it. */
    public static Checkout of(Map<String, ?> request) {
      Checkout order = new Checkout();
      request.forEach(order::with);
      return order;
    }

    @Override
    Checkout self() {
      return this;
    }

    /** The only method that the page offers. */
    public Checkout method(String method) {
      return with("method", method);
    }

    public Checkout regions(List<String> regions) {
      return with("regions", regions);
    }
  }
}
