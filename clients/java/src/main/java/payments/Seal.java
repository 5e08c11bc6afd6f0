package payments;

import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDHEncrypter;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.util.Base64URL;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sealing: a card token or a PIN crosses Temporal as a JWE that only the worker opens, and only for its app and order. */
public final class Seal {
  /** Fields of an order that are sealed. */
  static final List<String> SECRET_FIELDS = List.of("token", "account_verification_code");

  private Seal() {}

  /** The order with its secrets sealed to the worker's public key. Throws PaymentError where there is none. */
  static Map<String, Object> order(Map<String, Object> order, String appId, ECKey key) {
    Map<String, Object> sealed = new HashMap<>(order);
    for (String name : SECRET_FIELDS) {
      if (!(sealed.get(name) instanceof String secret)) continue;
      if (key == null) throw unsealed(String.valueOf(order.get("out_trade_no")), name);
      sealed.put(name, Map.of("sealed", text(secret, key, appId, String.valueOf(order.get("out_trade_no")))));
    }
    return sealed;
  }

  private static PaymentError unsealed(String number, String field) {
    String rule = "must be sealed: give the client the worker\u2019s public key (PAYMENTS_SEALING_PUBLIC_JWK)";
    Map<String, ?> details = Map.of("issues", List.of(Map.of("field", field, "rule", rule)));
    return PaymentError.of("InvalidRequest", "Order " + number + " was not sent: " + field + " " + rule, details);
  }

  /** A compact JWE of the secret; apu and apv name the app and the order. */
  static String text(String secret, ECKey key, String appId, String number) {
    JWEHeader header = new JWEHeader.Builder(JWEAlgorithm.ECDH_ES, EncryptionMethod.A256GCM)
        .keyID(key.getKeyID())
        .agreementPartyUInfo(Base64URL.encode(appId))
        .agreementPartyVInfo(Base64URL.encode(number))
        .build();
    JWEObject jwe = new JWEObject(header, new Payload(secret));
    try {
      jwe.encrypt(new ECDHEncrypter(key));
    } catch (JOSEException error) {
      throw new IllegalStateException("The sealing key must be a public JWK on P-256", error);
    }
    return jwe.serialize();
  }
}
