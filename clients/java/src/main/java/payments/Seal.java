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

  private static final String MUST_BE_SEALED = "must be sealed: give the client the worker\u2019s public key (PAYMENTS_SEALING_PUBLIC_JWK)";

  private Seal() {}

  /** The order with its secrets sealed to the worker's public key. Throws PaymentError for one that cannot be: it must not leave this process. */
  static Map<String, Object> order(Map<String, Object> order, String appId, ECKey key) {
    Map<String, Object> sealed = new HashMap<>(order);
    for (String name : SECRET_FIELDS) {
      Object given = sealed.get(name);
      if (given == null || given instanceof Map<?, ?> map && map.get("sealed") instanceof String) continue;
      if (!(given instanceof String secret)) throw unsealed(order, name, "must be text: a number, such as 0123, loses its zeros");
      if (key == null) throw unsealed(order, name, MUST_BE_SEALED);
      sealed.put(name, Map.of("sealed", text(secret, key, appId, String.valueOf(order.get("out_trade_no")))));
    }
    return sealed;
  }

  private static PaymentError unsealed(Map<String, Object> order, String field, String rule) {
    Map<String, ?> details = Map.of("issues", List.of(Map.of("field", field, "rule", rule)));
    return PaymentError.of("InvalidRequest", "Order " + order.get("out_trade_no") + " was not sent: " + field + " " + rule, details);
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
