package payments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.nimbusds.jose.JWEObject;
import com.nimbusds.jose.crypto.ECDHDecrypter;
import com.nimbusds.jose.jwk.ECKey;
import io.temporal.api.common.v1.Payload;
import io.temporal.payload.codec.PayloadCodecException;
import java.io.File;
import java.io.IOException;
import java.util.List;

/** Checks codec and seals with encryption.json and sealing.json of a folder: prints how many vectors it took, or throws. */
public final class Vectors {
  public static void main(String[] args) throws Exception {
    int encryption = encryption(new ObjectMapper().readTree(new File(args[0], "encryption.json")));
    int sealing = sealing(new ObjectMapper().readTree(new File(args[0], "sealing.json")));
    System.out.println("{\"encryption\":" + encryption + ",\"sealing\":" + sealing + "}");
  }

  private static int encryption(JsonNode file) throws IOException {
    List<Codec.Key> keys = Codec.keys(file.get("setting").asText());
    for (JsonNode vector : file.get("vectors")) {
      String namespace = vector.get("namespace").asText();
      Codec codec = new Codec(keys, List.of(namespace, vector.get("workflow_id").asText()));
      Payload clear = payload(vector.get("clear")), encrypted = payload(vector.get("encrypted"));
      Payload own = codec.encode(List.of(clear)).get(0);
      require(own.getMetadataMap().equals(encrypted.getMetadataMap()), "the metadata is another one");
      require(codec.decode(List.of(own, encrypted)).equals(List.of(clear, clear)), "it decrypts to something else");
      Codec other = new Codec(keys, List.of(namespace, "payment:demo-app:another"));
      require(refuses(other, encrypted), "another workflow reads it");
      require(refuses(codec, clear), "clear text is taken");
      Codec migrating = new Codec(keys, List.of(namespace, vector.get("workflow_id").asText()), true);
      require(migrating.decode(List.of(clear, encrypted)).equals(List.of(clear, clear)), "a migration cannot read what was before");
    }
    return file.get("vectors").size();
  }

  private static int sealing(JsonNode file) throws Exception {
    ECKey key = ECKey.parse(file.get("private_jwk").toString());
    ECKey publicKey = ECKey.parse(file.get("public_jwk").toString());
    for (JsonNode vector : file.get("vectors")) {
      String secret = vector.get("secret").asText();
      String own = Seal.text(secret, publicKey, vector.get("app_id").asText(), vector.get("out_trade_no").asText());
      JWEObject made = JWEObject.parse(own), given = JWEObject.parse(vector.get("sealed").asText());
      for (JWEObject sealed : List.of(made, given)) {
        sealed.decrypt(new ECDHDecrypter(key));
        require(sealed.getPayload().toString().equals(secret), "it opens to something else");
      }
      require(made.getHeader().getAgreementPartyUInfo().equals(given.getHeader().getAgreementPartyUInfo()), "it names another app");
      require(made.getHeader().getAgreementPartyVInfo().equals(given.getHeader().getAgreementPartyVInfo()), "it names another order");
    }
    return file.get("vectors").size();
  }

  private static Payload payload(JsonNode node) throws IOException {
    Payload.Builder made = Payload.newBuilder().setData(ByteString.copyFrom(node.get("data").binaryValue()));
    for (var field : node.get("metadata").properties()) {
      made.putMetadata(field.getKey(), ByteString.copyFrom(field.getValue().binaryValue()));
    }
    return made.build();
  }

  private static boolean refuses(Codec codec, Payload payload) {
    try {
      codec.decode(List.of(payload));
      return false;
    } catch (PayloadCodecException refused) {
      return true;
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) throw new IllegalStateException(otherwise);
  }
}
