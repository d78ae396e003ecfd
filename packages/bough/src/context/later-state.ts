import type { SessionContextState } from "./state.ts";

/** Of each piece of state how it is found. */
export type StateLook = <Piece extends keyof SessionContextState>(piece: Piece) => SessionContextState[Piece];

/** State of which each piece is looked for when somebody asks for it, and then kept. It throws what looking throws. */
export class LaterState implements SessionContextState {
  readonly #look: StateLook;
  readonly #found: { [Piece in keyof SessionContextState]?: SessionContextState[Piece] } = {};

  constructor(look: StateLook) {
    this.#look = look;
  }

  get model(): SessionContextState["model"] {
    return this.#piece("model");
  }

  get thinkingLevel(): SessionContextState["thinkingLevel"] {
    return this.#piece("thinkingLevel");
  }

  get activeToolNames(): SessionContextState["activeToolNames"] {
    return this.#piece("activeToolNames");
  }

  get injectedRules(): SessionContextState["injectedRules"] {
    return this.#piece("injectedRules");
  }

  #piece<Piece extends keyof SessionContextState>(piece: Piece): SessionContextState[Piece] {
    if (!(piece in this.#found)) this.#found[piece] = this.#look(piece);
    return this.#found[piece] as SessionContextState[Piece];
  }
}

/** Gives an object a member that is looked for when it is read, and then stays what it was. */
export function defineLater(object: object, name: string, look: () => unknown): void {
  let found: { readonly value: unknown } | undefined;
  const get = () => {
    found ??= { value: look() };
    return found.value;
  };
  Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}
