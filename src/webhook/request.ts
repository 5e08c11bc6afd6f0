/** An HTTP request in the form that every mount hands to the endpoint. */

export interface WebhookRequest {
  method: string;
  /** Its last segment is the app_id. A query is ignored. */
  path: string;
  /** Every header as it came. A repeated header is in the list as often as it came. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The sender's address; undefined if the mount cannot know it. */
  address: string | undefined;
  /** The connection that the request came by, which may bring further requests; undefined if the mount does not know it. */
  connection?: object | undefined;
  /** The body's bytes; undefined if other code has read them already. */
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined;
}

/** Whether the body is plain JSON. A compressed body is refused: it would be unpacked before its signature is verified. */
export function isPlainJson(request: WebhookRequest): boolean {
  const [type = '', ...more] = headerValues(request, 'content-type');
  const [encoding = 'identity'] = headerValues(request, 'content-encoding');
  return more.length === 0 && /^application\/json *(;|$)/i.test(type) && encoding.toLowerCase() === 'identity';
}

/** Every value of a header; the name's case does not matter. */
export function headerValues(request: WebhookRequest, name: string): string[] {
  const wanted = name.toLowerCase();
  return request.headers.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value);
}

/** The last segment of the path; empty, which is never an app's id, if it cannot be decoded. */
export function appIdIn(path: string): string {
  const [, segment = ''] = /([^/]*)\/?$/.exec(path.replace(/[?#].*$/s, '')) ?? [];
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
