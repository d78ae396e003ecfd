import { Writable } from "node:stream";

/** A terminal for a line that is edited. Hidden, it swallows what is drawn, and a line takes one row however long it is. */
export class Echo extends Writable {
  readonly isTTY = true;
  readonly #screen: NodeJS.WriteStream;
  readonly #onResize = () => void this.emit("resize");
  #isShown = false;

  constructor(screen: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#screen = screen;
    screen.on("resize", this.#onResize);
  }

  get columns(): number | undefined {
    return this.#isShown ? this.#screen.columns : undefined;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  show(): void {
    this.#isShown = true;
  }

  hide(): void {
    this.#isShown = false;
  }

  override _write(text: string | Uint8Array, _: BufferEncoding, done: () => void): void {
    if (this.#isShown) this.#screen.write(text);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#screen.off("resize", this.#onResize);
    done(error);
  }
}
