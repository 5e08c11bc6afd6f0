package payments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.temporal.api.common.v1.Payload;
import io.temporal.payload.codec.PayloadCodecException;
import java.io.File;
import java.io.IOException;
import java.util.List;

/** Checks the codec with vectors/encryption.json: prints how many it took, or throws. */
public final class Vectors {
  public static void main(String[] args) throws IOException {
    JsonNode file = new ObjectMapper().readTree(new File(args[0]));
    List<Codec.Key> keys = Codec.keys(file.get("setting").asText());
    int checked = 0;
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
      checked++;
    }
    System.out.println(checked);
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
