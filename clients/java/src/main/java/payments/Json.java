package payments;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;

/** JSON as the contract has it: names in snake_case, fields that are not known ignored, what is not there left out. */
final class Json {
  static final JsonMapper MAPPER = JsonMapper.builder()
      .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
      .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
      .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
      .serializationInclusion(JsonInclude.Include.NON_NULL)
      .build();

  private static final TypeReference<Map<String, Object>> FIELDS = new TypeReference<>() {};

  private Json() {}

  static Map<String, Object> fields(Object value) {
    return MAPPER.convertValue(value, FIELDS);
  }

  static <T> T as(Object value, Class<T> type) {
    return MAPPER.convertValue(value, type);
  }
}
