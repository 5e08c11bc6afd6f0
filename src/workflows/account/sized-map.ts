/** A map that knows how many bytes its entries have as JSON, because what a run hands on is bounded. Pure. */
import { bytesOf } from '../../contract';

export class SizedMap<Value> extends Map<string, Value> {
  private sum = 0;

  constructor(entries: Iterable<readonly [string, Value]> = []) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }

  get bytes(): number {
    return this.sum;
  }

  override set(key: string, value: Value): this {
    const before = this.get(key);
    this.sum += bytesOf([key, value]) - (before === undefined ? 0 : bytesOf([key, before]));
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    const value = this.get(key);
    if (value !== undefined) this.sum -= bytesOf([key, value]);
    return super.delete(key);
  }
}
