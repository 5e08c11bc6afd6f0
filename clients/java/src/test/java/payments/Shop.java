package payments;

import java.util.UUID;
import payments.Orders.Customer;
import payments.Orders.DirectPayment;
import payments.Orders.Identity;
import payments.Orders.RefundOptions;
import payments.testing.Simulator;

/** A shop's own tests, on the stack that `npm start` runs in this folder: run its main, or call each from your test runner. */
public final class Shop {
  private final Payments payments;
  private final Simulator simulator = new Simulator();

  Shop(Payments payments) {
    this.payments = payments;
  }

  public static void main(String[] args) {
    try (Payments payments = Payments.connect()) {
      Shop shop = new Shop(payments);
      shop.aBuyerWhoPaysIsDeliveredToAndGetsAPartBack();
      shop.aBuyerWhoCancelsGetsNothing();
      shop.aWrongOrderIsRefusedFieldByField();
      System.out.println("3 tests passed");
    }
  }

  private static DirectPayment order(String number, String amount) {
    return DirectPayment.of(number, "PIX").price("BRL", amount).subject("Two tickets").buyerId("buyer-1").timeoutExpress("90m")
        .customer(new Customer("Mariana Souza Lima", "mariana@example.com", null, new Identity("71493180072", "CPF")));
  }

  private static String newNumber() {
    return "shop-" + UUID.randomUUID();
  }

  void aBuyerWhoPaysIsDeliveredToAndGetsAPartBack() {
    String number = newNumber();
    require(payments.pay(order(number, "150.00")).qrCode().startsWith("0002"), "there is a QR code");
    simulator.pay(number);
    require("SUCCESS".equals(payments.outcome(number).outcome()), "it is paid");
    require("30.00".equals(payments.refund(number, RefundOptions.of("30.00", "r-1")).refundAmount()), "a part goes back");
  }

  void aBuyerWhoCancelsGetsNothing() {
    String number = newNumber();
    payments.pay(order(number, "150.00"));
    simulator.act(number, "cancel");
    require("CANCEL".equals(payments.outcome(number).outcome()), "it is canceled");
  }

  void aWrongOrderIsRefusedFieldByField() {
    try {
      payments.pay(order(newNumber(), "0.00"));
    } catch (PaymentError error) {
      require(error.type().equals("InvalidRequest") && error.fields().contains("order_amount"), "the field is named");
      return;
    }
    throw new AssertionError("the order was taken");
  }

  private static void require(boolean holds, String what) {
    if (!holds) throw new AssertionError("It does not hold that " + what);
  }
}
