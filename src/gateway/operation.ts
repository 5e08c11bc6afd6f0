/** What makes an operation of the interface: its path, its request's rules, and how its answers are read. */
import type { Answer } from './answers';
import type { Creation } from './refusals';
import type { RequestRules } from './rules';

export interface Operation<Request extends object, Result> {
  /** The request's rules; `rules.operation` is the operation's path. */
  rules: RequestRules<Request>;
  /** Fields, and fields with a list or an object in them, of which only a success of this operation carries one. */
  ownFields: readonly string[];
  ownParts?: readonly string[];
  /** What a call brings into being. Absent where it may be made again without harm, whatever became of the first one. */
  creates?: Creation;
  /** What a call is about, for the people who read its errors: "order 17". Nothing private. */
  about(request: Request): string;
  /** A success as the client gives it; undefined where it lacks what makes it one. */
  read(answer: Answer, request: Request): Result | undefined;
}
