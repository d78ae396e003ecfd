/** Milliseconds that synchronous work may keep a process from anything else. */
const longest = 12;

/** Long synchronous work in turns, between which the process does what else it has to do. */
export class Turns {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began > longest;
  }

  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#began = performance.now();
  }
}
