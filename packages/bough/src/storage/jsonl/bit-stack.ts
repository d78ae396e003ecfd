/** Answers to yes or no in a stack, eight to a byte. */
export class BitStack {
  #bytes = new Uint8Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** False of an empty stack. */
  get top(): boolean {
    const at = this.#length - 1;
    return at >= 0 && (((this.#bytes[at >> 3] as number) >> (at & 7)) & 1) === 1;
  }

  push(bit: boolean): void {
    const at = this.#length++;
    if (at >> 3 === this.#bytes.length) this.#grow();
    const mask = 1 << (at & 7);
    const others = (this.#bytes[at >> 3] as number) & ~mask;
    this.#bytes[at >> 3] = bit ? others | mask : others;
  }

  pop(): void {
    if (this.#length > 0) this.#length--;
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
