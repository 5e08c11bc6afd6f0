package payments;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.temporal.api.common.v1.Payload;
import io.temporal.payload.codec.PayloadCodec;
import io.temporal.payload.codec.PayloadCodecException;
import io.temporal.payload.context.HasWorkflowSerializationContext;
import io.temporal.payload.context.SerializationContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts payloads with AES-256-GCM, in the format of docs/contract.md. The first key encrypts, all of them decrypt. A payload is
 * bound to its owner, which the SDK tells, and one of another owner is refused. So is clear text.
 */
public final class Codec implements PayloadCodec {
  /** A key; its id stands beside the payloads in clear text. */
  public record Key(String id, byte[] bytes) {}

  private static final String ENCODING = "binary/encrypted";
  private static final byte[] INFO = "temporal-payment-gateway payload 1".getBytes(StandardCharsets.UTF_8);
  private static final int SALT_BYTES = 32, KEY_BYTES = 32, NONCE_BYTES = 12, TAG_BITS = 128;
  private static final Pattern KEY = Pattern.compile("([A-Za-z0-9_.-]{1,64}):([A-Za-z0-9+/]{43}=)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Key> keys;
  private final List<String> owner;
  private final boolean acceptsClearText;

  /** {@code owner}: the namespace and the id of the workflow; empty where the SDK tells none. */
  public Codec(List<Key> keys, List<String> owner) {
    this(keys, owner, false);
  }

  /** {@code acceptsClearText}: what was written before there were keys is read, too (PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT). */
  public Codec(List<Key> keys, List<String> owner, boolean acceptsClearText) {
    this.keys = keys;
    this.owner = owner;
    this.acceptsClearText = acceptsClearText;
  }

  /** Reads PAYMENTS_ENCRYPTION_KEYS, or the file that PAYMENTS_ENCRYPTION_KEYS_FILE names. No message quotes a key. */
  static List<Key> keys(Map<String, String> settings) {
    return keys(Settings.value(settings, "PAYMENTS_ENCRYPTION_KEYS"));
  }

  /** Keys as the setting has them. No message quotes one. */
  public static List<Key> keys(String setting) {
    List<Key> keys = Stream.of(setting.split("[,\\s]+")).filter(one -> !one.isEmpty()).map(Codec::key).toList();
    if (keys.stream().map(Key::id).distinct().count() < keys.size()) throw wrongKeys();
    return keys;
  }

  private static Key key(String text) {
    Matcher found = KEY.matcher(text);
    if (!found.matches()) {
      throw wrongKeys();
    }
    return new Key(found.group(1), Base64.getDecoder().decode(found.group(2)));
  }

  private static ConfigError wrongKeys() {
    return new ConfigError("PAYMENTS_ENCRYPTION_KEYS must be id:base64 of 32 bytes, several separated by commas, each id once");
  }

  @Override
  public PayloadCodec withContext(SerializationContext context) {
    if (!(context instanceof HasWorkflowSerializationContext of)) return this;
    return new Codec(keys, List.of(of.getNamespace(), of.getWorkflowId()), acceptsClearText);
  }

  @Override
  public List<Payload> encode(List<Payload> payloads) {
    return payloads.stream().map(this::encrypt).collect(Collectors.toList());
  }

  @Override
  public List<Payload> decode(List<Payload> payloads) {
    return payloads.stream().map(this::decrypt).collect(Collectors.toList());
  }

  private Payload encrypt(Payload payload) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    Key key = keys.get(0);
    try {
      String text = owner.isEmpty() ? "" : JSON.writeValueAsString(owner);
      byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, key, salt, text.getBytes(StandardCharsets.UTF_8)).doFinal(payload.toByteArray());
      Payload.Builder made = Payload.newBuilder()
          .putMetadata("encoding", ByteString.copyFromUtf8(ENCODING))
          .putMetadata("encryption-key-id", ByteString.copyFromUtf8(key.id()))
          .setData(ByteString.copyFrom(salt).concat(ByteString.copyFrom(encrypted)));
      if (!owner.isEmpty()) made.putMetadata("encryption-context", ByteString.copyFromUtf8(text));
      return made.build();
    } catch (GeneralSecurityException | java.io.IOException error) {
      throw new PayloadCodecException("A payload could not be encrypted", error);
    }
  }

  private Payload decrypt(Payload payload) {
    if (!ENCODING.equals(metadata(payload, "encoding").toStringUtf8())) {
      if (acceptsClearText) return payload;
      throw new PayloadCodecException("A payload is in clear text, which anybody could have put there");
    }
    String id = metadata(payload, "encryption-key-id").toStringUtf8();
    byte[] made = metadata(payload, "encryption-context").toByteArray();
    if (!mayRead(made)) {
      throw new PayloadCodecException("A payload was made for another workflow, activity or namespace, and moved here");
    }
    Key key = keys.stream().filter(one -> one.id().equals(id)).findFirst().orElseThrow(() ->
        new PayloadCodecException("A payload was encrypted with the key " + id + ", which PAYMENTS_ENCRYPTION_KEYS does not have"));
    byte[] data = payload.getData().toByteArray();
    try {
      byte[] salt = Arrays.copyOf(data, SALT_BYTES);
      return Payload.parseFrom(cipher(Cipher.DECRYPT_MODE, key, salt, made).doFinal(data, SALT_BYTES, data.length - SALT_BYTES));
    } catch (GeneralSecurityException | IllegalArgumentException | InvalidProtocolBufferException error) {
      throw new PayloadCodecException("A payload was changed, or encrypted with another key of the name " + id, error);
    }
  }

  /** Whether both name the same owner. What was typed in Temporal UI names the namespace alone. */
  private boolean mayRead(byte[] made) {
    if (owner.isEmpty()) return true;
    try {
      List<?> names = JSON.readValue(made, List.class);
      return !names.isEmpty() && names.get(0).equals(owner.get(0)) && (names.size() == 1 || names.get(1).equals(owner.get(1)));
    } catch (java.io.IOException error) {
      return false;
    }
  }

  private static ByteString metadata(Payload payload, String name) {
    return payload.getMetadataOrDefault(name, ByteString.EMPTY);
  }

  /** AES-GCM with the key and the nonce of one payload. */
  private static Cipher cipher(int mode, Key key, byte[] salt, byte[] owner) throws GeneralSecurityException {
    byte[] derived = hkdf(key.bytes(), salt, KEY_BYTES + NONCE_BYTES);
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    SecretKeySpec secret = new SecretKeySpec(derived, 0, KEY_BYTES, "AES");
    cipher.init(mode, secret, new GCMParameterSpec(TAG_BITS, derived, KEY_BYTES, NONCE_BYTES));
    cipher.updateAAD((key.id() + "\n").getBytes(StandardCharsets.UTF_8));
    cipher.updateAAD(owner);
    return cipher;
  }

  /** HKDF with SHA-256 (RFC 5869), which Java has from version 25 on. */
  private static byte[] hkdf(byte[] key, byte[] salt, int length) throws GeneralSecurityException {
    byte[] extracted = hmac(salt, key);
    ByteBuffer out = ByteBuffer.allocate((length + 31) / 32 * 32);
    byte[] block = new byte[0];
    for (int i = 1; out.hasRemaining(); i++) {
      block = hmac(extracted, block, INFO, new byte[] {(byte) i});
      out.put(block);
    }
    return Arrays.copyOf(out.array(), length);
  }

  private static byte[] hmac(byte[] key, byte[]... parts) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    for (byte[] part : parts) mac.update(part);
    return mac.doFinal();
  }
}
