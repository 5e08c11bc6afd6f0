/** An operation of the interface: its path, the rules of its request, and how its response is read. */

import type { Creation } from './refusals';
import type { GatewayResponse } from './response';
import type { RequestRules } from './rules';

export interface Operation<Request extends object, Result> {
  /** The rules of the request; `rules.operation` is the path. */
  rules: RequestRules<Request>;
  /** Fields, and fields that hold a list or an object, that only a success of this operation has (see readResponse). */
  ownFields: readonly string[];
  ownParts?: readonly string[];
  /** What a call creates. Absent if a call is always safe to repeat. */
  creates?: Creation;
  /** Whether a call only asks, so that it changes nothing at the gateway. */
  onlyAsks?: true;
  /** What a call is about, for error messages: "order 17". It must hold nothing private. */
  about(request: Request): string;
  /** The result of a success; undefined if the response lacks a necessary field. */
  read(answer: GatewayResponse, request: Request): Result | undefined;
}
