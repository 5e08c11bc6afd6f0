/** What a heap keeps: the earlier `due`, then the earlier `order`, comes first. */
export interface HeapItem {
  due: number;
  order: number;
  /** Where the heap keeps the item; -1 while it is in none. Only the heap writes it. */
  position: number;
}

/** A binary heap from which any item can be taken out, so a cancelled alarm leaves nothing behind. */
export class Heap<Item extends HeapItem> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#put(item, this.#items.length);
    this.#rise(item);
  }

  remove(item: Item): void {
    const { position } = item;
    if (this.#items[position] !== item) return;
    const last = this.#items.pop();
    item.position = -1;
    if (last === undefined || last === item) return;
    this.#put(last, position);
    this.#rise(last);
    this.#sink(last);
  }

  #put(item: Item, position: number): void {
    this.#items[position] = item;
    item.position = position;
  }

  #rise(item: Item): void {
    for (;;) {
      const position = item.position;
      const parent = this.#items[(position - 1) >> 1];
      if (position === 0 || parent === undefined || comesBefore(parent, item)) return;
      this.#put(parent, position);
      this.#put(item, (position - 1) >> 1);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const position = item.position;
      const left = this.#items[2 * position + 1];
      const right = this.#items[2 * position + 2];
      const child = left && right ? (comesBefore(left, right) ? left : right) : left;
      if (child === undefined || comesBefore(item, child)) return;
      const below = child.position;
      this.#put(child, position);
      this.#put(item, below);
    }
  }
}

function comesBefore(a: HeapItem, b: HeapItem): boolean {
  return a.due === b.due ? a.order < b.order : a.due < b.due;
}
